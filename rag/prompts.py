"""The prompt: C(R) and the scenario, nothing else, byte for byte the same for the same request."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from string import Template

from retrieval.model import Block, ScopedContext

LANGUAGES = {"en": "English", "fr": "French", "de": "German", "ja": "Japanese"}


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a model is sent. `digest` covers both parts and the template they came from."""

    instructions: str
    input: str
    input_redacted: str  # the same with the scenario taken out, for traces
    digest: str

    @property
    def text(self) -> str:
        """Both parts, as a reviewer reads them."""
        return f"{self.instructions}\n\n{self.input}"

    @property
    def text_redacted(self) -> str:
        """Both parts without the scenario."""
        return f"{self.instructions}\n\n{self.input_redacted}"


def prompts_folder() -> Traversable:
    """The folder `prompts`: inside the package in a wheel, beside it in a checkout."""
    packaged = files("rag") / "prompts"
    return packaged if packaged.is_dir() else Path(__file__).resolve().parent.parent / "prompts"


def build_prompt(context: ScopedContext, scenario: str, *, language: str) -> Prompt:
    """Build the prompt for an assembled context.

    The fence around data is derived from the digests of context and scenario: the same request gives the same
    bytes, and no text in a corpus can know it beforehand.
    """
    source = (prompts_folder() / "synthesis.md").read_text(encoding="utf-8")
    _, _, rest = source.partition("<!-- instructions -->\n")
    instructions, _, template = rest.partition("<!-- input -->\n")
    key = hashlib.sha256(f"{context.digest}\n{scenario}".encode()).hexdigest()[:16]
    fence = f"=== {key}"
    warnings = "".join(f"{fence} warning: {one.message}\n" for one in context.warnings if one.kind != "inferred_scope")
    values = {
        "at_date": context.at_date.isoformat(),
        "targets": ", ".join(dict.fromkeys(context.targets)),
        "blocks": "\n".join(_block(block, fence) for block in context.blocks if block.text or block.heading),
        "warnings": f"{warnings}\n" if warnings else "",
        "fence": fence,
    }
    told = Template(instructions).substitute(language=LANGUAGES.get(language, language)).strip()
    full = Template(template).substitute(values, scenario=scenario)
    redacted = Template(template).substitute(values, scenario="[scenario not kept]")
    digest = hashlib.sha256(f"{source}\x00{told}\x00{full}".encode()).hexdigest()
    return Prompt(told, full, redacted, digest)


def _block(block: Block, fence: str) -> str:
    since = block.valid_from.isoformat() if block.valid_from else "unknown"
    until = f" until {block.valid_to.isoformat()}" if block.valid_to else ""
    lines = [
        f"{fence} block {block.id}: {block.urn} ({block.role}, in force from {since}{until})",
        f"Why it is here: {block.reason}; applies to {', '.join(block.applies_to)}",
    ]
    if block.heading:
        lines.append(f"Heading: {block.heading}")
    if block.lead_in:
        lines.append(f"It continues: {block.lead_in}")
    # A lead-in and the words after its list must not read as one sentence.
    if block.sides:
        lines.append(f"\n{fence} its parts stand in blocks of their own; after them:\n".join(block.sides))
    if block.flush:
        lines.append(f"It is followed by: {block.flush}")
    return "\n".join(lines) + "\n"
