"""Versions of the packages that a result may depend on."""

from __future__ import annotations

import importlib.metadata
import re

WANTED = (
    "vflops",
    "torch",
    "triton",
    "numpy",
    "safetensors",
    "scikit-learn",
    "h5py",
    "pillow",
    "psutil",
    "nvidia-ml-py",
    "rfc8785",
    "cryptography",
)

ACCELERATOR_LIBRARY = re.compile(r"nvidia-(cudnn|cublas|nccl|cuda-runtime|cusparselt)(-cu\d+)?|intel-openmp|mkl")
"""Vendors' libraries that come as packages, whatever CUDA version their name carries."""


def package_versions() -> dict[str, str]:
    """Installed versions by package name; what is not installed is left out."""
    installed = {_canonical(d.metadata["Name"]): d.version for d in importlib.metadata.distributions()}
    return {
        name: version
        for name, version in sorted(installed.items())
        if name in WANTED or ACCELERATOR_LIBRARY.fullmatch(name)
    }


def _canonical(name: str | None) -> str:
    return re.sub(r"[-_.]+", "-", name or "").lower()
