"""The house is in order: imports follow the way of the data, names are public or not, files short.

Imports upwards, each with its reason, become fewer: one that is no longer there fails, too. So do
the numbers of what is to go: they are lowered with what goes, and never raised.
"""

import ast
import graphlib
import importlib
import inspect
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

import cellapse as cl

PACKAGE = Path(cl.__file__).parent
REPOSITORY = Path(__file__).parents[2]

# Top-down: a room imports only from those before it. Tasks come before `theory`, which measures
# cuts, and before `io`, which writes clusters; `torch` before the experiments that train with it.
ORDER = (
    *(
        "_version",
        "_networkx_backend",
        "_errors",
        "_shared",
        "_complex",
        "lifts",
        "weights",
        "_matrices",
        "_linalg",
        "_collapse",
    ),
    *(
        "_operators",
        "batch",
        "tasks",
        "reduction",
        "theory",
        "interop",
        "io",
        "datasets",
        "_sources",
        "temporal",
    ),
    *(
        "estimators",
        "scverse",
        "_analysis",
        "analysis",
        "plot",
        "report",
        "torch",
        "experiments",
        "scale",
        "cli",
    ),
    *("__main__", "__init__"),
)
# The same within the folders that everything else rests on.
WITHIN = {
    "_shared": (
        *(
            "arrays",
            "card",
            "checks",
            "devices",
            "align",
            "files",
            "memory",
            "labelled",
            "scaling",
        ),
        "names",
        "notes",
        *("pictures", "processes", "progress", "rows", "tables", "threads", "workers"),
    ),
    "_complex": (
        *(
            "counts",
            "card",
            "cells",
            "labels",
            "attributes",
            "validity",
            "hyperedges",
            "parts",
            "complex",
        ),
        *("simple", "weights", "given", "adjacency", "union", "graph"),
    ),
    "_matrices": ("incidence", "matrices"),
    "_linalg": (
        *("tuning", "blas", "kernel", "factor", "cg", "preconditioner"),
        *("sigma", "symmetric", "eigen", "operators"),
    ),
    "_collapse": (
        *(
            "weights",
            "graded",
            "chain",
            "woodbury",
            "eliminated",
            "completion",
            "inverse",
        ),
        *("edges", "elimination", "stacks", "realizations", "collapsed"),
    ),
    "_operators": (
        *(
            "hyperedges",
            "baselines",
            "fair",
            "homological",
            *("arcs", "signed", "magnetic"),
            "as_operator",
            "by_size",
            "reliability",
        ),
        "names",
    ),
}
# Imports within functions that point upwards, each with its reason.
UPWARDS = {
    ("_complex.complex", "plot"): "K.plot() is where a user looks for it",
    ("_complex.card", "plot.small"): "what a notebook shows of a complex is a drawing of it",
    ("_linalg.operators", "plot"): "S.plot() is where a user looks for it",
    ("_linalg.eigen.spectrum", "plot"): "spectrum.plot() likewise",
    ("tasks.clustering", "plot"): "clusters.plot() likewise",
    (
        "_complex.complex",
        "_operators.homological",
    ): "K.betti_numbers() is where a user looks for it",
    ("_complex.given", "_sources"): "what a user has is lifted wherever a complex is wanted",
    ("_complex.given", "interop.reading"): "lifts take what collapse takes",
    ("lifts.proteins", "io.structures"): "a structure may be given as the name of a file",
    ("lifts.proteins", "datasets.proteins"): "a bundled protein may be given by its name",
    ("lifts.molecules", "io.molecules"): "a molecule may be given as the name of a file",
}
ROOT = 12  # modules beside the folders
STANDARD = {"io"}  # as in scipy.io and skimage.io: what a user expects it to be called
MOST_LINES = 600  # one concept, one file
MOST_LINES_OF_A_FUNCTION = 40  # without its docstring
CORE = ("_matrices", "_linalg", "_collapse")
LINES_OF_THE_CORE = 8_133  # only ever lowered, to 6,500: a new path takes the place of another
# Tests for one realization outside of the folder of realizations. Only ever lowered, to 0: what a
# realization is or can do, it says itself.
ASKED_WHICH_REALIZATION = 0
# Numbers in capitals that files of the core name for themselves, `tuning` apart. Only ever lowered:
# what chooses between ways to the same result stands in `tuning`, with its measurement.
NUMBERS_BESIDE_TUNING = 92
IMPLEMENTATIONS = 3  # of a contract of the core
MORE_IMPLEMENTATIONS = {  # those with more; the others only ever lowered, to 3
    "SymmetricOperator": 4,
    "Elimination": 5,
    "Realization": 6,  # what the package offers
    "EigenSolver": 5,  # likewise
}


class Import(NamedTuple):
    source: str
    target: str
    when_called: bool  # within a function, so not when the module is imported


def modules() -> dict[str, Path]:
    """Dotted name within the package -> file; that of the package itself is __init__."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts) or "__init__"] = path
    return found


MODULES = modules()


def imports_of(module: str) -> Iterator[Import]:
    """What a module imports from the package, apart from what only type checkers see."""

    def walk(node: ast.AST, when_called: bool) -> Iterator[Import]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
                continue
            inside = when_called or isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef)
            for target in targets(child):
                yield Import(module, target, when_called)
            yield from walk(child, inside)

    yield from walk(ast.parse(MODULES[module].read_text(encoding="utf-8")), False)


def targets(statement: ast.AST) -> Iterator[str]:
    """The modules of the package that one import statement names."""
    if isinstance(statement, ast.Import):
        names = [alias.name for alias in statement.names]
    elif isinstance(statement, ast.ImportFrom):
        assert not statement.level, "imports are absolute, so that they can be searched for"
        names = [f"{statement.module}.{alias.name}" for alias in statement.names]
    else:
        return
    for name in names:
        if name.split(".")[0] != "cellapse":
            continue
        inner = name.removeprefix("cellapse").removeprefix(".")
        while inner and inner not in MODULES:  # the name of a function or class
            inner = inner.rpartition(".")[0]
        yield inner or "__init__"


@cache
def imports() -> list[Import]:
    """All imports within the package."""
    return [found for module in MODULES for found in imports_of(module)]


def upwards(found: Import) -> bool:
    """Whether an import points against the order."""
    source, target = found.source.split("."), found.target.split(".")
    if source[0] != target[0]:
        return ORDER.index(source[0]) < ORDER.index(target[0])
    order = WITHIN.get(source[0])
    if order is None or len(source) < 2 or len(target) < 2 or source == target:
        return False
    return order.index(source[1]) < order.index(target[1])


def test_every_room_has_its_place_in_the_order():
    assert {name.split(".")[0] for name in MODULES} <= set(ORDER)
    for folder, order in WITHIN.items():
        inside = {name.split(".")[1] for name in MODULES if name.startswith(f"{folder}.")}
        assert inside == set(order)


def test_the_table_of_rooms_is_true():
    """Every folder has its row; where a row is about one folder, all its words are files there."""
    text = (REPOSITORY / "CONTRIBUTING.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`.*?) \| (.*) \|$", text.partition("## Ten habits")[0], re.MULTILINE)
    table = [(re.findall(r"`(\w+)/`", rooms), found) for rooms, found in rows if "/`" in rooms]
    folders = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert folders == {room for rooms, _ in table for room in rooms}
    for rooms, found in table:
        for word in re.findall(r"`([a-z_]+)/?`", found) if len(rooms) == 1 else ():
            files = [*(PACKAGE / rooms[0]).rglob(f"{word}.py"), PACKAGE / rooms[0] / word]
            assert any(file.exists() for file in files) or word == "collapse", word


def test_imports_follow_the_way_of_the_data():
    assert not [found for found in imports() if upwards(found) and not found.when_called]


def test_imports_upwards_within_functions_are_those_with_a_reason():
    assert {(f.source, f.target) for f in imports() if upwards(f) and f.when_called} == set(UPWARDS)


def test_no_module_imports_itself_through_others():
    graph = {
        module: {
            found.target
            for found in imports()
            if found.source == module and (found.source, found.target) not in UPWARDS
        }
        for module in MODULES
    }
    list(graphlib.TopologicalSorter(graph).static_order())  # raises CycleError


@pytest.mark.parametrize("room", ["scale", "experiments"])
def test_what_few_need_is_loaded_by_the_command_line_alone_when_it_is_called(room):
    def within(module):
        return module.split(".")[0] == room

    doors = {found for found in imports() if within(found.target) and not within(found.source)}
    assert all(found.source.startswith("cli.") and found.when_called for found in doors)


def test_the_root_of_the_package_is_small():
    assert len(list(PACKAGE.glob("*.py"))) <= ROOT


def test_no_module_is_called_like_one_of_the_standard_library_or_like_a_public_name():
    names = {module.rpartition(".")[2] for module in MODULES}
    assert names & set(sys.stdlib_module_names) == STANDARD
    root = {name for name in MODULES if "." not in name}
    functions = {name for name in cl.__all__ if callable(getattr(cl, name))}
    assert not root & functions


def test_dir_shows_the_public_names_and_nothing_else():
    public = {
        *("analysis", "batch", "datasets", "estimators", "experiments", "interop", "io", "lifts"),
        *(
            "plot",
            "reduction",
            "report",
            "scale",
            "scverse",
            "tasks",
            "temporal",
            "theory",
            "torch",
            "weights",
        ),
    }
    assert {name for name in MODULES if "." not in name and name[0] != "_"} - {"cli"} == public
    assert dir(cl) == sorted({*cl.__all__, *public})
    assert all(hasattr(cl, name) for name in cl.__all__)


@pytest.mark.parametrize(
    "page", ["README.md", *(f"docs/{p.name}" for p in sorted((REPOSITORY / "docs").glob("*.md")))]
)
def test_pages_for_users_do_not_name_what_is_inside(page):
    folders = "|".join(sorted({m.split(".")[0] for m in MODULES if re.match("_[a-z]", m)}))
    text = (REPOSITORY / page).read_text(encoding="utf-8")
    assert not re.findall(rf"(?<!\w)(?:{folders})(?!\w)", text)


def test_the_version_stands_in_one_place():
    written = [m for m, p in MODULES.items() if re.search(r"^__version__ =", p.read_text(), re.M)]
    assert written == ["_version"]
    assert not re.search(r"^version =", (REPOSITORY / "pyproject.toml").read_text(), re.M)


def test_files_are_short():
    lines = {path: len(path.read_text().splitlines()) for path in MODULES.values()}
    long = {path.relative_to(PACKAGE).as_posix() for path, n in lines.items() if n > MOST_LINES}
    assert not long


def test_the_core_grows_no_more():
    files = [path for module, path in MODULES.items() if module.split(".")[0] in CORE]
    assert sum(len(path.read_text().splitlines()) for path in files) <= LINES_OF_THE_CORE


def realizations() -> set[str]:
    """The names of all realizations of the package."""
    waiting = [cl.Realization]
    for each in waiting:
        waiting.extend(each.__subclasses__())
    return {each.__name__ for each in waiting[1:] if each.__module__.startswith("cellapse.")}


def asks_which(source: str, classes: set[str]) -> int:
    """How often a module asks whether something is an instance of one of some classes."""

    def asks(node: ast.AST) -> bool:
        if not isinstance(node, ast.Call | ast.Compare | ast.MatchClass):
            return False
        named = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
        named |= {n.attr for n in ast.walk(node) if isinstance(n, ast.Attribute)}
        if isinstance(node, ast.Call):
            return ast.unparse(node.func) in ("isinstance", "issubclass") and bool(named & classes)
        if isinstance(node, ast.Compare):  # type(x) is Class
            sides = [
                ast.unparse(side).rpartition(".")[2] for side in (node.left, *node.comparators)
            ]
            return "type" in named and bool(set(sides) & classes)
        return isinstance(node, ast.MatchClass) and bool(named & classes)

    return sum(asks(node) for node in ast.walk(ast.parse(source)))


def test_it_is_seen_where_a_class_is_asked_for():
    asked = (
        "isinstance(x, A)\nisinstance(x, A | C)\nisinstance(x, (C, m.B))\nissubclass(x, A)\n"
        "type(x) is A\nx if type(x) == m.B else y\nmatch x:\n    case A():\n        pass"
    )
    assert asks_which(asked, {"A", "B"}) == 7
    assert not asks_which("isinstance(x, C)\nx = A()\ntype(x) is C\nlen(A)", {"A", "B"})


def test_only_realizations_ask_which_realization_it_is():
    classes = realizations()
    assert {"Screened", "Unfolded", "Mixed"} <= classes
    asked = {
        module: asks_which(path.read_text(), classes)
        for module, path in MODULES.items()
        if not module.startswith("_collapse.realizations")
    }
    found = {module: times for module, times in asked.items() if times}
    assert sum(found.values()) == ASKED_WHICH_REALIZATION, found


def core_modules() -> list[str]:
    return [module for module in MODULES if module.split(".")[0] in CORE]


def may_be_none(annotation: ast.expr, functions: set[str]) -> bool:
    """Whether an annotation is that of a function, by one of these names, or None."""
    sides = [annotation]
    while isinstance(sides[0], ast.BinOp):  # a | b | c
        sides[:1] = [sides[0].left, sides[0].right]
    names = {ast.unparse(side).partition("[")[0].rpartition(".")[2] for side in sides}
    return "None" in names and bool(names & functions)


def optional_functions(source: str, functions: set[str]) -> list[str]:
    """The fields and attributes of classes that hold a function or None."""
    return [
        ast.unparse(node.target)
        for each in ast.walk(ast.parse(source))
        if isinstance(each, ast.ClassDef)
        for node in ast.walk(each)
        if isinstance(node, ast.AnnAssign) and may_be_none(node.annotation, functions)
    ]


def types_of_functions(source: str) -> set[str]:
    """Callable, and the names that a module gives to such types."""
    named = re.findall(r"^(\w+)(?:: TypeAlias)? = Callable\b", source, re.M)
    return {"Callable", *named}


def test_it_is_seen_where_a_function_may_be_none():
    source = (
        "from collections.abc import Callable\nSolve: TypeAlias = Callable[[A], A]\n"
        "class S:\n    a: Solve | None\n    b: int | Callable[[], A] | None = None\n"
        "    c: Callable[[], A | None]\n    d: A | None\n"
        "    def __init__(self):\n        self.e: None | factor.Solve = None\n"
    )
    functions = types_of_functions(source)
    assert sorted(optional_functions(source, functions)) == ["a", "b", "self.e"]


def test_no_object_of_the_core_holds_a_function_or_none():
    """What an operator can do is a method with a default, no function that may be missing."""
    sources = {module: MODULES[module].read_text() for module in core_modules()}
    functions = set().union(*map(types_of_functions, sources.values()))
    assert not {
        m: f for m, source in sources.items() if (f := optional_functions(source, functions))
    }


def numbers_named(source: str) -> list[str]:
    """What a module calls in capitals and is made of numbers; tables apart."""
    found = []
    for node in ast.parse(source).body:
        if not isinstance(node, ast.Assign | ast.AnnAssign) or node.value is None:
            continue
        inside = list(ast.walk(node.value))
        if any(isinstance(n, ast.Dict) for n in inside) or not any(
            isinstance(n, ast.Constant) and type(n.value) in (int, float) for n in inside
        ):
            continue
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        names = [n.id for target in targets for n in ast.walk(target) if isinstance(n, ast.Name)]
        found += [name for name in names if re.fullmatch(r"[A-Z_][A-Z_0-9]*", name)]
    return found


def test_numbers_that_stand_beside_tuning_become_fewer():
    example = "A = 1\n_B, C_2 = 2.0**-3, 4\nD: int = -1\nE = {1: 2}\nF = 'a'\ng = 1\nH = f()"
    assert numbers_named(example) == ["A", "_B", "C_2", "D"]
    found = {
        module: numbers_named(MODULES[module].read_text())
        for module in core_modules()
        if not module.endswith("tuning")
    }
    assert sum(map(len, found.values())) <= NUMBERS_BESIDE_TUNING, found


def implementations(contract: type, contracts: set[type]) -> set[str]:
    """The classes of the core that implement a contract; another contract counts as one."""
    found = set()
    for each in contract.__subclasses__():
        if (
            not each.__module__.startswith("cellapse._")
            or each.__module__.split(".")[1] not in CORE
        ):
            continue
        if each in contracts or not inspect.isabstract(each):
            found.add(each.__name__)
        if each not in contracts:
            found |= implementations(each, contracts)
    return found


def test_a_contract_of_the_core_has_few_implementations():
    named = [
        each
        for module in core_modules()
        for each in vars(importlib.import_module(f"cellapse.{module}")).values()
        if isinstance(each, type) and each.__module__ == f"cellapse.{module}"
    ]
    contracts = {
        each
        for each in named
        if any(getattr(value, "__isabstractmethod__", False) for value in vars(each).values())
    }
    found = {each.__name__: implementations(each, contracts) for each in contracts}
    assert {"Inverse", "Stacks", "EigenSolver", *MORE_IMPLEMENTATIONS} <= set(found)
    for name, classes in found.items():
        assert len(classes) <= MORE_IMPLEMENTATIONS.get(name, IMPLEMENTATIONS), (name, classes)


def test_functions_are_short():
    long = set()
    for path in MODULES.values():
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                lines = node.end_lineno - node.lineno + 1
                if ast.get_docstring(node) is not None:
                    lines -= node.body[0].end_lineno - node.body[0].lineno + 1
                if lines > MOST_LINES_OF_A_FUNCTION:
                    long.add(f"{path.relative_to(PACKAGE).as_posix()} {node.name}")
    assert not long


def test_the_types_of_arrays_are_defined_once():
    for path in MODULES.values():
        name = path.relative_to(PACKAGE).as_posix()
        if name != "_shared/arrays.py":
            assert not re.search(r"^\w*Array\b.*= NDArray\[np", path.read_text(), re.M), name


def test_the_source_holds_no_marks_of_tools():
    marks = re.compile(r"speed only|equivalent:|pragma:")
    assert not [module for module, path in MODULES.items() if marks.search(path.read_text())]


def run(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)


def test_importing_the_package_loads_nothing_until_it_is_asked_for():
    loaded = "sorted({'numpy', 'scipy', 'networkx', 'sklearn', 'rich'} & set(sys.modules))"
    assert run(f"import sys, cellapse; print({loaded})").stdout == "[]\n"
    asked = run(f"import sys, cellapse; cellapse.collapse; print({loaded})").stdout
    assert asked == "['numpy', 'scipy']\n"


def test_a_star_takes_the_listed_names_and_no_extra():
    code = "import sys\nfrom cellapse import *\nprint(collapse.__name__, 'torch' in sys.modules)"
    assert run(code).stdout == "collapse False\n"


def test_every_public_name_is_there():
    assert all(getattr(cl, name) is not None for name in cl.__all__)
    with pytest.raises(AttributeError, match="cellapse"):
        _ = cl.nothing


def test_files_of_tests_have_names_of_their_own():
    """Two of one name in different folders are one module to pytest, and only the first runs."""
    names = [path.name for path in Path(__file__).parents[1].rglob("test_*.py")]
    assert not {name for name in names if names.count(name) > 1}
