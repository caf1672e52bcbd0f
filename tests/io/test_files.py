"""Nothing is lost: a full disk or a kill leaves the old file or the new one, and nothing else."""

import errno
import os
import random
import signal
import stat
import sys

import pytest
from everyday import everyday
from file_writers import WRITERS, contents

import cellapse as cl
from cellapse._shared import files
from cellapse._shared.files import make_folder, replacing, write_whole
from cellapse._shared.tables import csv_text, plain_word, safe_word

pytestmark = pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
posix = pytest.mark.skipif(os.name != "posix", reason="files are otherwise on Windows")


def in_child(work):
    """Run `work` in a forked process; returns the signal that ended it, or 0."""
    child = os.fork()
    if not child:
        try:
            work()
        finally:
            os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def leftovers(folder):
    return [p.name for p in folder.iterdir() if p.name.startswith(".cellapse-")]


@pytest.fixture(params=WRITERS)
def kind(request, tmp_path):
    """A file of each kind with its old content, how to write the new one, and both contents."""
    both = contents(request.param, tmp_path)
    folder = tmp_path / "here"
    folder.mkdir()
    path = folder / request.param
    path.write_bytes(both["old"])
    return path, lambda: WRITERS[request.param](path, "new"), both


def test_a_write_replaces_the_file_and_leaves_nothing(kind):
    path, write, both = kind
    write()
    assert path.read_bytes() == both["new"]
    assert os.listdir(path.parent) == [path.name]


def test_a_full_disk_leaves_the_old_file(kind, monkeypatch):
    path, write, both = kind

    def full(handle):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(files.os, "fsync", full)
    with pytest.raises(cl.InputError, match="No space left"):
        write()
    assert path.read_bytes() == both["old"]
    assert os.listdir(path.parent) == [path.name]


@needs_fork
def test_a_disk_that_fills_up_while_writing_leaves_the_old_file(kind):
    path, write, both = kind

    def limited():
        import resource

        resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
        try:
            write()
        except cl.InputError as error:
            os._exit(7 if "unchanged" in str(error) else 8)

    assert in_child(limited) == 7
    assert path.read_bytes() == both["old"]
    assert os.listdir(path.parent) == [path.name]


@needs_fork
@pytest.mark.parametrize(
    "moment", everyday(("writing", "fsync", "replace", "after"), quick=("writing", "after"))
)
def test_a_kill_leaves_the_old_file_or_the_new_one(kind, moment):
    path, write, both = kind

    def killed():
        if moment == "writing":  # by the kernel, at the hundredth byte
            import resource

            signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
            resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
        elif moment == "after":
            files._flush_folder = lambda folder: os.kill(os.getpid(), signal.SIGKILL)
        else:
            setattr(os, moment, lambda *_: os.kill(os.getpid(), signal.SIGKILL))
        write()

    assert in_child(killed) < 0
    assert path.read_bytes() == both["new" if moment == "after" else "old"]


class Calls:
    """Counts the calls of functions, those of C too, and kills the process at one of them."""

    def __init__(self, last=None):
        self.count, self.last = 0, last

    def __call__(self, *_):
        self.count += 1
        if self.count == self.last:
            os.kill(os.getpid(), signal.SIGKILL)


@needs_fork
@pytest.mark.slow
def test_two_hundred_kills_at_any_moment(kind):
    """Before or after any call of a function, drawn at random: no clock has a part in it."""
    path, write, both = kind
    write()  # whatever is made once is made before
    calls = Calls()
    sys.setprofile(calls)
    write()
    sys.setprofile(None)
    rng = random.Random(path.name)
    for _ in range(200):
        path.write_bytes(both["old"])

        def killed():
            sys.setprofile(Calls(rng.randint(1, calls.count - 100)))
            write()

        assert in_child(killed) == -signal.SIGKILL
        assert path.read_bytes() in both.values()


def test_what_a_killed_writer_left_goes_an_hour_later(tmp_path):
    path = tmp_path / "a.csv"
    left = tmp_path / f"{files._prefix(path)}0badcafe"
    assert left.name.startswith(".cellapse-")
    left.write_text("half")
    write_whole(path, "new")
    assert left.exists()  # its writer may still be at work
    os.utime(left, (1, 1))
    write_whole(path, "newer")
    assert not leftovers(tmp_path)


@posix
def test_permissions_are_kept_and_new_files_follow_the_umask(tmp_path):
    path = tmp_path / "a"
    old = os.umask(0o027)
    try:
        write_whole(path, "x")
    finally:
        os.umask(old)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    path.chmod(0o604)
    write_whole(path, "y")
    assert stat.S_IMODE(path.stat().st_mode) == 0o604


@posix
def test_a_link_stays_and_its_target_is_replaced(tmp_path):
    (tmp_path / "far").mkdir()
    target, link = tmp_path / "far" / "target", tmp_path / "link"
    target.write_text("old")
    link.symlink_to(target)
    write_whole(link, "new")
    assert link.is_symlink()
    assert target.read_text() == "new"


@posix
def test_devices_are_written_to_as_they_are(tmp_path):
    write_whole("/dev/null", "x")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)
    if os.path.exists("/dev/full"):
        with pytest.raises(cl.InputError, match="No space"):
            write_whole("/dev/full", "x" * 100_000)


def test_an_error_of_whoever_fills_the_file_goes_through(tmp_path):
    with pytest.raises(KeyError), replacing(tmp_path / "a") as file:
        file.write({}[b"half"])
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "name", ["x" * 300, "a\0b", "no/such/folder", "\ud800", "x" * 255 + "/y", "folder/"]
)
def test_bad_names_are_said_in_words(name, tmp_path):
    (tmp_path / "folder").mkdir()
    with pytest.raises(cl.InputError):
        write_whole(f"{tmp_path}/{name}", "x")
    for suffix in ("", ".json"):
        with pytest.raises(cl.InputError):
            cl.read(f"{tmp_path}/{name}{suffix}")
    assert os.listdir(tmp_path) == ["folder"]


def test_a_name_as_long_as_names_can_be(tmp_path):
    write_whole(tmp_path / ("x" * 255), "y")


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write everywhere")
def test_locked_folders_and_files_are_said_in_words(tmp_path):
    file = tmp_path / "a"
    file.write_text("old")
    file.chmod(0o444)
    with pytest.raises(cl.InputError):
        write_whole(file, "new")
    tmp_path.chmod(0o555)
    for work in (lambda: write_whole(tmp_path / "b", ""), lambda: make_folder(tmp_path)):
        with pytest.raises(cl.InputError):
            work()
    tmp_path.chmod(0o755)


def test_a_folder_is_made_with_those_above_it(tmp_path):
    assert make_folder(tmp_path / "a" / "b") == tmp_path / "a" / "b"
    assert make_folder(tmp_path / "a" / "b").is_dir()


def test_half_a_character_is_shown_with_what_is_around_it(tmp_path):
    text = "x" * 50 + "before \ud800 behind" + "y" * 50
    with pytest.raises(cl.InputError, match="ud800") as caught:
        write_whole(tmp_path / "a", text)
    assert len(str(caught.value)) < 250
    assert not list(tmp_path.iterdir())


def test_new_files_cannot_be_run(tmp_path):
    assert not os.access(write_whole(tmp_path / "a", "x"), os.X_OK)


def test_a_folder_that_cannot_be_made_is_said_in_words(tmp_path):
    (tmp_path / "file").write_text("")
    for name in ("file", "file/below", "a\0b", "x" * 300):
        with pytest.raises(cl.InputError, match="folder"):
            make_folder(os.path.join(tmp_path, name))


@pytest.mark.parametrize("word", ["=1+1", "+a", "-a", "@x", "'=x", "''@", "-", "+", "=", "@"])
def test_formulas_are_marked_and_unmarked(word):
    assert safe_word(word) == "'" + word
    assert plain_word(safe_word(word)) == word


@pytest.mark.parametrize("word", ["-1", "+1.5", "-.5e-3", "a", "'tis", "", "1-2", "-inf"])
def test_numbers_and_words_are_not_marked(word):
    assert safe_word(word) == plain_word(word) == word


def test_carriage_returns_are_quoted():
    assert csv_text([["a\rb"]]) == '"a\rb"\n'
