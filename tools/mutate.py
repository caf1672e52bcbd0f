"""Do the tests notice a mistake? `make mutate MODULE=tasks/resistance`.

One small change at a time is made in a copy of the package: a comparison or an arithmetic sign
exchanged, a constant changed, a condition turned round, a result dropped. The tests that import the
module (or those given) must fail. Those that do not are printed: a test is missing there, or the
change makes no difference, and then the reason belongs into a comment beside the survivor's line.
"""

from __future__ import annotations

import argparse
import ast
import copy
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "cellapse"
COMPARISONS = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
SIGNS = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult, ast.Mod: ast.Mult, ast.Pow: ast.Mult, ast.MatMult: ast.Add,
}  # fmt: skip


def mutants(tree: ast.Module) -> Iterator[tuple[str, ast.Module]]:
    """Every changed tree, with a word on what was changed."""
    count = sum(1 for _ in ast.walk(tree))
    for i in range(count):
        changed = copy.deepcopy(tree)
        node = list(ast.walk(changed))[i]
        what = _change(node)
        if what:
            yield f"line {getattr(node, 'lineno', 0)}: {what}", ast.fix_missing_locations(changed)


def _change(node: ast.AST) -> str:
    """Change one node in place; returns what was done, or nothing."""
    before = ast.unparse(node)[:60] if isinstance(node, ast.expr | ast.stmt) else ""
    if isinstance(node, ast.Compare) and type(node.ops[0]) in COMPARISONS:
        node.ops[0] = COMPARISONS[type(node.ops[0])]()
    elif isinstance(node, ast.BinOp | ast.AugAssign) and type(node.op) in SIGNS:
        if isinstance(getattr(node, "left", None), ast.Constant | ast.JoinedStr) and isinstance(
            getattr(node.left, "value", None), str
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
        if isinstance(node.value, ast.Constant) and node.value.value is None:
            return ""
        node.value = ast.Constant(None)
    else:
        return ""
    return f"{before}  ->  {ast.unparse(node)[:60]}"


def tests_of(module: str) -> list[str]:
    """The test files that name the module, its folder's public names, or its last word."""
    last = module.rpartition(".")[2]
    dotted = f"cellapse.{module}"
    named = [
        path
        for path in sorted((ROOT / "tests").glob("test_*.py"))
        if dotted in (text := path.read_text(encoding="utf-8")) or f"import {last}" in text
    ]
    words = [p for p in sorted((ROOT / "tests").glob("test_*.py")) if last.strip("_") in p.stem]
    return [str(p.relative_to(ROOT)) for p in dict.fromkeys([*words, *named])]


def survives(package: Path, tests: list[str], module: str, seconds: float) -> bool:
    """Whether the tests pass with the changed package."""
    source = package.parent
    doctests = str(package / f"{module.replace('.', '/')}.py")
    options = ["-q", "-x", "-p", "no:cacheprovider", "-p", "no:randomly"]
    command = [sys.executable, "-m", "pytest", *options, doctests, *tests]
    variables = {**os.environ, "PYTHONPATH": f"{source}{os.pathsep}{ROOT}"}
    try:
        done = subprocess.run(
            command, cwd=ROOT, env=variables, capture_output=True, timeout=seconds, check=False
        )
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


def main() -> None:
    """Mutate one module and print the survivors."""
    parser = argparse.ArgumentParser(prog="make mutate", description=__doc__)
    parser.add_argument("module", help="such as tasks/resistance or io.npz")
    parser.add_argument("--count", type=int, default=30, help="how many mutants, drawn at random")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--tests", nargs="*", default=None, help="test files, if not those found")
    parser.add_argument("--seconds", type=float, default=300.0, help="for the tests of a mutant")
    given = parser.parse_args()
    module = given.module.removesuffix(".py").replace("/", ".")
    path = PACKAGE / f"{module.replace('.', '/')}.py"
    every = list(mutants(ast.parse(path.read_text(encoding="utf-8"))))
    chosen = random.Random(given.seed).sample(every, min(given.count, len(every)))
    tests = tests_of(module) if given.tests is None else given.tests
    print(f"{module}: {len(chosen)} of {len(every)} mutants, tests {' '.join(tests) or '(none)'}")
    survivors = []
    with tempfile.TemporaryDirectory() as folder:
        package = Path(folder) / "cellapse"
        shutil.copytree(PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__"))
        target = package / path.relative_to(PACKAGE)
        if not survives(package, tests, module, given.seconds):
            sys.exit("the tests fail, or take too long, without any change; mend that first")
        for what, tree in chosen:
            target.write_text(ast.unparse(tree), encoding="utf-8")
            if survives(package, tests, module, given.seconds):
                survivors.append(what)
                print(f"  survives  {what}", flush=True)
    killed = len(chosen) - len(survivors)
    print(f"{killed} of {len(chosen)} noticed, {100 * killed / max(len(chosen), 1):.0f} %")


if __name__ == "__main__":
    main()
