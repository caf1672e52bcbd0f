"""The program itself: what all verbs share, and how errors are shown."""

from __future__ import annotations

import io
import sys
import warnings
from typing import Annotated, NoReturn

import typer
from rich.markup import escape

from cellapse._errors import CellapseError, CellapseWarning, InputError, MissingExtraError
from cellapse._version import __version__
from cellapse.cli.console import Console
from cellapse.cli.verbs import Verbs
from cellapse.cli.words import in_words

app = typer.Typer(
    cls=Verbs,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=True,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
_debug = False


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"cellapse {__version__}")
        raise typer.Exit


@app.callback()
def cellapse(
    debug: Annotated[
        bool, typer.Option("--debug", help="Show the traceback of an error; goes before the verb.")
    ] = False,
    _: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Say the version.")
    ] = False,
) -> None:
    """Collapse the higher-order cells of a network onto its nodes.

    \b
    cellapse analyze football -o out      the main job: clusters, spectra, a report
    cellapse cluster network.gml -k 4     one thing at a time
    cellapse explore network.gml          sliders in a browser
    """
    global _debug
    _debug = debug


def main() -> None:
    """Run the command line; an error is one sentence on standard error, and an exit code."""
    warnings.showwarning = _show_warning  # type: ignore[assignment]
    for stream in (sys.stdout, sys.stderr):  # a label the terminal cannot write is no error
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        app(prog_name="cellapse")
    except InputError as error:
        _stop(str(error), error, 2)
    except MissingExtraError as error:
        _stop(str(error), error, 3)
    except CellapseError as error:
        _stop(str(error), error, 4)
    except MemoryError as error:
        _stop(f"this does not fit into memory ({error}); take a smaller network", error, 4)
    except SystemExit as stopped:
        if isinstance(stopped.__context__, BrokenPipeError):  # the reader of a pipe has left
            sys.exit(0)
        if isinstance(stopped.__context__, typer.Abort):  # Ctrl-C
            sys.exit(130)
        raise
    except Exception as error:
        what = f"{type(error).__name__}: {error}. This is a bug; cellapse --debug ... shows where"
        _stop(what, error, 1)


def _stop(sentence: str, error: Exception, code: int) -> NoReturn:
    if _debug:
        raise error
    console = Console(stderr=True, highlight=False, soft_wrap=True)
    console.print(f"[red]error:[/red] {escape(in_words(sentence))}")
    sys.exit(code)


def _show_warning(message: Warning | str, category: type[Warning], *_: object) -> None:
    if not {"-q", "--quiet"}.isdisjoint(sys.argv):  # only errors
        return
    if issubclass(category, CellapseWarning) or _debug:
        console = Console(stderr=True, highlight=False, soft_wrap=True)
        console.print(f"[yellow]note:[/yellow] {escape(in_words(str(message)))}")
