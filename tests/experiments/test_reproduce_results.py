"""Results of `reproduce`: changed ones are noticed, and what goes wrong is said in words."""

import errno
import json
import os
import signal
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest
from browser import HANG

import cellapse as cl
from cellapse.experiments.protocol.runner import Run, finished, perform, perform_all


def square(x):
    return {"square": x * x, "by name": {"2": [0.1, None, float("nan")]}}


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("49", "50"),
        lambda text: text.replace("0.1", "0.10001"),
        lambda text: text[: len(text) // 2],
        lambda text: "",
        lambda text: "null",
        lambda text: text.replace('"checksum"', '"nothing"'),
        lambda text: text.replace('"result"', '"nothing"'),
    ],
)
def test_a_changed_result_is_noticed_and_computed_again(change, tmp_path):
    run = Run("table", square, {"x": 7})
    perform(run, tmp_path)
    assert finished(run, tmp_path)["square"] == 49
    file = run.file(tmp_path)
    written = file.read_text()
    file.write_text(change(written))
    assert finished(run, tmp_path) is None
    (done,) = perform_all([run], tmp_path)
    assert done[1]["square"] == 49
    again = json.loads(file.read_text())
    assert str({**again, "seconds": 0}) == str({**json.loads(written), "seconds": 0})


def ends_itself(x):
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_killed_worker_is_said_in_words(tmp_path):
    runs = [Run("table", ends_itself, {"x": 1})]
    with (
        ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool,
        pytest.raises(cl.CellapseError, match="outside"),
    ):
        list(perform_all(runs, tmp_path, pool))


def test_a_full_disk_is_said_in_words(tmp_path, monkeypatch):
    def full(handle):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("cellapse._shared.files.os.fsync", full)
    with pytest.raises(cl.CellapseError, match="No space left"):
        list(perform_all([Run("table", square, {"x": 7})], tmp_path))


@pytest.mark.skipif(not Path("/proc").exists(), reason="reads /proc")
def test_workers_end_with_their_parent(tmp_path):
    script = tmp_path / "parent.py"
    script.write_text(
        "import os, signal\n"
        "from concurrent.futures import ProcessPoolExecutor\n"
        "from multiprocessing import get_context\n"
        "from cellapse.experiments.main import _begin_worker\n"
        "if __name__ == '__main__':\n"
        "    pool = ProcessPoolExecutor(1, mp_context=get_context('spawn'),\n"
        "                               initializer=_begin_worker)\n"
        "    print(pool.submit(os.getpid).result(), flush=True)\n"
        "    pool.submit(signal.pause)\n"
        "    signal.pause()\n"
    )
    parent = subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True)
    worker = int(parent.stdout.readline())
    assert alive(worker)
    parent.kill()
    # All of its processes write there: the end comes when the last of them has ended.
    assert parent.communicate(timeout=HANG) == ("", None)
    assert not alive(worker)


def alive(process):
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"
