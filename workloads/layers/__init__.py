"""Networks and operations that several workloads share."""
