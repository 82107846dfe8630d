"""``python -m runner``: the same as the console command ``vflops``."""

from runner.cli import main

raise SystemExit(main())
