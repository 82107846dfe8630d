"""One prepared training: device, network, optimizer and state, and the two things done with them, step and score."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from workloads.definition import TrainingTask
from workloads.engine import numerics
from workloads.engine.problem import Batch, Problem
from workloads.engine.state import TrainingState, set_learning_rate, sgd
from workloads.engine.weights import initialise


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """Everything a run needs besides its data; ``network`` is the state's model, compiled where configured."""

    task: TrainingTask
    problem: Problem
    device: torch.device
    state: TrainingState
    network: nn.Module

    def step(self, batch: Batch, *, rate: float) -> Tensor:
        """Forward, backward and update; returns the loss on the device, not waited for."""
        images, targets = batch
        with numerics.autocast(self.task.configuration, self.device):
            loss = self.problem.loss(self.network(images), targets)
        loss.backward()
        set_learning_rate(self.state.optimizer, rate)
        self.state.optimizer.step()
        self.state.optimizer.zero_grad(set_to_none=True)
        return loss.detach()

    def score(self, batch: Batch) -> Tensor:
        """What a batch adds to an evaluation; the network stays as it is."""
        images, targets = batch
        self.network.eval()
        with torch.no_grad(), numerics.autocast(self.task.configuration, self.device):
            added = self.problem.score(self.network(images), targets)
        self.network.train()
        return added

    def synchronise(self) -> None:
        """Wait for the device."""
        numerics.synchronise(self.device)


def prepare(task: TrainingTask, problem: Problem) -> Session:
    """Network and optimizer of a task on its device, with the initial weights of its seed."""
    device = numerics.device_of(task.device)
    numerics.configure(task.configuration, device)
    torch.manual_seed(task.seed)
    model = problem.build(task.workload)
    initialise(model, task.seed)
    model = model.to(device=device, memory_format=numerics.memory_format(task.configuration)).train()  # type: ignore[call-overload]
    state = TrainingState(model, sgd(model, task.workload))
    network = numerics.compiled(model, task.configuration)
    return Session(task=task, problem=problem, device=device, state=state, network=network)
