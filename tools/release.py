"""Rehearse a release: everything that has to hold before an upload, and nothing is uploaded.

    python tools/release.py 0.1.0 python3.11 python3.12 python3.13

After `make dist`. The first Python gets every extra, the others the package alone. What cannot be
tried here is said at the end.
"""

import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
DIST = ROOT / "dist"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
SYSTEMS = ("linux", "aarch64-unknown-linux-gnu", "macos", "windows")
PYTHONS = re.findall(r"Python :: (3\.\d+)", "\n".join(PROJECT["classifiers"]))
ASSETS = ROOT / "src" / "cellapse" / "report" / "assets"


class Failure(SystemExit):
    """What stands in the way of a release."""


def run(*command: str | Path, **options) -> str:
    """Return what a command prints; where it fails, say all of it."""
    done = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    if done.returncode:
        raise Failure(f"{' '.join(map(str, command))}\n{done.stdout}\n{done.stderr}")
    return done.stdout


def sums(folder: Path) -> dict[str, str]:
    return {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.glob("cellapse-*"))
        if path.suffix in (".whl", ".gz")
    }


def one_version(version: str) -> None:
    """Package, citation, changelog and recipe have the version that is meant."""
    for name, pattern in {
        "src/cellapse/_version.py": rf'__version__ = "{re.escape(version)}"',
        "CITATION.cff": rf"^version: {re.escape(version)}$",
        "CHANGELOG.md": rf"^## \[{re.escape(version)}\]",
        "recipe/recipe.yaml": rf"^  version: {re.escape(version)}$",
    }.items():
        if not re.search(pattern, (ROOT / name).read_text(encoding="utf-8"), re.MULTILINE):
            raise Failure(f"{name} does not have the version {version}")
    names = sorted(sums(DIST))
    wanted = [f"cellapse-{version}-py3-none-any.whl", f"cellapse-{version}.tar.gz"]
    if names != sorted(wanted):
        raise Failure(f"dist/ holds {names}, not {wanted}; make dist")


def same_again() -> None:
    """Built again, elsewhere and from the archive, both files are the same to the last bit."""
    with tempfile.TemporaryDirectory() as place:
        with tarfile.open(next(DIST.glob("*.tar.gz"))) as archive:
            archive.extractall(place, filter="data")
        (source,) = Path(place).iterdir()
        for file in source.rglob("*"):
            os.utime(file)
        before = os.umask(0o077)
        try:
            again = {"TZ": "Pacific/Auckland", "LC_ALL": "C", "PYTHONHASHSEED": "7"}
            build = (sys.executable, "-m", "hatchling", "build", "-d", Path(place) / "dist")
            run(*build, cwd=source, env=os.environ | again)
        finally:
            os.umask(before)
        if sums(Path(place) / "dist") != sums(DIST):
            raise Failure(f"built again: {sums(Path(place) / 'dist')}, before: {sums(DIST)}")


def description() -> None:
    """What an index shows is what it can render, with links that lead somewhere."""
    from readme_renderer.markdown import render

    with zipfile.ZipFile(next(DIST.glob("*.whl"))) as wheel:
        (name,) = (n for n in wheel.namelist() if n.endswith(".dist-info/METADATA"))
        shown = render(wheel.read(name).decode().partition("\n\n")[2])
    if not shown:
        raise Failure("the long description cannot be rendered")
    if lost := re.findall(r'(?:href|src)="(?!https?:|#)([^"]*)"', shown):
        raise Failure(f"the long description has links that lead nowhere: {lost}")


def contents() -> None:
    """The wheel holds the package, all of it, and nothing else."""
    with zipfile.ZipFile(next(DIST.glob("*.whl"))) as wheel:
        there = {n for n in wheel.namelist() if ".dist-info/" not in n}
    tracked = run("git", "ls-files", "src/cellapse", cwd=ROOT).split("\n")
    wanted = {name.removeprefix("src/") for name in tracked if name}
    if there != wanted:
        raise Failure(f"the wheel lacks {wanted - there} and has {there - wanted} on top")


def resolved() -> None:
    """Every extra that users install can be installed on every system and Python, from wheels."""
    for system in SYSTEMS:
        for python in PYTHONS:
            run(
                *("uv", "pip", "compile", "--quiet", "--extra", "all", "--only-binary", ":all:"),
                *("--python-platform", system, "--python-version", python, "pyproject.toml"),
                cwd=ROOT,
            )
            print(f"   {system}, Python {python}")


def recipe() -> None:
    """rattler-build reads the recipe and renders it, with the archive that lies in dist/."""
    from rattler_build import Stage0Recipe, VariantConfig

    (variant,) = Stage0Recipe.from_file(ROOT / "recipe" / "recipe.yaml").render(VariantConfig())
    if variant.recipe.package.name != "cellapse":
        raise Failure(f"the recipe makes {variant.recipe.package.name}")
    (archive,) = DIST.glob("*.tar.gz")
    print(f"   for the recipe: sha256: {sums(DIST)[archive.name]}")


def linted() -> None:
    """Workflows and hooks follow the schemas of those who read them."""
    workflows = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
    run("check-jsonschema", "--builtin-schema", "vendor.github-workflows", *workflows)
    run("pre-commit", "validate-config", ROOT / ".pre-commit-config.yaml")


def all_extras(python: str) -> None:
    """The wheel with every extra, alone in an empty environment, and a list of what it brought."""
    (wheel,) = DIST.glob("*.whl")
    with tempfile.TemporaryDirectory() as place:
        run(python, "-m", "venv", Path(place) / "env")
        inside = Path(place) / "env" / "bin" / "python"
        shutil.copy(ROOT / "requirements" / "dev.lock", place)
        alone = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
        locked = alone | {"PIP_CONSTRAINT": "dev.lock", "PIP_BUILD_CONSTRAINT": "dev.lock"}
        run(inside, "-m", "pip", "install", "--quiet", f"{wheel}[all]", cwd=place, env=locked)
        print(run(inside, ROOT / "tools" / "try_extras.py", cwd=place, env=alone), end="")
        run(inside, "-m", "pip", "check", env=alone)
        materials(inside)


def materials(python: Path) -> None:
    """A bill of materials, CycloneDX: what is installed, and what the wheel itself brings along."""
    bill = DIST / f"{next(DIST.glob('*.tar.gz')).name.removesuffix('.tar.gz')}.cdx.json"
    run("cyclonedx-py", "environment", "--output-reproducible", "-o", bill, python)
    content = json.loads(bill.read_text(encoding="utf-8"))
    content["components"].append(
        {
            "bom-ref": "3Dmol.js",
            "type": "library",
            "name": "3Dmol.js",
            "description": "draws the chain in reports of proteins; a file of the wheel",
            "licenses": [{"license": {"id": "BSD-3-Clause"}}],
            "hashes": [
                {
                    "alg": "SHA-256",
                    "content": hashlib.sha256((ASSETS / "3Dmol-min.js").read_bytes()).hexdigest(),
                }
            ],
        }
    )
    bill.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    from cyclonedx.schema import OutputFormat, SchemaVersion
    from cyclonedx.validation import make_schemabased_validator

    version = SchemaVersion.from_version(content["specVersion"])
    if wrong := make_schemabased_validator(OutputFormat.JSON, version).validate_str(
        bill.read_text(encoding="utf-8")
    ):
        raise Failure(f"the bill of materials is not valid: {wrong}")
    names = {component["name"].lower() for component in content["components"]}
    if missing := {"cellapse", "numpy", "torch", "rdkit"} - names:
        raise Failure(f"the bill of materials lacks {missing}")
    print(f"   {len(content['components'])} components in {bill.relative_to(ROOT)}")


def not_tried(pythons: list[str]) -> Iterator[str]:
    """What this machine cannot show."""
    if missing := set(PYTHONS) - {series(python) for python in pythons}:
        yield f"no Python {', '.join(sorted(missing))} here"
    yield "macOS and Windows: only whether everything can be installed; their workflows run there"
    yield "the recipe was rendered, not built: that takes a channel of conda packages"
    if "unreleased" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").split("\n## ")[1]:
        yield "CHANGELOG.md has no date for this version"


def series(python: str) -> str:
    return run(python, "-c", "import sys; print('%d.%d' % sys.version_info[:2])").strip()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("version")
    parser.add_argument("pythons", nargs="+", help="the first gets all extras")
    given = parser.parse_args()
    steps = {
        "one version everywhere": lambda: one_version(given.version),
        "built twice, the same": same_again,
        "metadata": lambda: run("twine", "check", "--strict", *sorted(DIST.glob("cellapse-*[lz]"))),
        "long description": description,
        "contents of the wheel": contents,
        "recipe": recipe,
        "workflows and hooks": linted,
        "installs everywhere": resolved,
        "all extras, in an empty environment": lambda: all_extras(given.pythons[0]),
    }
    for python in given.pythons:
        steps[f"the package alone, Python {series(python)}"] = lambda python=python: print(
            run("sh", ROOT / "tools" / "smoke.sh", python, cwd=ROOT), end=""
        )
    for name, step in steps.items():
        print(f"== {name}", flush=True)
        step()
    for what in not_tried(given.pythons):
        print(f"## NOT TRIED: {what}")


if __name__ == "__main__":
    main()
