"""The evidence format: logs, telemetry, checkpoints, statement and container, written and read by one code."""
