"""Names in the log: MLPerf's keys as mlperf_logging spells them, and ours under a namespace of their own."""

from __future__ import annotations

from typing import Final

NAMESPACE: Final = "vflops"
"""Namespace of our keys; MLPerf's stand under the empty one."""

INTERVAL_START: Final = "INTERVAL_START"
INTERVAL_END: Final = "INTERVAL_END"
POINT_IN_TIME: Final = "POINT_IN_TIME"
EVENT_TYPES: Final = (INTERVAL_START, INTERVAL_END, POINT_IN_TIME)

# MLPerf: the submission.
SUBMISSION_BENCHMARK: Final = "submission_benchmark"
SUBMISSION_DIVISION: Final = "submission_division"
SUBMISSION_ORG: Final = "submission_org"
SUBMISSION_PLATFORM: Final = "submission_platform"
SUBMISSION_STATUS: Final = "submission_status"

# MLPerf: what is trained, and how.
SEED: Final = "seed"
GLOBAL_BATCH_SIZE: Final = "global_batch_size"
GRADIENT_ACCUMULATION_STEPS: Final = "gradient_accumulation_steps"
TRAIN_SAMPLES: Final = "train_samples"
EVAL_SAMPLES: Final = "eval_samples"
OPT_NAME: Final = "opt_name"
OPT_BASE_LEARNING_RATE: Final = "opt_base_learning_rate"

# MLPerf: the course of a run.
INIT_START: Final = "init_start"
INIT_STOP: Final = "init_stop"
RUN_START: Final = "run_start"
RUN_STOP: Final = "run_stop"
BLOCK_START: Final = "block_start"
BLOCK_STOP: Final = "block_stop"
EVAL_START: Final = "eval_start"
EVAL_STOP: Final = "eval_stop"
EVAL_ACCURACY: Final = "eval_accuracy"

# Ours, under NAMESPACE.
BEGIN: Final = "begin"
PROGRESS: Final = "progress"
CHECKPOINT: Final = "checkpoint"
TELEMETRY: Final = "telemetry"
INTERVAL: Final = "interval"
END: Final = "end"

# Fields of metadata that every line has. MLPerf's own parsers read the first two.
FILE: Final = "file"
LINENO: Final = "lineno"
SEQ: Final = "seq"
CLOCK_US: Final = "clock_us"
PREV: Final = "prev"
COMMON_METADATA: Final = frozenset({FILE, LINENO, SEQ, CLOCK_US, PREV})

# Further fields of metadata.
SAMPLES: Final = "samples"
EPOCH_NUM: Final = "epoch_num"
FIRST_EPOCH_NUM: Final = "first_epoch_num"
EPOCH_COUNT: Final = "epoch_count"
LOSS: Final = "loss"
STATUS: Final = "status"

SUCCESS: Final = "success"
ABORTED: Final = "aborted"
