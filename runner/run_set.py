"""A run set: N runs with N seeds, one after the other, each in a process of its own, packed into one signed bundle.

The story: a request is checked and becomes a plan in a folder of its own; each run writes its evidence there; when all
are whole, the bundle is packed. Whatever interrupts it, ``resume`` goes on with the runs that are not whole.
"""

from __future__ import annotations

import secrets
import shlex
import time
from pathlib import Path
from typing import Any

from ranking.evidence import canonical
from runner import clock, home, keys, torch_probe
from runner import plan as plans
from runner.data import find_data
from runner.errors import Interrupted, RunnerError, UsageError
from runner.events import Listener, Notice, Packed, Packing, SetStarted
from runner.one_run import go_on, run_one
from runner.pack import BUNDLE_SUFFIX, pack
from runner.plan import RunSetPlan, RunSetRequest
from runner.run_folder import RunFolder
from runner.system import hardware
from runner.system.description import describe
from runner.system.source import source_digest
from runner.torch_probe import TorchFacts

NONCE_BYTES = 16


def run(request: RunSetRequest, listener: Listener) -> Path:
    """Run a whole set as asked and pack it; returns the bundle's path."""
    folder, facts = _prepare(request, listener)
    return _work(folder, facts, listener)


def resume(path: Path, listener: Listener) -> Path:
    """Go on with the run set in the folder ``path``: do the runs that are not whole, then pack."""
    folder = RunFolder.open(path)
    _refuse_existing(folder.plan.output)
    facts = torch_probe.probe(folder.plan.device)
    refuse_changed(folder, facts)
    return _work(folder, facts, listener)


def _prepare(request: RunSetRequest, listener: Listener) -> tuple[RunFolder, TorchFacts]:
    """Check everything that can be checked before a run, then make the folder."""
    workload = plans.workload_of(request)
    configuration = plans.configuration_of(request, workload)
    level = plans.level_of(request, configuration, workload)
    plans.check_names(request)
    output = _output(request)
    key = _key(request.key, listener)
    data_dir = find_data(workload, request.data_dir, listener)
    facts = torch_probe.probe(request.device)
    nonce = secrets.token_hex(NONCE_BYTES)
    path = home.runs_folder() / f"{_stamp()}-{workload.name}-{workload.scale}-{nonce[:6]}"
    plan = RunSetPlan(
        workload=workload,
        level=level,
        configuration=configuration,
        layers_changed=plans.layers_changed(configuration, workload),
        nonce=nonce,
        seeds=plans.seeds_of(nonce, workload),
        created=clock.utc_text(),
        device=facts.device,
        system_name=request.system_name or _default_name(),
        organisation=request.organisation,
        key=request.key,
        data_dir=data_dir,
        output=output or path / (path.name + BUNDLE_SUFFIX),
        source_digest=source_digest(),
    )
    return RunFolder.create(path, plan, describe(facts, key, system_name=plan.system_name, storage=data_dir)), facts


def _work(folder: RunFolder, facts: TorchFacts, listener: Listener) -> Path:
    """Do what is left of the run set in ``folder``, and pack it."""
    uuids = [facts.accelerators[0].uuid] if folder.plan.device == "cuda" else []
    with folder.locked():
        listener.tell(_started(folder, facts))
        try:
            for index in folder.unfinished():
                _begin_anew(folder, index, listener)
                run_one(folder, index, uuids, listener)
            return _pack(folder, listener)
        except (KeyboardInterrupt, Interrupted):
            raise _interrupted(folder) from None


def _begin_anew(folder: RunFolder, index: int, listener: Listener) -> None:
    """Clear away what an earlier try left."""
    restart = folder.discard_part(index)
    if restart is not None:
        text = f"Run {index + 1} begins anew; {restart.lost_s} s of its first try are lost, which the statement tells."
        listener.tell(Notice(text=text))


def _pack(folder: RunFolder, listener: Listener) -> Path:
    path = folder.plan.output
    _refuse_existing(path)
    listener.tell(Packing(path=str(path)))
    bundle = pack(folder, keys.load_key(folder.plan.key))
    listener.tell(Packed(path=str(path), bundle=bundle, size_bytes=path.stat().st_size))
    return path


def _started(folder: RunFolder, facts: TorchFacts) -> SetStarted:
    plan = folder.plan
    return SetStarted(
        workload=plan.workload.id,
        title=plan.workload.title,
        level=plan.level,
        device=_device(facts),
        folder=str(folder.path),
        seeds=plan.seeds,
        finished=tuple(folder.finished()),
        total_samples=plan.workload.total_samples,
        train_samples=plan.workload.dataset.train_samples,
        target_quality=plan.workload.target_quality,
        metric=plan.workload.metric.title,
    )


def _interrupted(folder: RunFolder) -> Interrupted:
    done, total = len(folder.finished()), len(folder.plan.seeds)
    return Interrupted("run.interrupted", f"{done} of {total} runs are whole and kept.", action=go_on(folder))


def _key(name: str, listener: Listener) -> keys.SigningKey:
    key, created = keys.load_or_create_key(name)
    if created:
        listener.tell(Notice(text=f"Made your signing key {key.key_id[:16]} in {key.path}; keep a copy of this file."))
    return key


def _output(request: RunSetRequest) -> Path | None:
    """Where the bundle is to go; raises where something lies there already or nothing can."""
    if request.output is None:
        return None
    path = request.output.expanduser().absolute()
    _refuse_existing(path)
    if not path.parent.is_dir():
        raise UsageError("output.no_folder", "The folder for the bundle does not exist.", place=path.parent)
    return path


def _refuse_existing(path: Path) -> None:
    if path.exists():
        raise UsageError(
            "output.exists",
            "There is a file where the bundle is to go; bundles are never overwritten.",
            place=path,
            action=f"See whether it is the bundle that you look for: vflops verify {shlex.quote(str(path))}",
        )


def _default_name() -> str:
    """What a system is called that nobody named: its host; reports and boards name its device themselves."""
    cpu = hardware.processors()
    threads = cpu.packages * cpu.threads_each
    return f"node with {threads} CPU threads, {hardware.capacity(hardware.memory_bytes())}"


def _device(facts: TorchFacts) -> str:
    """The device that runs use, for who watches them."""
    if facts.device == "cuda":
        return f"1 x {facts.accelerators[0].name}"
    cpu = hardware.processors()
    return f"{cpu.packages} x {cpu.model}" if isinstance(cpu.model, str) else "CPU"


def refuse_changed(folder: RunFolder, facts: TorchFacts) -> None:
    """A run set is of one system and one source: refuse to go on with another."""
    plan = folder.plan
    now = describe(facts, keys.load_key(plan.key), system_name=plan.system_name, storage=plan.data_dir)
    before: Any = canonical.loads(folder.system())
    changed = sorted(name for name in now if now[name] != before.get(name))
    if plan.source_digest != source_digest() or changed:
        raise RunnerError(
            "resume.changed",
            "This machine or its software is no longer what the run set began with.",
            place=folder.path,
            expected="the same system description and source",
            got=f"changed: {', '.join(changed) or 'source'}",
            action="Begin a new run set: vflops run WORKLOAD",
        )


def _stamp() -> str:
    return time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
