"""The explorer as a page on this machine: loopback only, a token in the address.

A request without the token, for another host or from another origin is refused, so that no other
page in the same browser can ask questions; the page itself may talk to nothing else. Through an SSH
tunnel the port may be another one, but the host is still this machine.

Whoever connects without the token is a stranger: with too many of them, the one that has been there
longest is closed, so that strangers never keep the owner out.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import secrets
import socket
import tempfile
import threading
import time
import webbrowser
from collections.abc import Callable, Iterator
from html import escape
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from cellapse._collapse.realizations import REALIZATIONS
from cellapse._errors import CellapseError, InputError
from cellapse._shared.checks import whole_number
from cellapse._shared.tables import csv_text
from cellapse.report.explorer import Explorer
from cellapse.report.markup import as_json, page
from cellapse.report.settings import Settings
from cellapse.report.summary import cell_counts
from cellapse.report.turns import Turns

_SECONDS = 30.0  # for an answer that no newer question ends
_IDLE = 30.0  # for a whole request to arrive; a reader who looks asks again on a new connection
_CONNECTIONS = 32  # at once, of strangers and of those with the token; a browser has six
_FIELDS = 20  # in the address of a question
_HERE = ("127.0.0.1", "localhost")  # what this machine is called, also at the end of a tunnel
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
    allow_reuse_address = os.name == "posix"  # Windows would share the port with other programs

    def __init__(self, explorer: Explorer, port: int = 0) -> None:
        port = whole_number("port", port, 0, 65535)
        try:
            super().__init__(("127.0.0.1", port), _Handler)
        except OSError as error:
            raise InputError(
                f"port {port} cannot be used ({error.strerror or error}); choose another, or 0 "
                "for any that is free"
            ) from None
        self.explorer = explorer
        self.token = secrets.token_urlsafe(24)
        self.rooms = _Rooms()
        self.text = explorer_html(explorer)
        # While the reader looks at the first realization, make the matrices of the others.
        quick = sum(explorer.complex.n_cells) < _QUICK
        self.turns = Turns(
            explorer, _SECONDS, [("prepare", name) for name in REALIZATIONS if quick]
        )

    @property
    def host(self) -> str:
        """Name and port, as a browser writes them."""
        return f"127.0.0.1:{self.server_port}"

    @property
    def address(self) -> str:
        """Where the page is, token and all."""
        return f"http://{self.host}/{self.token}/"

    def __enter__(self) -> Server:
        self.turns.begin()
        threading.Thread(target=self.serve_forever, daemon=True).start()
        return self

    def process_request(self, request: Any, client_address: Any) -> None:
        """Give every connection a thread; it is a stranger until it shows the token."""
        self.rooms.enter(request)
        super().process_request(request, client_address)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            self.rooms.leave(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A reader who leaves in the middle is no concern of the terminal."""

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self.server_close()
        self.turns.close()


class _Rooms:
    """The connections there are: strangers, and those that have shown the token."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._strangers: dict[socket.socket, None] = {}  # the one that came first is the first
        self._known: set[socket.socket] = set()

    def enter(self, link: socket.socket) -> None:
        """Let a stranger in; with too many of them, the first has to go."""
        with self._lock:
            first = next(iter(self._strangers)) if len(self._strangers) >= _CONNECTIONS else None
            if first is not None:
                del self._strangers[first]
                with contextlib.suppress(OSError):  # it may be leaving by itself
                    first.shutdown(socket.SHUT_RDWR)
            self._strangers[link] = None

    def recognize(self, link: socket.socket) -> bool:
        """Return whether there is room for this connection among those with the token."""
        with self._lock:
            if link not in self._known and len(self._known) >= _CONNECTIONS:
                return False
            self._strangers.pop(link, None)
            self._known.add(link)
            return True

    def leave(self, link: socket.socket) -> None:
        with self._lock:
            self._strangers.pop(link, None)
            self._known.discard(link)


class _Arriving(io.RawIOBase):
    """What a connection sends, until a moment that no further byte puts off."""

    def __init__(self, link: socket.socket) -> None:
        self._link, self._until = link, 0.0

    def expect(self, seconds: float) -> None:
        """Begin a request, which has to be complete after so many seconds."""
        self._until = time.monotonic() + seconds

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        left = self._until - time.monotonic()
        if left <= 0.0:
            raise TimeoutError("the request did not arrive in time")
        before = self._link.gettimeout()
        self._link.settimeout(left)
        try:
            return self._link.recv_into(buffer)
        finally:
            self._link.settimeout(before)


def explore(server: Server, tell: Callable[[str], object], open_page: bool = True) -> None:
    """Serve until interrupted; `tell` is called with the address."""
    with server, contextlib.suppress(KeyboardInterrupt):
        tell(server.address)
        with _signpost(server.address) if open_page else contextlib.nullcontext() as file:
            if file is not None:
                webbrowser.open(file.as_uri())
            wait()


@contextlib.contextmanager
def _signpost(address: str) -> Iterator[Path]:
    """Yield a page that only this user can read and that leads to the address.

    The browser is started with its name: an address would show its token in the list of processes.
    """
    handle, name = tempfile.mkstemp(prefix="cellapse-", suffix=".html")
    file = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as opened:
            opened.write(
                '<!DOCTYPE html><meta charset="utf-8"><meta name="referrer" content="no-referrer">'
                f'<meta http-equiv="refresh" content="0; url={escape(address)}">'
                f'<a href="{escape(address)}">cellapse explore</a>'
            )
        yield file
    finally:
        file.unlink(missing_ok=True)


def explorer_html(explorer: Explorer, host: str = "") -> str:
    """Return the page as text; with the key of a host it is a frame that asks what is around it."""
    parts = {
        "title": escape(explorer.title),
        "subtitle": escape(cell_counts(explorer.complex)),
        "data": as_json(explorer.start() | {"hosted": host}),
    }
    return page("explore.html", SCRIPTS, parts, connect="" if host else "'self'")


class _Handler(BaseHTTPRequestHandler):
    server: Server
    server_version, sys_version = "cellapse", ""
    protocol_version = "HTTP/1.1"
    timeout = _IDLE

    def setup(self) -> None:
        super().setup()
        self._arriving = _Arriving(self.connection)
        self.rfile = io.BufferedReader(self._arriving)

    def handle_one_request(self) -> None:
        self._arriving.expect(self.timeout)
        super().handle_one_request()

    def do_GET(self) -> None:
        try:
            status, kind, text = self._reply()
        except Exception as error:  # any request whatever gets an answer
            status, kind = 400, "text/plain"
            text = f"this request cannot be answered ({type(error).__name__}: {error})"
        self._send(status, kind, text)

    def _reply(self) -> tuple[int, str, str]:
        address = urlsplit(self.path)
        refusal = self._refusal(address.path)
        if refusal:
            self.close_connection = True
            return 403, "text/plain", refusal
        if not self.server.rooms.recognize(self.connection):
            self.close_connection = True
            return 503, "text/plain", "too many connections; close some"
        if address.path == f"/{self.server.token}/":
            return 200, "text/html", self.server.text
        if address.path == f"/{self.server.token}/answer":
            return self._answer(address.query)
        if address.path in [f"/{self.server.token}/clusters.{end}" for end in ("csv", "json")]:
            return self._file(address.path.endswith("csv"), address.query)
        return 404, "text/plain", "nothing here"

    def _refusal(self, path: str) -> str:
        """Return why this request is none of ours, or nothing."""
        host = self.headers.get("Host", "")
        origin = self.headers.get("Origin", f"http://{host}")
        site = self.headers.get("Sec-Fetch-Site", "none")
        if host.rpartition(":")[0] not in _HERE:
            return "unknown host"
        # The page itself is opened from a file of ours, which to a browser is another site.
        opened = self.headers.get("Sec-Fetch-Mode") == "navigate" and path.endswith("/")
        if origin != f"http://{host}" or not (opened or site in ("none", "same-origin")):
            return "another origin"
        given = path.split("/")[1] if "/" in path else ""
        if not secrets.compare_digest(given.encode(), self.server.token.encode()):
            return "the address lacks the token; use the one printed by cellapse explore"
        return ""

    def _answer(self, query: str) -> tuple[int, str, str]:
        try:
            settings = Settings.parse(dict(parse_qsl(query, max_num_fields=_FIELDS)))
            answer = self.server.turns.take("answer", settings)
        except ValueError as error:  # too many fields, or an InputError
            answer = {"error": str(error)}
        except CellapseError as error:
            answer = {"error": str(error)}
        answer.pop("nodes", None)  # of all vertices; the page draws some of them
        return 400 if "error" in answer else 200, "application/json", json.dumps(answer)

    def _file(self, csv: bool, query: str) -> tuple[int, str, str]:
        """Return the clusters of all vertices, to be kept."""
        settings = Settings.parse(dict(parse_qsl(query, max_num_fields=_FIELDS)))
        columns = self.server.turns.take("table", settings)
        if not csv:
            return 200, "application/json", json.dumps(columns) + "\n"
        rows = [list(columns), *zip(*columns.values(), strict=True)]
        return 200, "text/csv", csv_text(rows)

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Say in a sentence what the parser of requests refuses."""
        self.close_connection = True
        what = message or HTTPStatus(code).phrase
        status = code if code in (408, 414, 431, 501, 505) else 400
        self._send(status, "text/plain", f"{what}; the page asks with GET only")

    def _send(self, status: int, kind: str, text: str) -> None:
        body = text.encode(errors="replace")
        self.send_response(status)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("X-Frame-Options", "DENY")
        self.send_header("Referrer-Policy", "no-referrer")
        self.send_header("Cross-Origin-Resource-Policy", "same-origin")
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Requests are not the user's concern."""
