"""Small mistakes in the source of a module, one at a time.

A comparison or an arithmetic sign exchanged, a constant changed, a condition turned round, a result
dropped. Texts, annotations, decorators, assertions, what is raised and the sides of operators,
which are square, are left alone, and so are the lines of `mutation_exceptions.txt`: no test can, or
need, notice a change there. Such a line is known by its function and its code, not by its number.
"""

from __future__ import annotations

import ast
import copy
import io
import random
import tokenize
from collections import defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

COMPARISONS = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
SIGNS = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult, ast.Mod: ast.Mult, ast.Pow: ast.Mult, ast.MatMult: ast.Add,
}  # fmt: skip
EXCEPTIONS = Path(__file__).with_name("mutation_exceptions.txt")
SQUARE = {f"{name}.shape" for name in ("self", "operator", "S", "A", "M")}  # either side will do
UNTOUCHED = ("stacklevel", "strict")  # arguments: where a warning points, what zip asserts


@dataclass(frozen=True)
class Mutant:
    """One changed module: where, what, the function ("": outside of any), its first line."""

    line: int
    what: str
    function: str
    begin: int
    tree: ast.Module

    def __str__(self) -> str:
        return f"line {self.line}: {self.what}"


class Line(NamedTuple):
    """A line of code as an exception names it: the class or function it is in, and its text."""

    scope: str
    code: str


def exceptions(file: Path = EXCEPTIONS) -> dict[str, set[Line]]:
    """Read the lines that are left alone, of every file of the package."""
    result: dict[str, set[Line]] = defaultdict(set)
    for text in file.read_text(encoding="utf-8").splitlines():
        if text and not text.startswith("#"):
            place, code = text.rpartition("  # ")[0].split(": ", 1)
            path, _, scope = place.partition(":")
            result[path].add(Line(scope, code))
    return result


def lines_of(source: str) -> dict[int, Line]:
    """Return every line of code by its number, without its comment."""
    texts = source.splitlines()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            texts[token.start[0] - 1] = token.line[: token.start[1]]
    scope = scopes(ast.parse(source))
    return {i: Line(scope.get(i, ""), text.strip()) for i, text in enumerate(texts, 1)}


def scopes(node: ast.AST, within: str = "") -> dict[int, str]:
    """Return the class or function of every line that is in one, the innermost."""
    result: dict[int, str] = {}
    for part in ast.iter_child_nodes(node):
        inner = within
        if isinstance(part, ast.FunctionDef | ast.ClassDef):
            inner = f"{within}.{part.name}".lstrip(".")
            result |= dict.fromkeys(range(part.lineno, part.end_lineno + 1), inner)
        result |= scopes(part, inner)
    return result


def draw(
    source: str, count: int, seed: int, spared: Collection[Line] = ()
) -> tuple[list[Mutant], int]:
    """So many mutants of a module at random, in the order of its lines, and how many there are."""
    tree = ast.parse(source)
    explained = {number for number, line in lines_of(source).items() if line in spared}
    number = {id(node): i for i, node in enumerate(ast.walk(tree))}
    places = [
        (number[id(node)], function)
        for node, function in _places(tree, "")
        if getattr(node, "lineno", 0) not in explained and _change(copy.deepcopy(node))
    ]
    chosen = sorted(random.Random(seed).sample(range(len(places)), min(count, len(places))))
    return [_mutant(tree, *places[i]) for i in chosen], len(places)


def _mutant(tree: ast.Module, number: int, function: str) -> Mutant:
    changed = copy.deepcopy(tree)
    node = list(ast.walk(changed))[number]
    what = _change(node)
    first = node.lineno
    for each in ast.walk(changed):  # the innermost function around it, from its first decorator
        if isinstance(each, ast.FunctionDef) and each.lineno <= node.lineno <= each.end_lineno:
            first = min([each.lineno, *(d.lineno for d in each.decorator_list)])
    return Mutant(node.lineno, what, function, first, ast.fix_missing_locations(changed))


def _places(node: ast.AST, within: str) -> Iterator[tuple[ast.AST, str]]:
    """All nodes that may be changed, each with the name of the function whose body it is in."""
    if isinstance(node, ast.Raise | ast.JoinedStr) or getattr(node, "arg", "") in UNTOUCHED:
        return
    if isinstance(node, ast.Subscript) and ast.unparse(node.value) in SQUARE:
        return
    yield node, within.removesuffix(".<locals>")
    if isinstance(node, ast.FunctionDef):
        for part in (
            *node.decorator_list,
            *node.args.defaults,
            *filter(None, node.args.kw_defaults),
        ):
            yield from _places(part, "")
        for part in node.body:
            yield from _places(part, f"{within}.{node.name}.<locals>".lstrip("."))
    elif isinstance(node, ast.ClassDef):
        for part in node.body:
            method = isinstance(part, ast.FunctionDef)
            yield from _places(part, f"{within}.{node.name}".lstrip(".") if method else within)
    elif isinstance(node, ast.AnnAssign):
        yield from _places(node.value, within) if node.value else ()
    else:
        for part in ast.iter_child_nodes(node):
            yield from _places(part, within)


def _change(node: ast.AST) -> str:
    """Change one node in place; returns what was done, or nothing."""
    before = ast.unparse(node)[:60] if isinstance(node, ast.expr | ast.stmt) else ""
    if isinstance(node, ast.Compare) and type(node.ops[0]) in COMPARISONS:
        node.ops[0] = COMPARISONS[type(node.ops[0])]()
    elif isinstance(node, ast.BinOp | ast.AugAssign) and type(node.op) in SIGNS:
        if isinstance(getattr(node, "left", None), ast.Constant | ast.JoinedStr) and isinstance(
            getattr(node.left, "value", ""), str
        ):
            return ""  # text
        node.op = SIGNS[type(node.op)]()
    elif isinstance(node, ast.BoolOp):
        node.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub):
        node.op = ast.UAdd() if isinstance(node.op, ast.USub) else ast.Not()
        if isinstance(node.op, ast.Not):
            node.operand = ast.UnaryOp(ast.Not(), node.operand)
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        node.value = not node.value
    elif isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        node.value = node.value + 1 if node.value < 1e6 else node.value / 2
    elif isinstance(node, ast.Return) and node.value is not None:
        if isinstance(node.value, ast.Constant) and node.value.value in (None, False, ""):
            return ""  # nothing is as good as None to those who ask whether there is anything
        node.value = ast.Constant(None)
    else:
        return ""
    return f"{before}  ->  {ast.unparse(node)[:60]}"
