"""Whatever is asked of the explorer, it answers in words and stays at hand for the next."""

import contextlib
import json
import socket
import stat
import threading
import time
from urllib.parse import quote

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cellapse as cl
from cellapse._errors import CellapseError
from cellapse.report import server as serving
from cellapse.report.explorer import Explorer
from cellapse.report.server import Server, explore
from cellapse.report.settings import Settings
from cellapse.report.turns import TurnEndedError, Turns


@pytest.fixture(scope="module")
def server():
    with Server(Explorer(cl.clique_complex(nx.karate_club_graph()))) as running:
        yield running


def raw(server, data, wait=5.0):
    """All that comes back for some bytes."""
    with socket.create_connection(("127.0.0.1", server.server_port), timeout=wait) as link:
        parts = []
        with contextlib.suppress(OSError):  # answered and closed before all was sent
            link.sendall(data)
            link.shutdown(socket.SHUT_WR)
        while part := link.recv(65536):
            parts.append(part)
    return b"".join(parts)


def get(server, path, *headers):
    lines = [f"GET {path} HTTP/1.1", f"Host: {server.host}", "Connection: close", *headers, "", ""]
    answer = raw(server, "\r\n".join(lines).encode("latin-1", errors="replace"), wait=30)
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


def test_an_error_nobody_thought_of_is_an_answer_too(server, monkeypatch):
    def broken(settings):
        raise ZeroDivisionError("a mistake of ours")

    monkeypatch.setattr(server.explorer, "answer", broken)
    status, body = asked(server, "eps=0.5")
    assert (status, b"a mistake of ours" in body) == (400, True)
    monkeypatch.undo()
    assert asked(server, "eps=0.25")[0] == 200


def spin():
    while True:
        time.sleep(0.001)


def test_a_newer_question_ends_an_older_one():
    turns, told = Turns(60.0), []

    def older():
        with pytest.raises(TurnEndedError, match="newer"):
            turns.take(spin)
        told.append(True)

    thread = threading.Thread(target=older)
    thread.start()
    time.sleep(0.1)
    assert turns.take(lambda: 7) == 7
    thread.join(5)
    assert told == [True]


def test_an_answer_that_takes_too_long_is_ended():
    turns = Turns(0.2)
    with pytest.raises(TurnEndedError, match=r"0\.2 seconds"):
        turns.take(spin)
    assert turns.take(lambda: 7) == 7


def test_what_cannot_be_ended_keeps_nobody_waiting():
    """A factorization is one call of a library: here a wait that no exception reaches."""
    turns, go_on = Turns(0.2), threading.Event()
    with pytest.raises(TurnEndedError, match=r"more than 0\.2 seconds"):
        turns.take(lambda: go_on.wait(30))
    with pytest.raises(TurnEndedError, match="cannot be stopped in the middle"):
        turns.take(lambda: 7)
    go_on.set()
    while True:  # until the library has come back
        with contextlib.suppress(TurnEndedError):
            assert turns.take(lambda: 7) == 7
            break


def test_errors_of_a_computation_are_its_answer():
    def fails():
        raise cl.InputError("not this one")

    with pytest.raises(cl.InputError, match="not this one"):
        Turns(5.0).take(fails)
    assert issubclass(TurnEndedError, CellapseError)


def test_idle_connections_are_closed(server, monkeypatch):
    monkeypatch.setattr(serving._Handler, "timeout", 0.2)
    with socket.create_connection(("127.0.0.1", server.server_port), timeout=5) as link:
        link.sendall(b"GET / HT")
        begun = time.monotonic()
        while link.recv(1000):
            pass
        assert time.monotonic() - begun < 4


def test_connections_are_bounded():
    with Server(Explorer(cl.as_complex(nx.path_graph(4)))) as server:
        address = ("127.0.0.1", server.server_port)
        links = [socket.create_connection(address, timeout=5) for _ in range(serving._CONNECTIONS)]
        time.sleep(0.3)
        assert b"503" in raw(server, b"GET / HTTP/1.1\r\n\r\n")
        for link in links:
            link.close()
        time.sleep(0.3)
        assert get(server, f"/{server.token}/")[0] == 200


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
