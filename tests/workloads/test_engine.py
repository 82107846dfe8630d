"""The engine's parts: warm-up without a trace, checkpoints, losses and optimizer."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file

from tests.workloads.tiny import BATCH, TINY, Listener, make_task
from workloads.engine import checkpoint, loop
from workloads.engine.losses import HostLosses, loss_reader
from workloads.engine.schedule import intervals
from workloads.engine.session import Session, prepare
from workloads.engine.state import MOMENTUM
from workloads.engine.warmup import batch_sizes, warm_up
from workloads.errors import WorkloadError
from workloads.image_classification.train import ImageClassification

pytestmark = pytest.mark.training

CPU = torch.device("cpu")


@pytest.fixture
def session(tmp_path: Path, digits: Path) -> Session:
    """A prepared session of TINY."""
    return prepare(make_task(tmp_path, digits), ImageClassification(TINY))


def train_first_interval(session: Session) -> None:
    """So that momentum and batch statistics are no longer what they start as."""
    data = session.problem.open(session.task, session.device)
    loop.train_interval(session, data, intervals(session.task)[0], Listener())


@pytest.mark.parametrize("trained_before", [False, True])
def test_warm_up_leaves_every_bit_as_it_was(session: Session, trained_before: bool) -> None:
    if trained_before:
        train_first_interval(session)
    before = session.state.copy()
    places = {name: tensor.data_ptr() for name, tensor in session.state.tensors().items()}
    warm_up(session)
    after = session.state.copy()
    assert list(after) == list(before)
    assert all(torch.equal(after[name], before[name]) for name in before)
    assert {name: tensor.data_ptr() for name, tensor in session.state.tensors().items()} == places
    assert session.network.training
    assert all(parameter.grad is None for parameter in session.network.parameters())


def test_a_step_does_change_what_the_warm_up_puts_back(session: Session) -> None:
    before = session.state.copy()
    session.step(session.problem.made_up_batch(session.task, BATCH, session.device), rate=0.0)
    changed = {name for name, tensor in session.state.copy().items() if not torch.equal(tensor, before[name])}
    assert {"model.bn1.running_mean", "model.bn1.num_batches_tracked", f"optimizer.fc.weight.{MOMENTUM}"} <= changed


def test_warm_up_meets_every_batch_size_of_the_run(session: Session, tmp_path: Path, digits: Path) -> None:
    listener = Listener()
    loop.run(session.task, listener, session.problem)
    steps = [values["samples"] for values in listener.of("step")]
    assert {after - before for before, after in zip([0, *steps], steps, strict=False)} == batch_sizes(session)


def test_made_up_data_has_the_shape_of_real_data_and_no_folder(session: Session) -> None:
    made_up = session.problem.made_up_batch(session.task, 30, session.device)
    data = session.problem.open(session.task, session.device)
    data.begin(intervals(session.task)[0])
    for invented, real in zip(made_up, data.batch(0, 30), strict=True):
        assert (invented.shape, invented.dtype) == (real.shape, real.dtype)
    assert not torch.equal(made_up[0], data.batch(0, 30)[0])


def test_evaluation_changes_nothing(session: Session) -> None:
    train_first_interval(session)
    before = session.state.copy()
    data = session.problem.open(session.task, session.device)
    first, second = loop.evaluate(session, data), loop.evaluate(session, data)
    assert first == second
    assert all(torch.equal(tensor, before[name]) for name, tensor in session.state.copy().items())


def test_weight_decay_spares_biases_and_normalisation(session: Session) -> None:
    decayed = {id(p) for g in session.state.optimizer.param_groups if g["weight_decay"] for p in g["params"]}
    for name, parameter in session.state.model.named_parameters():
        assert (id(parameter) in decayed) == (
            name.endswith("weight") and "bn" not in name and "downsample.1" not in name
        )


def test_a_step_uses_its_own_learning_rate(session: Session) -> None:
    """With zero momentum before, SGD of Nesterov's kind moves a bias by (1 + momentum) x gradient x rate."""
    batch = session.problem.made_up_batch(session.task, BATCH, session.device)
    bias = session.state.model.get_parameter("fc.bias")
    session.step(batch, rate=0.5)
    gradient = session.state.tensors()[f"optimizer.fc.bias.{MOMENTUM}"]
    assert torch.allclose(bias, -0.5 * 1.9 * gradient)


def test_a_checkpoint_reads_back_with_its_position(session: Session) -> None:
    train_first_interval(session)
    interval = intervals(session.task)[1]
    path = checkpoint.write(session.task, session.state, interval)
    position, tensors = checkpoint.read(path)
    assert path == session.task.checkpoint_dir / "00002.safetensors"
    assert position == checkpoint.Position(workload=TINY.id, seed=7, samples=interval.last, interval=1)
    for name, tensor in session.state.copy().items():
        assert torch.equal(tensors[name], tensor)
    assert {name.split(".")[0] for name in tensors} == {"model", "optimizer", "rng", "position"}


def test_a_write_that_fails_leaves_the_old_checkpoint(session: Session) -> None:
    interval = intervals(session.task)[0]
    path = checkpoint.write(session.task, session.state, interval)
    assert list(path.parent.iterdir()) == [path]
    content = path.read_bytes()
    train_first_interval(session)
    (path.parent / (path.name + ".part")).mkdir()
    with pytest.raises(IsADirectoryError):
        checkpoint.write(session.task, session.state, interval)
    assert path.read_bytes() == content


def test_a_checkpoint_of_someone_else_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "theirs.safetensors"
    save_file({"weight": torch.zeros(2)}, path)
    with pytest.raises(WorkloadError) as caught:
        checkpoint.read(path)
    assert caught.value.id == "checkpoint.format"
    assert caught.value.place == str(path)


@pytest.mark.parametrize(
    "content", [b"", b"\x80\x04K\x01.", bytes(100), b"\xff" * 100], ids=["empty", "pickle", "zeros", "ones"]
)
def test_a_file_that_is_no_safetensors_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "00001.safetensors"
    path.write_bytes(content)
    with pytest.raises(WorkloadError) as caught:
        checkpoint.read(path)
    assert caught.value.id == "checkpoint.format"


def test_half_a_checkpoint_is_refused(session: Session) -> None:
    path = checkpoint.write(session.task, session.state, intervals(session.task)[0])
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    with pytest.raises(WorkloadError) as caught:
        checkpoint.read(path)
    assert caught.value.id == "checkpoint.format"


def test_losses_are_weighted_by_their_samples() -> None:
    losses = loss_reader(CPU)
    assert isinstance(losses, HostLosses)
    assert losses.add(torch.tensor(1.0), 10) == 1.0
    assert losses.add(torch.tensor(4.0), 20) == 4.0
    assert losses.mean() == pytest.approx(3.0)
