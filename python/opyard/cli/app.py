"""The command line: what may be asked for, and wrong use in one line."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from opyard.cli.error import CliError

# Newer versions of typer carry a click of their own: the class that its errors have in common is found from this one.
_WrongUse: Any = next(cls for cls in typer.BadParameter.__mro__ if cls.__name__ == "ClickException")

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, no_args_is_help=False)


class Dtype(StrEnum):
    float32 = "float32"
    bfloat16 = "bfloat16"


@app.callback()
def opyard() -> None:
    """opyard: operators for PyTorch, declared once, checked at every call."""


@app.command()
def generate(
    prompt: Annotated[str | None, typer.Argument(help="The question; the project's ten prompts without it.")] = None,
    prompt_file: Annotated[Path | None, typer.Option(help="A file of questions, one a line.")] = None,
    tokens: Annotated[int, typer.Option(min=1, help="How many tokens each answer is measured over.")] = 64,
    dtype: Annotated[Dtype, typer.Option(help="The type of the weights and of the arithmetic.")] = Dtype.float32,
    off: Annotated[bool, typer.Option("--off", help="Eager torch only.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")] = False,
) -> None:
    """Answers with SmolLM2-135M-Instruct, by eager torch and by opyard, and says how fast and by what each did."""
    from opyard.cli.generate import run_generate
    from opyard.cli.prompts import read_prompts

    run_generate(read_prompts(prompt, prompt_file), tokens=tokens, dtype=dtype.value, off=off, as_json=json)


@app.command()
def validate(
    files: Annotated[list[Path], typer.Argument(help="Manifest files; a folder is a catalogue of them.")],
) -> None:
    """Reports every fault as file:line:column; exit status 1 when there is one, 2 for an unreadable file."""
    from opyard.cli.validate import run_validate

    if status := run_validate(files):
        raise typer.Exit(status)


cache = typer.Typer(help="The compiled kernels on disk.", no_args_is_help=False)
app.add_typer(cache, name="cache")


@cache.command("list")
def cache_list(json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False) -> None:
    """Lists what is stored: its size, and what it was compiled from, for and by."""
    from opyard.cli.cache import run_list

    run_list(as_json=json)


@cache.command("verify")
def cache_verify(
    drop: Annotated[bool, typer.Option("--drop", help="Remove what is broken; a call builds it anew.")] = False,
) -> None:
    """Checks every stored file against its digest; exit status 1 when one is broken."""
    from opyard.cli.cache import run_verify

    if status := run_verify(drop=drop):
        raise typer.Exit(status)


@cache.command("clear")
def cache_clear() -> None:
    """Removes everything that is stored."""
    from opyard.cli.cache import run_clear

    run_clear()


@cache.command("build")
def cache_build(
    arch: Annotated[str, typer.Option(help="An architecture such as sm_80, sm_90a or sm_100a.")],
    operators: Annotated[list[str] | None, typer.Argument(help="Operators; all of them without one.")] = None,
    implementation: Annotated[str | None, typer.Option(help="This one in place of those selected.")] = None,
) -> None:
    """Compiles, for a GPU that need not be here, what serves each workload of the operators' declarations."""
    from opyard.cli.cache import run_build

    if status := run_build(arch, operators or [], implementation):
        raise typer.Exit(status)


def main() -> None:
    """The console script. Typer prints wrong use as a box of several lines: here it is one."""
    try:
        status = app(standalone_mode=False)
    except _WrongUse as error:
        _refuse(error.format_message(), error.exit_code)
    except CliError as error:
        _refuse(str(error), 2)
    except (typer.Abort, KeyboardInterrupt):
        sys.exit(130)
    else:
        sys.exit(status if isinstance(status, int) else 0)


def _refuse(message: str, status: int) -> None:
    print("opyard: " + " ".join(message.split()), file=sys.stderr)
    sys.exit(status)
