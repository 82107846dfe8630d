"""What is trained: definitions of reference workloads and the PyTorch code that trains them."""
