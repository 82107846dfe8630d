"""``vflops list``: the workloads, what they ask for, and whether their data is here; or the run sets here."""

from __future__ import annotations

import argparse
import json
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ranking.layout import with_prefix
from runner import home
from runner.errors import Exit, RunnerError
from runner.run_folder import PLAN, RunFolder
from workloads.datasets.search import locate
from workloads.definition import Workload, registry
from workloads.errors import DatasetError


def add_parser(subparsers: Any) -> None:
    """Declare the command."""
    parser = subparsers.add_parser("list", help="list the workloads, or with --runs the run sets on this machine")
    parser.add_argument("--runs", action="store_true", help="list the run sets on this machine")
    parser.add_argument("--data-dir", type=Path, metavar="DIR", help="folder of datasets")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    """Print the list."""
    if args.runs:
        _print({"runs": list(_run_sets())}, args.json, _run_set_lines)
    else:
        _print({"workloads": [_document(w, args.data_dir) for w in registry()]}, args.json, _workload_lines)
    return Exit.ACCEPTED


def _print(document: dict[str, list[dict[str, Any]]], as_json: bool, lines: Any) -> None:
    print(json.dumps(document) if as_json else "\n".join(lines(next(iter(document.values())))))


def _document(workload: Workload, root: Path | None) -> dict[str, Any]:
    data, reason = _data(workload, root)
    return {
        "id": workload.id,
        "name": workload.name,
        "scale": workload.scale.value,
        "title": workload.title,
        "dataset": workload.dataset.title,
        "synthetic": workload.dataset.synthetic,
        "metric": workload.metric.name,
        "target_quality": workload.target_quality,
        "epoch_budget": workload.epoch_budget,
        "train_samples": workload.dataset.train_samples,
        "flops_per_sample": workload.flops_per_sample,
        "default_global_batch_size": workload.default_global_batch_size,
        "max_global_batch_size": workload.learning_rate.max_global_batch_size,
        "channels_last": workload.channels_last,
        "cpu_threads": workload.cpu_threads,
        "data": data,
        "data_missing_because": reason,
    }


def _data(workload: Workload, root: Path | None) -> tuple[str | None, str]:
    """Where the data lies, or why it does not."""
    try:
        found = locate(workload, root)
    except DatasetError as error:
        return None, error.message
    return (str(found), "") if found else (None, "not on this machine; `vflops run` fetches it")


def _workload_lines(workloads: list[dict[str, Any]]) -> Iterator[str]:
    for entry in workloads:
        yield f"{entry['name']} --scale {entry['scale']}"
        yield f"    {entry['title']}{' (synthetic data)' if entry['synthetic'] else ''}"
        yield (
            f"    target {entry['metric']} {entry['target_quality']}, {entry['epoch_budget']} epochs of "
            f"{entry['train_samples']:,} samples, {with_prefix(entry['flops_per_sample'], 'FLOP')} a sample"
        )
        yield f"    global batch size {entry['default_global_batch_size']}, at most {entry['max_global_batch_size']}"
        layout = "channels-last" if entry["channels_last"] else "contiguous"
        yield f"    memory format {layout}, CPU threads {entry['cpu_threads'] or 'as PyTorch chooses'}"
        yield f"    data: {entry['data'] or entry['data_missing_because']}"


def _run_sets() -> Iterator[dict[str, Any]]:
    for path in sorted(home.runs_folder().glob(f"*/{PLAN}")):
        try:
            folder = RunFolder.open(path.parent)
        except RunnerError as error:
            yield {"folder": str(path.parent), "problem": error.problem.id}
            continue
        yield {
            "folder": str(folder.path),
            "workload": folder.plan.workload.id,
            "created": folder.plan.created,
            "finished": len(folder.finished()),
            "runs": len(folder.plan.seeds),
            "bundle": str(folder.plan.output) if folder.plan.output.exists() else None,
        }


def _run_set_lines(run_sets: list[dict[str, Any]]) -> Iterator[str]:
    for entry in run_sets:
        yield entry["folder"]
        if "problem" in entry:
            yield f"    of no use: {entry['problem']}"
            continue
        yield f"    {entry['workload']}, {entry['created']}, {entry['finished']} of {entry['runs']} runs whole"
        yield f"    {entry['bundle'] or 'go on with: vflops run --resume ' + shlex.quote(entry['folder'])}"
    if not run_sets:
        yield "No run sets yet. Try: vflops run image_classification --scale smoke"
