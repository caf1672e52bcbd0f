"""Windows and macOS have neither /proc nor all of the standard library: nothing here needs it.

No such machine is asked: what they lack is taken away in a process of its own, and what would go
wrong there is looked for in the source. `cellapse.scale` runs under MPI, on Linux.
"""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

import cellapse as cl

PACKAGE = Path(cl.__file__).parent
SOURCES = [p for p in sorted(PACKAGE.rglob("*.py")) if p.relative_to(PACKAGE).parts[0] != "scale"]
POSIX = {"curses", "fcntl", "grp", "pty", "pwd", "readline", "resource", "syslog", "termios", "tty"}
WINDOWS = """
import builtins, os, signal, sys

for name in %s:
    sys.modules[name] = None
for name in ("fork", "sysconf", "chown", "geteuid", "getuid", "mkfifo", "sched_getaffinity"):
    delattr(os, name)
for name in ("SIGKILL", "SIGALRM", "SIGPIPE", "SIGHUP", "SIGUSR1", "alarm", "setitimer"):
    delattr(signal, name)
real = builtins.open

def opened(file, *args, **options):
    if str(file).startswith(("/proc", "/sys")) and not str(file).endswith("maps"):  # of others
        raise FileNotFoundError(2, "No such file or directory", file)
    return real(file, *args, **options)

builtins.open = opened
import cellapse as cl
"""
USES = """
import networkx as nx
G = nx.karate_club_graph()
K = cl.clique_complex(G)
for name in ("k.json", "k.npz", "g.csv", "g.graphml", "g.gml"):
    cl.write(K if name[0] == "k" else cl.as_complex(G), name)
    assert cl.read(name).n_cells[1] == G.number_of_edges(), name
S = cl.collapse(K)
assert S.spectrum(3).values[0] == 0.0
assert len(cl.batch.spectra([K, K], k=3)) == 2
assert len(cl.cluster(S, 2)) == 34
assert cl._shared.memory.available_memory() > 10**15  # not known here: nothing is refused
"""


def nodes(kind):
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, kind):
                yield path.relative_to(PACKAGE).as_posix(), node


def imported(statement):
    if isinstance(statement, ast.Import):
        return {alias.name.split(".")[0] for alias in statement.names}
    return {(statement.module or "").split(".")[0]} if not statement.level else set()


def test_no_module_needs_what_only_some_systems_have():
    for path in SOURCES:
        for statement in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(statement, ast.Import | ast.ImportFrom):
                assert not imported(statement) & POSIX, path


def test_text_has_the_same_encoding_everywhere():
    for name, call in nodes(ast.Call):
        called = getattr(call.func, "attr", getattr(call.func, "id", ""))
        given = {word.arg for word in call.keywords}
        if called in ("read_text", "write_text"):
            assert "encoding" in given, (name, call.lineno)
        elif called == "open" and isinstance(call.func, ast.Name):
            modes = [a.value for a in call.args[1:] if isinstance(a, ast.Constant)]
            assert "encoding" in given or any("b" in str(m) for m in modes), (name, call.lineno)


@pytest.mark.slow
def test_files_spectra_and_reports_without_what_windows_lacks(tmp_path):
    code = WINDOWS % sorted(POSIX) + USES
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, check=False
    )
    assert not done.returncode, done.stderr[-2000:]


@pytest.mark.slow
@pytest.mark.parametrize("encoding", ["cp1252", "ascii"])
def test_the_command_line_speaks_to_consoles_that_know_few_letters(encoding, tmp_path):
    (tmp_path / "net.csv").write_text("source,target\nΩ,π\nπ,é\né,Ω\n", encoding="utf-8")
    code = WINDOWS % sorted(POSIX) + "\nfrom cellapse.cli import main; main()"
    for words in ("info net.csv", "analyze net.csv -o out", "cluster net.csv -k 2", "--help"):
        done = subprocess.run(
            [sys.executable, "-c", code, *words.split()],
            capture_output=True,
            env=environment(encoding),
            cwd=tmp_path,
            check=False,
        )
        assert not done.returncode, done.stderr[-2000:]


def environment(encoding):
    return os.environ | {"PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"}
