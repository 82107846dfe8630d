"""All that training changes: weights, batch statistics, momentum and generators, as one named set of tensors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

import torch
from torch import Tensor, nn

from workloads.definition import Workload

MOMENTUM = "momentum_buffer"


@dataclass(frozen=True, slots=True)
class TrainingState:
    """Model and optimizer; ``tensors`` names everything in them that training changes."""

    model: nn.Module
    optimizer: torch.optim.SGD

    def tensors(self) -> dict[str, Tensor]:
        """The live tensors by their names in a checkpoint; writing into them changes the state."""
        found = {f"model.{name}": tensor for name, tensor in self.model.state_dict().items()}
        for name, parameter in self.model.named_parameters():
            found[f"optimizer.{name}.{MOMENTUM}"] = self.optimizer.state[parameter][MOMENTUM]
        return found

    def copy(self) -> dict[str, Tensor]:
        """A copy of all tensors and of the generators' states."""
        copied = {name: tensor.detach().clone() for name, tensor in self.tensors().items()}
        return copied | {name: state.clone() for name, state in generator_states().items()}

    def restore(self, saved: Mapping[str, Tensor]) -> None:
        """Write saved values into the live tensors, in place: compiled code keeps its addresses."""
        with torch.no_grad():
            for name, tensor in self.tensors().items():
                tensor.copy_(saved[name])
        _restore_generators(saved)


def generator_states() -> dict[str, Tensor]:
    """PyTorch's own generators. Training draws nothing from them; their states show that nothing was drawn."""
    states = {"rng.torch_cpu": torch.get_rng_state()}
    if torch.cuda.is_initialized():
        states["rng.torch_cuda"] = torch.cuda.get_rng_state()
    return states


def _restore_generators(saved: Mapping[str, Tensor]) -> None:
    torch.set_rng_state(saved["rng.torch_cpu"].cpu())
    if "rng.torch_cuda" in saved and torch.cuda.is_initialized():
        torch.cuda.set_rng_state(saved["rng.torch_cuda"].cpu())


def sgd(model: nn.Module, workload: Workload) -> torch.optim.SGD:
    """SGD of the definition's recipe; no weight decay on biases and normalisation, as in the reference recipe.

    Momentum starts at zero explicitly, so that the first checkpoint has the names of all later ones.
    """
    values = workload.hyperparameters
    decayed = [parameter for parameter in model.parameters() if parameter.ndim > 1]
    others = [parameter for parameter in model.parameters() if parameter.ndim <= 1]
    groups: list[dict[str, Any]] = [
        {"params": decayed, "weight_decay": values["weight_decay"]},
        {"params": others},
    ]
    optimizer = torch.optim.SGD(
        groups,
        lr=0.0,
        momentum=cast(float, values["momentum"]),
        nesterov=values["nesterov"] == "true",
        fused=True,
    )
    for parameter in model.parameters():
        optimizer.state[parameter][MOMENTUM] = torch.zeros_like(parameter)
    return optimizer


def set_learning_rate(optimizer: torch.optim.SGD, rate: float) -> None:
    """The rate of the next step."""
    for group in optimizer.param_groups:
        group["lr"] = rate
