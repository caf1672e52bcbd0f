"""Small mistakes in the source of a module, one at a time.

A comparison or an arithmetic sign exchanged, a constant changed, a condition turned round, a result
dropped. Texts, annotations, decorators, assertions, what is raised and the sides of operators,
which are square, are left alone, and so are lines whose comment says `equivalent:` or `speed only:`
and why: no test can, or need, notice a change there.
"""

from __future__ import annotations

import ast
import copy
import random
from collections.abc import Iterator
from dataclasses import dataclass

COMPARISONS = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
SIGNS = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult, ast.Mod: ast.Mult, ast.Pow: ast.Mult, ast.MatMult: ast.Add,
}  # fmt: skip
EXPLAINED = ("equivalent:", "speed only:")
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


def draw(source: str, count: int, seed: int) -> tuple[list[Mutant], int]:
    """So many mutants of a module at random, in the order of its lines, and how many there are."""
    tree = ast.parse(source)
    lines = source.splitlines()
    explained = {i for i, text in enumerate(lines, 1) if any(word in text for word in EXPLAINED)}
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
