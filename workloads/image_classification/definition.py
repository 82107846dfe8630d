"""Definitions of image classification: ResNet-50 v1.5 on ImageNet, the same code small on Fashion-MNIST and digits.

Sources: the task, its target and n = 5 are HPC AI500's (Jiang et al., 2021); the hyper-parameters at reference scale
are those of NVIDIA's ResNet-50 v1.5 recipe; lite and smoke are calibrated here, see README.md beside this file.
"""

from __future__ import annotations

from workloads.definition import (
    Calibration,
    DataFile,
    Dataset,
    EvaluationSchedule,
    LearningRateRule,
    Metric,
    Scale,
    Workload,
)

TOP1 = Metric(name="top1", title="top-1 accuracy")

IMAGENET = Dataset(
    name="imagenet-1k",
    title="ImageNet-1k (ILSVRC 2012)",
    train_samples=1_281_167,
    eval_samples=50_000,
    licence="non-commercial research, by agreement with image-net.org",
)

FASHION_MNIST_HOME = "http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/"
"""Public home of the files, from the data set's own README; unencrypted, so the digests below carry the trust."""


def _fashion_mnist_file(name: str, size_bytes: int, sha256: str) -> DataFile:
    return DataFile(name=name, sha256=sha256, size_bytes=size_bytes, urls=(FASHION_MNIST_HOME + name,))


FASHION_MNIST = Dataset(
    name="fashion-mnist",
    title="Fashion-MNIST",
    train_samples=60_000,
    eval_samples=10_000,
    licence="MIT",
    files=(
        _fashion_mnist_file(
            "train-images-idx3-ubyte.gz",
            26_421_856,
            "b0564c3eedabfbf835052cff8503ea422014ce006caf5b757f851416ee8300c7",
        ),
        _fashion_mnist_file(
            "train-labels-idx1-ubyte.gz",
            29_491,
            "0ae29f65d86684f32d1b9c85147786c547b9c6aebcaf235f0400a0cce308b056",
        ),
        _fashion_mnist_file(
            "t10k-images-idx3-ubyte.gz",
            4_422_079,
            "cc1d090a38ace84dfa1aa66e3ada7c336ef481a96936906477e6dd344da56eaa",
        ),
        _fashion_mnist_file(
            "t10k-labels-idx1-ubyte.gz",
            5_125,
            "8d3605d196f4be44669e46906da9733c8131fef761fdbfec72c424d5222f1a05",
        ),
    ),
)

DIGITS = Dataset(
    name="digits",
    title="Optical recognition of handwritten digits (scikit-learn's copy)",
    train_samples=1_437,
    eval_samples=360,
    licence="CC BY 4.0",
    files=(
        DataFile(
            name="digits.csv.gz",
            sha256="09f66e6debdee2cd2b5ae59e0d6abbb73fc2b0e0185d2e1957e9ebb51e23aa22",
            size_bytes=57_523,
        ),
    ),
)

REFERENCE = Workload(
    name="image_classification",
    scale=Scale.REFERENCE,
    version="1",
    title="Image classification, ResNet-50 v1.5 on ImageNet",
    model={"depths": (3, 4, 6, 3), "width": 64, "stem": "large", "stem_stride": 2},
    input_shape=(3, 224, 224),
    classes=1000,
    dataset=IMAGENET,
    metric=TOP1,
    target_quality=0.763,
    sensitivity_n=5,
    epoch_budget=90,
    evaluation=EvaluationSchedule(offset_samples=4 * 1_281_167, interval_samples=4 * 1_281_167),
    flops_per_sample=24_299_077_632,
    flops_forward_per_sample=8_178_368_512,
    learning_rate=LearningRateRule(base=0.256, base_batch=256, warmup_epochs=8, max_global_batch_size=4096),
    hyperparameters={
        "opt_name": "sgd",
        "momentum": 0.875,
        "nesterov": "false",
        "weight_decay": 1 / 32768,
        "label_smoothing": 0.1,
    },
    default_global_batch_size=256,
)

LITE = Workload(
    name="image_classification",
    scale=Scale.LITE,
    version="1",
    title="Image classification, ResNet v1.5 on Fashion-MNIST",
    model={"depths": (1, 1, 1), "width": 8, "stem": "large", "stem_stride": 2},
    input_shape=(1, 28, 28),
    classes=10,
    dataset=FASHION_MNIST,
    metric=TOP1,
    target_quality=0.8715,
    sensitivity_n=5,
    epoch_budget=2,
    evaluation=EvaluationSchedule(offset_samples=15_000, interval_samples=15_000),
    flops_per_sample=2_033_024,
    flops_forward_per_sample=728_896,
    learning_rate=LearningRateRule(base=0.8, base_batch=200, warmup_epochs=0.2, max_global_batch_size=400),
    hyperparameters={
        "opt_name": "sgd",
        "momentum": 0.9,
        "nesterov": "true",
        "weight_decay": 5e-4,
        "label_smoothing": 0.0,
        "shift_pixels": 0,
        "flip": "true",
    },
    default_global_batch_size=200,
    channels_last=True,
    cpu_threads=1,
    calibration=Calibration(
        csv="calibration_lite_1.csv",
        seeds=32,
        quality_mean=0.879150,
        quality_std=0.002518,
        global_batch_size=200,
    ),
)

SMOKE = Workload(
    name="image_classification",
    scale=Scale.SMOKE,
    version="1",
    title="Image classification, ResNet v1.5 on 8x8 digits",
    model={"depths": (1, 1), "width": 8, "stem": "small", "stem_stride": 1},
    input_shape=(1, 8, 8),
    classes=10,
    dataset=DIGITS,
    metric=TOP1,
    target_quality=0.9417,
    sensitivity_n=5,
    epoch_budget=4,
    evaluation=EvaluationSchedule(offset_samples=479, interval_samples=479),
    flops_per_sample=1_177_344,
    flops_forward_per_sample=395_520,
    learning_rate=LearningRateRule(base=0.4, base_batch=32, warmup_epochs=2, max_global_batch_size=64),
    hyperparameters={
        "opt_name": "sgd",
        "momentum": 0.9,
        "nesterov": "true",
        "weight_decay": 5e-4,
        "label_smoothing": 0.0,
        "shift_pixels": 0,
        "flip": "false",
    },
    default_global_batch_size=32,
    cpu_threads=1,
    calibration=Calibration(
        csv="calibration_smoke_1.csv",
        seeds=64,
        quality_mean=0.964800,
        quality_std=0.007668,
        global_batch_size=32,
    ),
)

DEFINITIONS = (REFERENCE, LITE, SMOKE)
