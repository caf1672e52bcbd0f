"""The pages of the reference: one for each public module, and one for each of its names.

They are made anew by every build out of `__all__`, so that none is missing and none is left over.
A name that two modules have (`cellapse.cluster`, `cellapse.tasks.cluster`) has one page.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any

# In the order of the reference, with what each is for in a few words.
MODULES = {
    "cellapse": "what everyone needs: complexes, operators, spectra, the common tasks",
    "cellapse.lifts": "from graphs, points, meshes, molecules and proteins to complexes",
    "cellapse.weights": "weights with a metric: lengths, angles, orders, counts",
    "cellapse.tasks": "what to do with an operator",
    "cellapse.reduction": "onto a few vertices",
    "cellapse.plot": "pictures",
    "cellapse.theory": "the paper's statements, measured on your data",
    "cellapse.batch": "thousands of small complexes at once",
    "cellapse.analysis": "the main job in one call",
    "cellapse.report": "a page to show",
    "cellapse.datasets": "bundled networks, proteins and surfaces; generators",
    "cellapse.io": "files",
    "cellapse.interop": "objects of other libraries",
    "cellapse.estimators": "scikit-learn",
    "cellapse.scverse": "AnnData and scanpy",
    "cellapse.temporal": "Complexes over time",
    "cellapse.torch": "PyTorch and PyTorch Geometric",
    "cellapse.scale": "beyond one machine",
    "cellapse.experiments": "the paper's tables",
}


def public_names(without: tuple[str, ...] = ()) -> Iterator[tuple[str, str, Any]]:
    """Module, name and what it is, for all that is public; modules within modules left out."""
    for module in MODULES:
        if module in without:
            continue
        loaded = import_module(module)
        for name in loaded.__all__:
            thing = getattr(loaded, name)
            if not inspect.ismodule(thing):
                yield module, name, thing


def homes(without: tuple[str, ...] = ()) -> dict[tuple[str, str], str]:
    """(module, name) -> the module whose page describes it, the first that has it."""
    first: dict[int, str] = {}
    return {(m, n): first.setdefault(id(thing), m) for m, n, thing in public_names(without)}


def write_pages(app: Any, config: Any) -> None:
    """`api/index.rst` and a page for each module; autosummary makes those of the names."""
    from sphinx.ext.autodoc.mock import mock

    folder = Path(app.srcdir) / "api"
    folder.mkdir(exist_ok=True)
    with mock(config.autodoc_mock_imports):
        home = homes()
    for page in (folder / "names").glob("*.rst"):  # what a name of long ago has left behind
        module, _, name = page.stem.rpartition(".")
        if home.get((module, name)) != module:
            page.unlink()
    lines = [_title("Reference", "="), "Every public name, with its equation and an example.", ""]
    lines += [".. toctree::", "   :hidden:", "", *(f"   {m}" for m in MODULES), ""]
    lines += [".. list-table::", "   :widths: 30 70", ""]
    for module, purpose in MODULES.items():
        lines += [f"   * - :doc:`{module}`", f"     - {purpose}"]
        _write(folder / f"{module}.rst", _module_page(module, home))
    _write(folder / "index.rst", "\n".join(lines) + "\n")


def _module_page(module: str, home: dict[tuple[str, str], str]) -> str:
    names = sorted((n for m, n in home if m == module), key=lambda n: (n[0].isupper(), n.lower()))
    own = [n for n in names if home[module, n] == module]
    others = [f"~{home[module, n]}.{n}" for n in names if home[module, n] != module]
    lines = [
        _title(module, "="),
        f".. automodule:: {module}",
        "",
        f".. currentmodule:: {module}",
        "",
    ]
    if own:
        lines += [".. autosummary::", "   :toctree: names", "", *(f"   {n}" for n in own), ""]
    if others:
        lines += ["Described elsewhere, and here as well:", "", ".. autosummary::", ""]
        lines += [*(f"   {n}" for n in others), ""]
    return "\n".join(lines)


def _title(text: str, line: str) -> str:
    return f"{text}\n{line * len(text)}\n"


def _write(path: Path, text: str) -> None:
    """Only what is new: a page that stays as it was need not be built again."""
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def without_fields(
    app: Any, what: str, name: str, thing: Any, skip: bool, options: Any
) -> bool | None:
    """Leave out attributes without words of their own: the docstring of their class has them."""
    method = callable(thing) or isinstance(thing, classmethod | staticmethod)
    described = isinstance(thing, property | cached_property) and bool(thing.__doc__)
    return None if method or described else True


def plain_text(app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Docstrings are plain text with `code`: what else would be markup is shown as it stands."""
    example = False
    for i, line in enumerate(lines):
        example = line.lstrip().startswith(">>>") or (example and bool(line.strip()))
        if not example:
            bullet, text = re.match(r"(\s*(?:\* )?)(.*)", line).groups()
            pieces = re.split(r"(`+[^`]*`+)", text.replace("\\", "\\\\"))
            pieces[::2] = [re.sub(r"(\*|\||_(?!\w))", r"\\\1", piece) for piece in pieces[::2]]
            lines[i] = bullet + "".join(pieces)


def setup(app: Any) -> dict[str, bool]:
    app.connect("config-inited", write_pages)
    app.connect("autodoc-skip-member", without_fields)
    app.connect("autodoc-process-docstring", plain_text, priority=100)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
