"""Making evidence: the packaged command line ``vflops``."""
