"""What a release is made of says the same as `pyproject.toml` and the `Makefile`.

`make release` tries it; here nothing is built or installed.
"""

import re
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
if not (ROOT / ".github").exists():
    pytest.skip("tests run outside a checkout", allow_module_level=True)

PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT = PYPROJECT["project"]
EXTRAS = PROJECT["optional-dependencies"]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
PYTHONS = re.findall(r"Python :: (3\.\d+)", "\n".join(PROJECT["classifiers"]))
TARGETS = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M)


def read(path):
    return yaml.safe_load((ROOT / path).read_text(encoding="utf-8"))


def lowest(requirements):
    """The name of each library, as package indexes compare names, and the lowest version."""
    found = {}
    for requirement in requirements:
        name, version = re.match(r"([\w-]+)(?:\[.*\])? ?>=([\w.]+)", requirement).groups()
        number = tuple(map(int, re.findall(r"\d+", version)))
        key = name.lower().replace("_", "-")
        found[key] = max(found.get(key, ()), number)
    return found


def test_the_recipe_needs_what_the_package_needs():
    """On all systems at once: of a library that needs more on one of them, the higher version."""
    recipe = read("recipe/recipe.yaml")
    needed = [r for r in recipe["requirements"]["run"] if not r.startswith("python ")]
    assert lowest(needed) == lowest(PROJECT["dependencies"])
    built_with = [r for r in recipe["requirements"]["host"] if ">=" in r]
    assert lowest(built_with) == lowest(PYPROJECT["build-system"]["requires"])
    assert f">={recipe['context']['python_min']}" == PROJECT["requires-python"]


def test_the_recipe_describes_the_package():
    recipe = read("recipe/recipe.yaml")
    commands = dict(line.split(" = ") for line in recipe["build"]["python"]["entry_points"])
    assert commands == PROJECT["scripts"]
    assert recipe["about"]["summary"] == PROJECT["description"]
    assert recipe["about"]["license"] == PROJECT["license"]
    assert recipe["about"]["license_file"] == PROJECT["license-files"]
    assert all((ROOT / file).exists() for file in PROJECT["license-files"])
    version = re.search(r'= "(.+)"', (ROOT / "src/cellapse/_version.py").read_text())[1]
    assert recipe["context"]["version"] == version
    assert read("CITATION.cff")["version"] == version


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_calls_what_there_is(path):
    text = path.read_text(encoding="utf-8")
    for target in re.findall(r"run: make ([a-z-]+)", text):
        assert target in TARGETS
    for file in re.findall(r"run: (?:bash|sh|python) ([\w./]+)", text):
        assert (ROOT / file).exists(), file
    for extra in re.findall(r"\[([a-z]+)\]\"", text):
        assert extra in EXTRAS
    for job in yaml.safe_load(text)["jobs"].values():
        assert job.get("needs", "rehearse") in yaml.safe_load(text)["jobs"] or "needs" not in job


def test_the_workflows_try_each_python_on_each_system():
    matrix = read(".github/workflows/tests.yml")["jobs"]["check"]["strategy"]["matrix"]
    assert matrix["python"] == PYTHONS
    assert matrix["os"] == ["ubuntu-latest", "macos-latest", "windows-latest"]
    rehearsed = re.search(r"python-version: \|\n((?: +3\.\d+\n)+)", WORKFLOWS[0].read_text())[1]
    assert sorted(rehearsed.split(), key=PYTHONS.index) == PYTHONS
    assert PROJECT["requires-python"] == f">={PYTHONS[0]}"


def test_hooks_use_the_versions_of_the_checks():
    (hooks,) = (repo["hooks"] for repo in read(".pre-commit-config.yaml")["repos"])
    for hook in hooks:
        assert set(hook.get("additional_dependencies", [])) <= set(EXTRAS["check"]), hook["id"]
        made = re.fullmatch(r"make ([a-z-]+)", hook["entry"])
        assert made is None or made[1] in TARGETS


def test_every_extra_of_users_is_tried():
    text = (ROOT / "tools" / "try_extras.py").read_text(encoding="utf-8")
    tried = re.findall(r"\w+", text.partition("TRIES = ")[2].partition("\n)\n")[0])
    inside = re.search(r"\[(.*)\]", EXTRAS["all"][0])[1].split(",")
    assert sorted(tried) == sorted(inside)


def test_what_an_index_shows_has_no_links_to_the_sources():
    """The fragments and substitutions of `pyproject.toml`, which the build applies."""
    hook = PYPROJECT["tool"]["hatch"]["metadata"]["hooks"]["fancy-pypi-readme"]
    shown = ""
    for fragment in hook["fragments"]:
        if "path" not in fragment:
            shown += fragment["text"]
            continue
        text = (ROOT / fragment["path"]).read_text(encoding="utf-8")
        begun = text.index(fragment["start-at"])
        shown += text[begun : text.index(fragment["end-before"], begun)]
    for change in hook["substitutions"]:
        shown = re.sub(change["pattern"], change["replacement"], shown)
    assert len(shown.splitlines()) > 40
    assert re.search(r"^pip install cellapse +#", shown, re.M)
    assert "make demo" not in shown
    for link in re.findall(r"\]\(([^)]+)\)|(?:src|href)=\"([^\"]+)", shown):
        assert "".join(link).startswith("http"), link
