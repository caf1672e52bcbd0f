"""The explorer as a page on this machine: loopback only, a random port, a token in the address.

A request without the token, for another host or from another origin is refused, so that no other
page in the same browser can ask questions; the page itself may talk to nothing else.
"""

from __future__ import annotations

import contextlib
import json
import secrets
import threading
import webbrowser
from collections.abc import Callable
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlsplit

from cellapse._collapse.realizations import REALIZATIONS
from cellapse._errors import CellapseError
from cellapse.report.explorer import Explorer, Settings
from cellapse.report.markup import as_json, page
from cellapse.report.summary import cell_counts

_QUICK = 50_000  # cells; the matrices of a realization then take less than a second
SCRIPTS = ("base.js", "charts.js", "network.js", "cloud.js", "explore.js")


wait = threading.Event().wait  # for Ctrl-C, which ends it


class Server(ThreadingHTTPServer):
    """Serves one explorer; `with Server(explorer) as server:` runs it in the background.

    >>> import urllib.request
    >>> from cellapse._complex.complex import Complex
    >>> with Server(Explorer(Complex.from_arrays(3, {1: [[0, 1], [1, 2]]}))) as server:
    ...     urllib.request.urlopen(server.address).status
    200
    """

    daemon_threads = True

    def __init__(self, explorer: Explorer) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.explorer = explorer
        self.token = secrets.token_urlsafe(24)
        self.lock = threading.Lock()  # one answer at a time: they share the cores
        self.text = explorer_html(explorer)
        self.preparing = threading.Thread(target=self._prepare, daemon=True)

    @property
    def host(self) -> str:
        """Name and port, as a browser writes them."""
        return f"127.0.0.1:{self.server_port}"

    @property
    def address(self) -> str:
        """Where the page is, token and all."""
        return f"http://{self.host}/{self.token}/"

    def __enter__(self) -> Server:
        threading.Thread(target=self.serve_forever, daemon=True).start()
        if sum(self.explorer.complex.n_cells) < _QUICK:
            self.preparing.start()
        return self

    def _prepare(self) -> None:
        """Make the matrices of the other realizations while the reader looks at the first."""
        for name in REALIZATIONS:
            with self.lock, contextlib.suppress(CellapseError):  # told when it is asked for
                self.explorer.prepare(name)

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self.server_close()


def explore(server: Server, tell: Callable[[str], object], open_page: bool = True) -> None:
    """Serve until interrupted; `tell` is called with the address."""
    with server, contextlib.suppress(KeyboardInterrupt):
        tell(server.address)
        if open_page:
            webbrowser.open(server.address)
        wait()


def explorer_html(explorer: Explorer) -> str:
    """The page as text."""
    parts = {
        "title": escape(explorer.title),
        "subtitle": escape(cell_counts(explorer.complex)),
        "data": as_json(explorer.start()),
    }
    return page("explore.html", SCRIPTS, parts, connect="'self'")


class _Handler(BaseHTTPRequestHandler):
    server: Server
    server_version, sys_version = "cellapse", ""
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        address = urlsplit(self.path)
        refusal = self._refusal(address.path)
        if refusal:
            self._send(403, "text/plain", refusal)
        elif address.path == f"/{self.server.token}/":
            self._send(200, "text/html", self.server.text)
        elif address.path == f"/{self.server.token}/answer":
            self._answer(address.query)
        else:
            self._send(404, "text/plain", "nothing here")

    def _refusal(self, path: str) -> str:
        """Why this request is none of ours, or nothing."""
        host = self.headers.get("Host", "")
        origin = self.headers.get("Origin", f"http://{host}")
        site = self.headers.get("Sec-Fetch-Site", "none")
        if host != self.server.host:
            return "unknown host"
        if origin != f"http://{host}" or site not in ("none", "same-origin"):
            return "another origin"
        given = path.split("/")[1] if "/" in path else ""
        if not secrets.compare_digest(given.encode(), self.server.token.encode()):
            return "the address lacks the token; use the one printed by cellapse explore"
        return ""

    def _answer(self, query: str) -> None:
        try:
            settings = Settings.parse(dict(parse_qsl(query)))
            with self.server.lock:
                answer = self.server.explorer.answer(settings)
        except CellapseError as error:
            answer = {"error": str(error)}
        self._send(400 if "error" in answer else 200, "application/json", json.dumps(answer))

    def _send(self, status: int, kind: str, text: str) -> None:
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("X-Frame-Options", "DENY")
        self.send_header("Referrer-Policy", "no-referrer")
        self.send_header("Cross-Origin-Resource-Policy", "same-origin")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Requests are not the user's concern."""
