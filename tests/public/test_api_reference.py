"""Every public name is in the reference, and its docstring says what a reader looks for.

The pages of the reference are made of `__all__` of the public modules; so a name that is missing
there is missing from the reference.
"""

import importlib.util
import inspect
import re
from pathlib import Path

import pytest

import cellapse as cl

EXTENSION = Path(__file__).parents[2] / "docs" / "_extensions" / "public_names.py"
pytestmark = pytest.mark.skipif(not EXTENSION.exists(), reason="no docs here: not a checkout")

# These make, read or show something, or hold a result: there is no formula to give.
WITHOUT_EQUATION = {
    *(
        "as_complex",
        "as_temporal",
        "as_operator",
        "clique_complex",
        "hypergraph_complex",
        "molecule_complex",
    ),
    *("molecule_complexes", "protein_complex", "secondary_structure", "read", "write"),
    *("blueprint", "data_to_complex", "transform_all", "likely_false", "choose_operator"),
    *(
        "rank_reliability",
        "operator_names",
        "check",
        "positional_encoding",
        "plot_complex",
        "analyze",
    ),
    *("verdict", "operator_names"),
}
# Needs MPI, and its functions are called by all ranks at once: nothing to try in a docstring.
FAR = ("cellapse.scale",)
WITH_EQUATION = ("cellapse", "cellapse.tasks", "cellapse.theory", "cellapse.torch", "cellapse.plot")


def extension():
    spec = importlib.util.spec_from_file_location("public_names", EXTENSION)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def described():
    """(module, name, thing) of what has a page of its own."""
    if not EXTENSION.exists():
        return []
    found = extension()
    homes = found.homes(FAR)
    return [(m, n, thing) for m, n, thing in found.public_names(FAR) if homes[m, n] == m]


DESCRIBED = described()
THINGS = {f"{m}.{n}": thing for m, n, thing in DESCRIBED if callable(thing)}


def sections(text):
    """The docstring by its sections; what comes before them is under ""."""
    parts = re.split(r"^(\w+)\n-+\n", inspect.cleandoc(text), flags=re.M)
    return {"": parts[0], **dict(zip(parts[1::2], parts[2::2], strict=True))}


def test_every_public_module_is_in_the_reference():
    found = extension()
    root = Path(cl.__file__).parent
    files = {path.stem for path in root.glob("*.py")}
    files |= {path.parent.name for path in root.glob("*/__init__.py")}
    public = {name for name in files if not name.startswith("_")} - {"cli"}
    assert {m.removeprefix("cellapse.") for m in found.MODULES} - {"cellapse"} == public


def test_every_module_lists_its_public_names_and_says_what_it_is_for():
    for name in extension().MODULES:
        if name in FAR:
            continue
        module = importlib.import_module(name)
        assert module.__all__
        assert len(module.__doc__.splitlines()[0]) > 10


def test_the_reference_has_all_names():
    assert len(DESCRIBED) > 150


@pytest.mark.parametrize("thing", THINGS.values(), ids=THINGS)
def test_the_docstring_is_complete(thing):
    assert thing.__doc__, "no docstring"
    given = sections(thing.__doc__)
    first = given[""].splitlines()[0]
    assert len(first) > 10, "the first line says what it is for"
    assert ">>>" in given.get("Examples", ""), "no example"
    assert "docs/" not in thing.__doc__, "who installed with pip has no docs folder"
    if inspect.isclass(thing):
        fields = not issubclass(thing, Exception) and inspect.signature(thing).parameters
        assert not fields or {"Parameters", "Attributes"} & set(given), "no parameters"
        return
    assert not inspect.signature(thing).parameters or "Parameters" in given, "no parameters"
    assert {"Returns", "Yields"} & set(given), "nothing on what comes back"


@pytest.mark.parametrize("thing", THINGS.values(), ids=THINGS)
def test_every_argument_is_described(thing):
    if inspect.isclass(thing):
        return
    text = sections(thing.__doc__).get("Parameters", "")
    heads = [line for line in text.splitlines() if line and not line.startswith(" ")]
    words = {word.strip(" *") for head in heads for word in head.split(":")[0].split(",")}
    asked = {n for n in inspect.signature(thing).parameters if not n.startswith("_")}
    assert asked <= words, asked - words


def computes(name, thing):
    """Whether it is a function with a formula behind it."""
    module, _, last = name.rpartition(".")
    return module in WITH_EQUATION and inspect.isfunction(thing) and last not in WITHOUT_EQUATION


@pytest.mark.parametrize("name", [name for name, thing in THINGS.items() if computes(name, thing)])
def test_the_equation_is_given(name):
    prose = sections(THINGS[name].__doc__)[""]
    assert re.search(r"(?<![=<>!])(=|<=|>=)(?!=)", prose), "no equation before the parameters"


NOUNS = re.compile(
    r"(The|An?|Whether|What|How|Where|Which|Why|All|One|Every|Each|Both|Those|Number|By|Always) |`"
)


def methods(thing):
    """A function, or the public methods of a class that it defines itself."""
    if not inspect.isclass(thing):
        return [thing] if inspect.isroutine(thing) else []
    return [m for n, m in vars(thing).items() if not n.startswith("_") and inspect.isfunction(m)]


@pytest.mark.parametrize("name", sorted(THINGS))
def test_a_function_is_described_in_the_imperative(name):
    """ "Return the ...", "Solve ...": not "The ..."."""
    for function in methods(THINGS[name]):
        text = inspect.getdoc(function)
        assert not text or not NOUNS.match(text), (
            f"{function.__qualname__}: {text.split(chr(10))[0]}"
        )
