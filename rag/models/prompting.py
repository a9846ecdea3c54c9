"""The prompt files: text in parts, with a version, inside the package in a wheel and beside it in a checkout."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

LANGUAGES = {"en": "English", "fr": "French", "de": "German", "ja": "Japanese"}  # as prompts and messages name them
_PART = re.compile(r"^<!-- ([a-z]+) -->\n", re.MULTILINE)
_VERSION = re.compile(r"^version: (\S+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class PromptFile:
    """A file of `prompts`.

    Attributes:
        source: the whole file, for digests.
        version: as its head gives it; changes with every change of meaning.
        parts: templates of `string.Template`, by name.
    """

    source: str
    version: str
    parts: dict[str, str]


def prompts_folder() -> Traversable:
    """The folder `prompts`."""
    packaged = files("rag") / "prompts"
    return packaged if packaged.is_dir() else Path(__file__).resolve().parents[2] / "prompts"


def read_prompt(name: str) -> PromptFile:
    """The prompt file of this name, such as `synthesis`."""
    source = (prompts_folder() / f"{name}.md").read_text(encoding="utf-8")
    head, *rest = _PART.split(source)
    version = _VERSION.search(head)
    return PromptFile(source, version[1] if version else "", dict(zip(rest[::2], rest[1::2], strict=True)))


def prompt_key(instructions: str, text: str) -> str:
    """SHA-256 of what a model is sent, byte for byte: what recordings are found by."""
    return hashlib.sha256(f"{instructions}\x00{text}".encode()).hexdigest()
