"""What becomes of a run whose process fails, and of a run set whose machine changed."""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from ranking.evidence import canonical
from runner import keys, run_set
from runner.errors import RunnerError
from runner.events import Event, Failed
from runner.one_run import go_on, run_one
from runner.run_folder import SYSTEM, RunFolder
from runner.system.description import describe
from runner.system.source import source_digest
from runner.torch_probe import Accelerator, TorchFacts
from tests.runner.plans import make_plan

FACTS = TorchFacts(version="2.13.0+cpu", device="cpu", threads=1, cuda=None, cudnn=None, nccl=None, accelerators=())
GPU = Accelerator(name="NVIDIA H200", uuid="GPU-8932f937", memory_bytes=141 * 10**9, capability="9.0")


@dataclass
class Listener:
    """Keeps what it is told."""

    events: list[Event] = field(default_factory=list)

    def tell(self, event: Event) -> None:
        self.events.append(event)


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    key = keys.create_key()
    plan = make_plan(tmp_path, source_digest=source_digest())
    system = describe(FACTS, key, system_name=plan.system_name, storage=tmp_path)
    return RunFolder.create(tmp_path / "set", plan, system)


def broken_torch(statement: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let children find a torch that does ``statement`` when it is imported."""
    place = folder / "broken"
    place.mkdir()
    (place / "torch.py").write_text(statement + "\n")
    monkeypatch.setenv("PYTHONPATH", str(place))


def test_a_process_that_is_killed_is_told_with_how_to_go_on(
    folder: RunFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken_torch("import os; print('last words', flush=True); os.kill(os.getpid(), 9)", tmp_path, monkeypatch)
    with pytest.raises(RunnerError) as error:
        run_one(folder, 0, [], Listener())
    problem = error.value.problem
    assert problem.id == "run.crashed"
    assert "SIGKILL" in problem.message
    assert problem.got == "last words"
    assert f"vflops run --resume {folder.path}" in problem.action
    assert folder.unfinished() == [0, 1, 2, 3, 4]
    told = folder.discard_part(0)
    assert told is not None
    assert told.reason == "crashed"


def test_an_error_in_a_process_is_told_once_and_its_log_is_ended(
    folder: RunFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken_torch("raise ImportError('libfoo is missing')", tmp_path, monkeypatch)
    listener = Listener()
    with pytest.raises(RunnerError, match="libfoo is missing"):
        run_one(folder, 0, [], listener)
    assert len([event for event in listener.events if isinstance(event, Failed)]) == 1
    told = folder.discard_part(0)
    assert told is not None
    assert told.reason == "interrupted"


def test_the_command_that_goes_on_can_be_pasted(folder: RunFolder, tmp_path: Path) -> None:
    path = tmp_path / "it's mine; $HOME"
    shown = go_on(replace(folder, path=path))
    assert shlex.split(shown[shown.index("vflops") :]) == ["vflops", "run", "--resume", str(path)]


def test_a_run_set_goes_on_only_where_it_began(folder: RunFolder) -> None:
    run_set.refuse_changed(folder, FACTS)
    system = json.loads((folder.path / SYSTEM).read_text())
    (folder.path / SYSTEM).write_bytes(canonical.dumps(system | {"host_memory_capacity": "1 GB"}))
    with pytest.raises(RunnerError) as error:
        run_set.refuse_changed(folder, FACTS)
    assert error.value.problem.id == "resume.changed"
    assert error.value.problem.got == "changed: host_memory_capacity"


def test_a_system_with_an_accelerator_is_described_without_its_serial(tmp_path: Path) -> None:
    facts = TorchFacts(
        version="2.13.0+cu130", device="cuda", threads=8, cuda="13.0", cudnn=91900, nccl="2.28.9", accelerators=(GPU,)
    )
    key = keys.create_key()
    system = describe(facts, key, system_name="a system", storage=tmp_path)
    assert system["accelerators_per_node"] == 1
    assert system["accelerator_model_name"] == "NVIDIA H200"
    assert system["accelerator_memory_capacity"] == "141 GB"
    assert system["framework"] == "PyTorch 2.13.0+cu130"
    assert system["other_software_stack"]["nccl"] == "2.28.9"
    assert system["vflops"]["device_ids"] == [key.pseudonym(GPU.uuid)]
    assert GPU.uuid not in json.dumps(system)
