"""What the machine was doing during a run: host, accelerators and CPU packages, sampled by a thread."""
