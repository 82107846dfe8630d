"""Training, evaluation and checkpoints, the same for every workload; read ``loop.py`` first."""
