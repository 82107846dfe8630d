"""Training of image classification: cross-entropy, top-1, and the engine around them."""

from __future__ import annotations

from typing import cast

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from workloads import random
from workloads.datasets.search import not_available
from workloads.definition import Recorder, TrainingTask, Workload
from workloads.engine import loop, numerics
from workloads.engine.problem import Batch
from workloads.image_classification import model
from workloads.image_classification.data import EVALUATION_BATCH_SIZE, ImagesOnDevice
from workloads.layers.resnet import ResNet


def train(task: TrainingTask, recorder: Recorder) -> None:
    """Train one run and report it to ``recorder``; raises WorkloadError where it cannot start."""
    if not task.workload.dataset.files:
        raise not_available(task.workload)
    loop.run(task, recorder, ImageClassification(task.workload))


class ImageClassification:
    """What the engine needs to know of this workload."""

    def __init__(self, workload: Workload) -> None:
        self.evaluation_batch_size = min(EVALUATION_BATCH_SIZE, workload.dataset.eval_samples)
        self._smoothing = cast(float, workload.hyperparameters["label_smoothing"])

    def build(self, workload: Workload) -> ResNet:
        """The network."""
        return model.build(workload)

    def loss(self, outputs: Tensor, targets: Tensor) -> Tensor:
        """Cross-entropy with the recipe's label smoothing, in fp32 whatever the precision."""
        return functional.cross_entropy(outputs.float(), targets, label_smoothing=self._smoothing)

    def score(self, outputs: Tensor, targets: Tensor) -> Tensor:
        """Correct predictions, and the summed cross-entropy without smoothing."""
        correct = (outputs.argmax(dim=1) == targets).sum()
        loss = functional.cross_entropy(outputs.float(), targets, reduction="sum")
        return torch.stack((correct.double(), loss.double()))

    def made_up_batch(self, task: TrainingTask, size: int, device: torch.device) -> Batch:
        """Images and labels out of the generator alone."""
        count = size * int(np.prod(task.workload.input_shape))
        words = random.words(task.seed, "", random.Purpose.MADE_UP_DATA, 0, np.arange(-(-count // 4), dtype=np.int64))
        pixels = words.reshape(-1)[:count].astype(np.float32) / np.float32(2**32) - np.float32(0.5)
        images = torch.from_numpy(pixels).reshape(size, *task.workload.input_shape).to(device)
        targets = torch.arange(size, device=device) % task.workload.classes
        return images.contiguous(memory_format=numerics.memory_format(task.configuration)), targets

    def open(self, task: TrainingTask, device: torch.device) -> ImagesOnDevice:
        """The data set, read and moved to the device."""
        return ImagesOnDevice(task, device)
