"""Making evidence: the packaged command line ``vflops``."""

__version__ = "0.1.0"
