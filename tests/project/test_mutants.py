"""The mistakes that `make mutate` makes: each is one, and where it says it is."""

import ast
import importlib.util
import sys
from pathlib import Path

SOURCE = '''
"""A text with 1 + 1."""
LIMIT = 3  # never reached
START = -1


class Box:
    side: int = 2

    def area(self, unit: float = 1.0) -> float:
        if self.side < 0:
            raise ValueError(f"{self.side + 1} is too small")
        return self.side**2 * unit


def outer(x):
    def inner(y):
        return not y

    list(zip(x, A.shape[0], strict=True))
    return x and inner(x)  # in words
'''

EXCEPTIONS = """# what is left alone
box.py: LIMIT = 3  # speed: never reached
box.py:outer: return x and inner(x)  # equivalent: in words
box.py:Box.area: return not y  # equivalent: in another function
other.py: START = -1  # equivalent: in another file
"""


def tool():
    path = Path(__file__).parents[2] / "tools" / "mutants.py"
    spec = importlib.util.spec_from_file_location("mutants", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules["mutants"] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


def mutants(tmp_path, source=SOURCE):
    file = tmp_path / "exceptions.txt"
    file.write_text(EXCEPTIONS)
    return tool().draw(source, 100, 0, tool().exceptions(file)["box.py"])


def test_every_mutant_is_one_change_with_its_function(tmp_path):
    drawn, every = mutants(tmp_path)
    assert len(drawn) == every
    lines = ast.unparse(ast.parse(SOURCE)).splitlines()
    for mutant in drawn:
        changed = ast.unparse(mutant.tree).splitlines()
        assert sum(a != b for a, b in zip(lines, changed, strict=True)) == 1
    by_function = {m.function: [n.what for n in drawn if n.function == m.function] for m in drawn}
    assert set(by_function) == {"", "Box.area", "outer.<locals>.inner"}
    assert sorted(by_function[""]) == ["-1  ->  +1", "1  ->  2", "1.0  ->  2.0", "2  ->  3"]
    assert len(by_function["Box.area"]) == 6  # < and 0, the result, its two signs, and the 2
    assert by_function["outer.<locals>.inner"] == [
        "return not y  ->  return None",
        "not y  ->  not not y",
    ]


def test_an_exception_holds_where_its_line_has_moved_and_not_where_it_has_changed(tmp_path):
    moved = SOURCE.replace("LIMIT", "\n\nLIMIT").replace("# in words", "# said otherwise")
    assert [m.what for m in mutants(tmp_path, moved)[0]] == [m.what for m in mutants(tmp_path)[0]]
    changed = SOURCE.replace("LIMIT = 3", "LIMIT = 4")
    assert mutants(tmp_path, changed)[1] == mutants(tmp_path)[1] + 1


def test_every_exception_names_a_file_and_a_line():
    given = tool().exceptions()
    assert all(lines and path.endswith(".py") for path, lines in given.items())
    assert all(line.code for lines in given.values() for line in lines)


def test_a_mutant_knows_the_first_line_of_its_function(tmp_path):
    drawn, _ = mutants(tmp_path)
    begin = {m.function: m.begin for m in drawn}
    lines = SOURCE.splitlines()
    assert "def area" in lines[begin["Box.area"] - 1]
    assert "def inner" in lines[begin["outer.<locals>.inner"] - 1]
