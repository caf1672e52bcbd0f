"""The list of verbs says what the verbs say of themselves, and loads none of them."""

import pkgutil
import subprocess
import sys
from importlib import import_module

import typer
from typer.main import get_group

import cellapse.cli
from cellapse.cli.app import app
from cellapse.cli.verbs import VERBS


def test_every_verb_is_listed_with_its_own_first_line():
    for module in pkgutil.iter_modules(cellapse.cli.__path__):
        import_module(f"cellapse.cli.{module.name}")
    commands = get_group(app).commands
    assert set(commands) == set(VERBS)
    for name, verb in VERBS.items():
        assert commands[name].help.splitlines()[0] == verb.line
        assert commands[name].callback.__module__ == f"cellapse.cli.{verb.module}"


def test_help_lists_the_verbs_and_loads_none():
    code = (
        "import sys\nsys.argv = ['cellapse', '--help']\nfrom cellapse.cli import main\n"
        "try:\n    main()\nfinally:\n    print('numpy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.endswith("False\n")
    listed = [line.split()[0] for line in done.stdout.split("Commands:\n")[1].splitlines()[:-1]]
    assert listed == list(VERBS)


def test_a_verb_that_is_none_is_told_what_was_meant():
    group = typer.main.get_command(app)
    context = group.make_context("cellapse", ["info"])
    assert group.get_command(context, "clster") is None
    assert set(group.commands) == set(VERBS)
