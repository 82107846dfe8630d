"""The command line ``vflops``: parses, calls one command, and turns every error into words and an exit status."""

from __future__ import annotations

import argparse
import importlib
import os
import signal
import sys
from collections.abc import Sequence
from typing import NoReturn

from runner import __version__, shadowing
from runner.errors import Exit, Interrupted, RunnerError, UsageError, print_problem, problem_of

COMMANDS = ("doctor", "list", "run", "inspect", "verify", "keys", "login", "submit", "status")
"""Modules of ``runner.commands``, in the order of the help."""

STOPPED = "stopped"
"""What a message begins with that is no error: the user wanted it."""


class Parser(argparse.ArgumentParser):
    """An argument parser that raises UsageError where argparse would print and exit."""

    def error(self, message: str) -> NoReturn:
        """Refuse the command line."""
        raise UsageError("usage.arguments", message[:1].upper() + message[1:], action=f"Try: {self.prog} --help")


def build_parser(commands: Sequence[str] = COMMANDS) -> Parser:
    """The parser of these commands."""
    parser = Parser(prog="vflops", description="Measure Valid FLOPS: train, sign the evidence, verify, submit.")
    parser.add_argument("--version", action="version", version=f"vflops {__version__}")
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name in commands:
        importlib.import_module(f"runner.commands.{name}").add_parser(subparsers)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    as_json = "--json" in arguments
    try:
        args = build_parser(_usable_commands(arguments)).parse_args(arguments)
        return int(importlib.import_module(f"runner.commands.{args.command}").run(args))
    except BrokenPipeError:
        return _reader_left()
    except KeyboardInterrupt as stop:
        print_problem(problem_of(stop), as_json=as_json, label=STOPPED)
        return Exit.INTERRUPTED
    except Interrupted as stop:
        print_problem(stop.problem, as_json=as_json, label=STOPPED)
        return stop.status
    except Exception as error:  # noqa: BLE001 - the one place where every error becomes words
        print_problem(problem_of(error), as_json=as_json)
        return error.status if isinstance(error, RunnerError) else Exit.ERROR


def _usable_commands(arguments: Sequence[str]) -> Sequence[str]:
    """All commands; where packages of another folder stand in place of ours only the doctor, who says so."""
    if arguments[:1] != ["doctor"]:
        shadowing.refuse_shadowed()
        return COMMANDS
    return ("doctor",)


def _reader_left() -> int:
    """Whoever read our output has gone (``vflops ... | head``): end as the signal would have."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 128 + signal.SIGPIPE
