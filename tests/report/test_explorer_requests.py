"""Whatever is asked of the explorer, it answers in words and stays at hand for the next."""

import contextlib
import json
import os
import socket
import stat
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import Pipe
from urllib.parse import quote

import networkx as nx
import pytest
from answering import Broken, Person
from browser import HANG
from everyday import everyday
from hypothesis import given
from hypothesis import strategies as st

import cellapse as cl
from cellapse._errors import CellapseError
from cellapse.report import server as serving
from cellapse.report import turns as turning
from cellapse.report.explorer import Explorer
from cellapse.report.server import Server, explore
from cellapse.report.settings import Settings
from cellapse.report.turns import TurnEndedError, Turns, converse


@pytest.fixture(scope="module")
def server():
    with Server(Explorer(cl.clique_complex(nx.karate_club_graph(), weight=None))) as running:
        yield running


def raw(server, data):
    """All that comes back for some bytes."""
    with socket.create_connection(("127.0.0.1", server.server_port), timeout=HANG) as link:
        parts = []
        with contextlib.suppress(OSError):  # answered and closed before all was sent
            link.sendall(data)
            link.shutdown(socket.SHUT_WR)
        while part := link.recv(65536):
            parts.append(part)
    return b"".join(parts)


def get(server, path, *headers):
    lines = [f"GET {path} HTTP/1.1", f"Host: {server.host}", "Connection: close", *headers, "", ""]
    answer = raw(server, "\r\n".join(lines).encode("latin-1", errors="replace"))
    head, _, body = answer.partition(b"\r\n\r\n")
    return int(head.split()[1]), body


def asked(server, query):
    return get(server, f"/{server.token}/answer?{query}")


BYTES = {
    "nothing but a line": b"\r\n",
    "no version": b"GET /\r\n\r\n",
    "another protocol": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    "a version that is none": b"GET / HTTP/x.y\r\n\r\n",
    "version 9": b"GET / HTTP/9.9\r\n\r\n",
    "too many words": b"GET / / / HTTP/1.1\r\n\r\n",
    "a long line": b"GET /" + b"a" * 70_000 + b" HTTP/1.1\r\n\r\n",
    "a long header": b"GET / HTTP/1.1\r\nX: " + b"a" * 70_000 + b"\r\n\r\n",
    "many headers": b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 200 + b"\r\n",
    "headers that are none": b"GET / HTTP/1.1\r\n:::\r\n\x00\r\n\r\n",
    "POST": b"POST / HTTP/1.1\r\nContent-Length: 1000000000000\r\n\r\n",
    "a method that is none": b"BREW / HTTP/1.1\r\n\r\n",
    "HEAD": b"HEAD / HTTP/1.1\r\n\r\n",
    "an address that cannot be split": b"GET //[ HTTP/1.1\r\n\r\n",
    "bytes that are no text": b"GET /\xff\xfe\x80 HTTP/1.1\r\n\r\n",
    "zero bytes": b"GET /\x00 HTTP/1.1\r\nHost: \x00\r\n\r\n",
}


@pytest.mark.parametrize("name", BYTES)
def test_any_bytes_get_an_answer(name, server, capfd):
    answer = raw(server, BYTES[name])
    if name not in ("nothing but a line", "another protocol", "no version"):
        assert b" 4" in answer[:20] or b" 5" in answer[:20] or b"GET only" in answer, answer
    assert b"Traceback" not in answer
    assert get(server, f"/{server.token}/")[0] == 200
    assert "Traceback" not in capfd.readouterr().err


QUERIES = [
    "eps=1e-308", "eps=1e308", "eps=nan", "eps=-inf", "eps=-0.0", "eps=0", "beta=1e155", "beta=nan",
    "beta=-1", "gamma=1e-400", "gamma=2", "gamma=nan", "vectors=0", "vectors=1000000000",
    "vectors=-1", "vectors=" + "9" * 5000, "vectors=1.5", "clusters=0", "clusters=99999",
    "clusters=1e3", "realization=x", "realization=", "realization=" + "x" * 1000, "nothing=1",
    "eps", "=", "&&&", "eps=%ff", "%00=%00", "realization=%F0%9F%92%A9", "eps=1_0",
    "&".join(f"a{i}=1" for i in range(1000)),
    *(f"realization={name}&eps=1e-12&beta=1e6&vectors=30" for name in ("unfolded", "mixed")),
]  # fmt: skip


@pytest.mark.parametrize("query", QUERIES, ids=range(len(QUERIES)))
def test_any_settings_get_an_answer(query, server):
    status, body = asked(server, query)
    answer = json.loads(body)
    assert status == (400 if "error" in answer else 200)


@given(st.dictionaries(st.sampled_from(list(Settings.__dataclass_fields__)), st.text(max_size=9)))
def test_words_become_settings_or_an_error(given_words):
    try:
        Settings.parse(given_words)
    except cl.InputError:
        return


def test_an_error_nobody_thought_of_is_an_answer_too():
    with Server(Broken(cl.as_complex(nx.path_graph(4)))) as server:
        status, body = asked(server, "eps=0.5")
        assert (status, b"a mistake of ours" in body) == (400, True)
        assert asked(server, "eps=0.25")[0] == 200


@pytest.fixture
def fifo(tmp_path):
    """A file whose reader waits for its writer, and the writer for its reader."""
    if not hasattr(os, "mkfifo"):
        pytest.skip("no pipes with names")
    os.mkfifo(tmp_path / "fifo")
    return tmp_path / "fifo"


@contextlib.contextmanager
def turns(seconds, answering=None):
    made = Turns(answering or Person(), seconds)
    try:
        yield made
    finally:
        made.close()


def test_a_newer_question_ends_an_older_one(fifo):
    """The older one is in a call that no exception would reach, such as a factorization."""
    with turns(HANG) as line, ThreadPoolExecutor(1) as threads:
        older = threads.submit(line.take, "never", str(fifo))
        fifo.read_text()  # it has begun
        assert line.take("echo", 7) == 7
        with pytest.raises(TurnEndedError, match="newer"):
            older.result(HANG)


def test_an_older_question_that_is_nearly_answered_is_answered(fifo, monkeypatch):
    monkeypatch.setattr(turning, "_GRACE", HANG)
    with turns(HANG) as line, ThreadPoolExecutor(2) as threads:
        older = threads.submit(line.take, "write", str(fifo))
        with fifo.open() as begun:
            newer = threads.submit(line.take, "echo", 7)
            assert begun.read() == "written"
        assert (older.result(HANG), newer.result(HANG)) == ("done", 7)


def test_an_answer_that_takes_too_long_is_ended(fifo):
    with turns(0.0) as line:
        with pytest.raises(TurnEndedError, match="0 seconds"):
            line.take("never", "")
        line._seconds = HANG
        assert line.take("echo", 7) == 7


def test_a_computation_that_is_killed_is_said_in_words_and_another_begins():
    with turns(HANG) as line:
        with pytest.raises(TurnEndedError, match="memory"):
            line.take("die", None)
        assert line.take("echo", 7) == 7


def test_errors_of_a_computation_are_its_answer():
    with turns(HANG) as line:
        with pytest.raises(CellapseError, match=r"^not this one$"):
            line.take("refuse", None)
        with pytest.raises(CellapseError, match="ZeroDivisionError"):
            line.take("fail", None)
        assert line.take("echo", 7) == 7


def test_nothing_is_answered_at_the_end():
    with turns(HANG) as line:
        pass
    with pytest.raises(TurnEndedError, match="ended"):
        line.take("echo", 7)


def test_what_can_be_done_meanwhile_is_done_while_nobody_asks():
    ours, theirs = Pipe()
    person = Person()
    ours.send(("echo", 7))
    ours.close()  # one question, and then nobody is there any more
    with pytest.raises(EOFError):
        converse(Deaf(theirs), person, [("remember", 1), ("refuse", 2), ("remember", 3)])
    assert person.remembered == [1, 3]


class Deaf:
    """A line on which nobody seems to ask, until there is nothing else to do."""

    def __init__(self, line):
        self.recv = line.recv

    def poll(self):
        return False

    def send(self, reply):
        assert reply == (7, "")


def connected(server):
    return socket.create_connection(("127.0.0.1", server.server_port), timeout=HANG)


def test_idle_connections_are_closed(server, monkeypatch):
    monkeypatch.setattr(serving._Handler, "timeout", 0.01)
    with connected(server) as link:
        link.sendall(b"GET / HT")
        while link.recv(1000):  # ends when it is closed, or with an error after HANG
            pass


@pytest.mark.parametrize("begun", [b"G", b"GET / HTTP/1.1\r\nHost: x\r\nX: "])
def test_a_request_that_arrives_byte_by_byte_is_ended_as_a_whole(begun, server, monkeypatch):
    """No single byte is late, and the request never ends."""
    monkeypatch.setattr(serving._Handler, "timeout", 0.5)
    with connected(server) as link:
        link.sendall(begun)
        link.settimeout(0.02)
        for _ in range(3000):  # a minute, if nobody ends it
            try:
                link.sendall(b"x")
                if not link.recv(1000):
                    break
            except TimeoutError:
                continue
            except OSError:
                break
        else:
            raise AssertionError("a byte now and then keeps a connection open for ever")


@pytest.mark.parametrize(
    "begun", everyday((b"", b"G", b"GET / HTTP/1.1\r\nHost: x\r\n"), quick=(b"G",))
)
def test_strangers_do_not_keep_the_owner_out(begun):
    with (
        Server(Explorer(cl.as_complex(nx.path_graph(4)))) as server,
        contextlib.ExitStack() as links,
    ):
        for _ in range(2 * serving._CONNECTIONS):
            link = links.enter_context(connected(server))
            link.sendall(begun)
        for _ in range(3):
            assert get(server, f"/{server.token}/")[0] == 200
        assert get(server, "/")[0] == 403
        assert len(server.rooms._strangers) <= serving._CONNECTIONS


def test_a_connection_without_the_token_is_closed_after_its_answer(server):
    with connected(server) as link:
        link.sendall(f"GET / HTTP/1.1\r\nHost: {server.host}\r\n\r\n".encode())
        answer = b""
        while part := link.recv(65536):
            answer += part
    assert b" 403 " in answer


def test_connections_with_the_token_are_bounded():
    with Server(Explorer(cl.as_complex(nx.path_graph(4)))) as server:
        asking = f"GET /{server.token}/nothing HTTP/1.1\r\nHost: {server.host}\r\n\r\n".encode()

        def answered(link):
            link.sendall(asking)
            answer = b""
            while not answer.endswith(b"nothing here"):
                part = link.recv(65536)
                assert part, answer  # closed
                answer += part
            return b" 404 " in answer

        links = []
        for _ in range(serving._CONNECTIONS):
            links.append(connected(server))
            assert answered(links[-1])  # taken, and kept open
        assert answered(links[0])  # whoever is in may ask again
        assert get(server, f"/{server.token}/")[0] == 503
        for link in links:
            link.close()
        while get(server, f"/{server.token}/")[0] == 503:  # until it has noticed
            pass


def test_the_token_is_not_among_the_words_a_browser_is_started_with(monkeypatch):
    shown, found = [], {}

    def look(uri):
        shown.append(uri)
        file = serving.Path(uri.removeprefix("file://"))
        found["mode"], found["text"] = stat.S_IMODE(file.stat().st_mode), file.read_text()
        found["file"] = file

    monkeypatch.setattr(serving.webbrowser, "open", look)
    monkeypatch.setattr(serving, "wait", lambda: None)
    server = Server(Explorer(cl.as_complex(nx.path_graph(4))))
    explore(server, lambda address: None)
    assert server.token not in shown[0]
    assert server.address in found["text"]
    assert found["mode"] == 0o600
    assert not found["file"].exists()


def test_the_page_may_be_opened_from_a_file_but_not_asked_from_elsewhere(server):
    opened = ("Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate")
    assert get(server, f"/{server.token}/", *opened)[0] == 200
    assert get(server, f"/{server.token}/", opened[0], "Sec-Fetch-Mode: no-cors")[0] == 403
    assert get(server, f"/{server.token}/answer?eps=1", *opened)[0] == 403
    assert get(server, f"/{quote('x')}/", *opened)[0] == 403


@pytest.mark.parametrize("n", [1, 3])
def test_a_complex_without_edges_is_explored(n):
    for K in (cl.Complex.from_arrays(n, {}), cl.Complex.from_arrays(n, {1: []})):
        answer = Explorer(K).answer(Settings())
        assert "error" in answer or len(answer["clusters"]["values"]) == n
        with Server(Explorer(K)) as server:
            assert get(server, f"/{server.token}/")[0] == 200
