"""Commands behind the Makefile, started as ``python -m scripts.NAME`` from the top folder."""
