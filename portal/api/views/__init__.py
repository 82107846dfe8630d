"""One class an operation, one module a subject; each checks its input, calls a service or selector, and shows it."""
