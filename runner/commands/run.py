"""``vflops run``: train a run set, pack its signed evidence, and verify it as the portal will."""

from __future__ import annotations

import argparse
import json
import shlex
import signal
import sys
from pathlib import Path
from types import FrameType
from typing import Any

from ranking.report import Decision, render_text
from ranking.verify import verify_bundle
from runner import run_set
from runner.commands.verify import EXIT_OF_DECISION
from runner.display import display_for
from runner.errors import UsageError
from runner.plan import RunSetRequest, workload_of
from workloads.datasets.search import locate
from workloads.definition import Level, Precision, Scale

MEMORY_FORMAT = "memory format; that of the definition where not given, and the other one needs level system"
THREADS = "CPU threads; those of the definition where not given, or PyTorch's choice where it names none"


def add_parser(subparsers: Any) -> None:
    """Declare the command."""
    parser = subparsers.add_parser("run", help="train a run set and pack its signed evidence")
    parser.add_argument("workload", nargs="?", metavar="WORKLOAD", help="one of those that `vflops list` shows")
    parser.add_argument("--resume", type=Path, metavar="RUN_DIR", help="go on with an interrupted run set")
    parser.add_argument("--scale", choices=[s.value for s in Scale], help="lite where not given")
    parser.add_argument("--level", choices=[level.value for level in Level], help="the lowest possible where not given")
    _add_configuration(parser.add_argument_group("what may be chosen (see the rules of the levels)"))
    _add_names(parser.add_argument_group("names and places"))
    parser.add_argument("--json", action="store_true", help="print JSON lines")
    parser.add_argument("--yes", action="store_true", help="fetch missing data without asking")


def _add_configuration(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--global-batch-size", type=int, metavar="N", help="training samples of one step")
    group.add_argument("--precision", choices=[p.value for p in Precision], help="fp32 where not given")
    group.add_argument("--channels-last", action=argparse.BooleanOptionalAction, help=MEMORY_FORMAT)
    group.add_argument("--compile", action="store_true", help="compile the model (level system)")
    group.add_argument("--threads", type=int, metavar="N", help=THREADS)
    group.add_argument("--device", choices=["auto", "cpu", "cuda"], help="auto where not given")


def _add_names(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--system-name", metavar="TEXT", help="what to call this system in rankings")
    group.add_argument("--organisation", metavar="SLUG", help="for whom the evidence is made")
    group.add_argument("--key", metavar="NAME", help="signing key, by name or file; `default` where not given")
    group.add_argument("--data-dir", type=Path, metavar="DIR", help="folder of datasets")
    group.add_argument("--output", type=Path, metavar="FILE", help="where the bundle goes; else the run's folder")


def run(args: argparse.Namespace) -> int:
    """Train, pack, verify, and print the report; the exit status is that of ``vflops verify``."""
    signal.signal(signal.SIGTERM, _as_interrupt)
    bundle = _go_on(args) if args.resume is not None else _begin(args)
    report = verify_bundle(bundle)
    if args.json:
        print(json.dumps({"event": "report", "report": report.to_document()}))
    else:
        print("\n" + render_text(report) + f"\nBundle    {bundle}")
        if report.verdict is not Decision.REJECT:
            print(f"Next      vflops submit {shlex.quote(str(bundle))}")
    return EXIT_OF_DECISION[report.verdict]


def _begin(args: argparse.Namespace) -> Path:
    request = request_of(args)
    if not args.yes and sys.stdin.isatty() and sys.stdout.isatty():
        _ask_before_fetching(request)
    with display_for(sys.stdout, as_json=args.json) as display:
        return run_set.run(request, display)


def _go_on(args: argparse.Namespace) -> Path:
    _refuse_options_with_resume(args)
    with display_for(sys.stdout, as_json=args.json) as display:
        return run_set.resume(args.resume, display)


def _ask_before_fetching(request: RunSetRequest) -> None:
    """Ask a person at a terminal before megabytes are fetched; programs have asked for it by calling."""
    workload = workload_of(request)
    if locate(workload, request.data_dir) is not None:
        return
    megabytes = sum(file.size_bytes for file in workload.dataset.files) / 1e6
    answer = input(f"{workload.dataset.title} is not on this machine. Fetch {megabytes:.0f} MB? [Y/n] ")
    if answer.strip().lower() not in ("", "y", "yes"):
        raise UsageError(
            "data.declined",
            "Without its data the workload cannot run.",
            action="Put the files into a folder and name that folder in VFLOPS_DATA.",
        )


def request_of(args: argparse.Namespace) -> RunSetRequest:
    """The request that the options make; what was not given is left to the request's defaults."""
    if args.workload is None:
        raise UsageError("usage.workload", "Which workload?", action="See: vflops list")
    given = {name: value for name, value in _options(args).items() if value is not None}
    return RunSetRequest(workload=args.workload, **given)


def _options(args: argparse.Namespace) -> dict[str, Any]:
    return {name: getattr(args, name) for name in RunSetRequest.__dataclass_fields__ if name != "workload"}


def _refuse_options_with_resume(args: argparse.Namespace) -> None:
    """A run set that goes on is as it was planned: options besides --json would be ignored, so they are refused."""
    given = [name for name, value in _options(args).items() if value not in (None, False)]
    if args.workload is not None or given:
        raise UsageError(
            "usage.resume",
            "A run set that goes on keeps the options that it began with.",
            expected="vflops run --resume RUN_DIR",
            got=", ".join(filter(None, [args.workload, *("--" + name.replace("_", "-") for name in given)])),
        )


def _as_interrupt(_number: int, _frame: FrameType | None) -> None:
    """Being terminated is being interrupted: the run stops in order."""
    raise KeyboardInterrupt
