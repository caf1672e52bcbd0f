"""The lock of the tools of the tests names everything they need, and installs on any machine."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
LOCKED = (ROOT / "requirements" / "dev.lock").read_text().splitlines()[1:]


def normal(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def test_each_line_is_one_version_that_every_machine_can_find():
    for line in LOCKED:
        # no "+cpu", no address, no path, no hash
        assert re.fullmatch(r"[A-Za-z0-9_.-]+==[0-9A-Za-z.]+", line), line
        assert not line.startswith(("nvidia", "cuda", "triton")), line


def test_a_check_asks_for_part_of_what_all_tests_need():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    assert set(extras["check"]) <= set(extras["dev"])


def test_all_that_is_asked_for_is_locked():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    asked = [
        *project["build-system"]["requires"],
        *project["project"]["dependencies"],
        *project["project"]["optional-dependencies"]["dev"],
        *project["project"]["optional-dependencies"]["docs"],
    ]
    names = {normal(re.match(r"[A-Za-z0-9_.-]+", wanted)[0]) for wanted in asked}
    assert names <= {normal(line.split("==")[0]) for line in LOCKED}, "run: make lock"
