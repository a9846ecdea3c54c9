"""The prompt: C(R) and the scenario, nothing else, byte for byte the same for the same request."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from string import Template

from rag.answering.limits.overridden import overridden_lines
from rag.models.prompting import LANGUAGES, read_prompt
from retrieval.model import Block, ScopedContext


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a model is sent. `digest` covers both parts and the template they came from."""

    instructions: str
    input: str
    input_redacted: str  # the same with the scenario taken out, for traces
    digest: str
    fence: str  # what sets data apart in it
    version: str = ""  # of the template

    @property
    def text(self) -> str:
        """Both parts, as a reviewer reads them."""
        return f"{self.instructions}\n\n{self.input}"

    @property
    def text_redacted(self) -> str:
        """Both parts without the scenario."""
        return f"{self.instructions}\n\n{self.input_redacted}"


def build_prompt(context: ScopedContext, scenario: str, *, language: str) -> Prompt:
    """Build the prompt for an assembled context.

    The fence around data is derived from the digests of context and scenario: the same request gives the same
    bytes, and no text in a corpus can know it beforehand.
    """
    file = read_prompt("synthesis")
    key = hashlib.sha256(f"{context.digest}\n{scenario}".encode()).hexdigest()[:16]
    fence = f"=== {key}"
    warnings = "".join(
        f"{fence} warning: {warning.message}\n" for warning in context.warnings if warning.kind != "inferred_scope"
    )
    values = {
        "at_date": context.at_date.isoformat(),
        "targets": ", ".join(dict.fromkeys(context.targets)),
        "blocks": "\n".join(_blocks(context, fence)),
        "warnings": f"{warnings}\n" if warnings else "",
        "fence": fence,
    }
    told = Template(file.parts["instructions"]).substitute(language=LANGUAGES.get(language, language)).strip()
    full = Template(file.parts["input"]).substitute(values, scenario=scenario)
    redacted = Template(file.parts["input"]).substitute(values, scenario="[scenario not kept]")
    digest = hashlib.sha256(f"{file.source}\x00{told}\x00{full}".encode()).hexdigest()
    return Prompt(told, full, redacted, digest, fence, file.version)


def build_repair(prompt: Prompt, failed: Sequence[str]) -> Prompt:
    """Build the prompt of the one repair round: the first prompt, then the claims that failed, and nothing new.

    Args:
        failed: one JSON object a claim, on one line each.
    """
    lines = "\n".join(failed)
    asked = Template(read_prompt("synthesis").parts["repair"]).substitute(
        fence=prompt.fence, failed=lines, count=len(failed)
    )
    full = f"{prompt.input}\n{asked}"
    digest = hashlib.sha256(f"{prompt.digest}\x00{full}".encode()).hexdigest()
    return replace(prompt, input=full, digest=digest)


def _blocks(context: ScopedContext, fence: str) -> list[str]:
    """The blocks as the model reads them. Words that siblings share stand with the first; the others name it."""
    told: dict[tuple[str, str], str] = {}
    over = overridden_lines(context.prevails_over, lambda urn: "")
    return [
        _block(block, fence, told, over.get(block.urn, "")) for block in context.blocks if block.text or block.heading
    ]


def _block(block: Block, fence: str, told: dict[tuple[str, str], str], over: str) -> str:
    since = block.valid_from.isoformat() if block.valid_from else "unknown"
    until = f" until {block.valid_to.isoformat()}" if block.valid_to else ""
    lines = [
        f"{fence} block {block.id}: {block.urn} ({block.role}, in force from {since}{until})",
        f"Why it is here: {block.reason}; applies to {', '.join(block.applies_to)}",
    ]
    if over:
        lines.append(f"It {over}")
    if block.heading:
        lines.append(f"Heading: {block.heading}")
    if block.lead_in:
        first = told.setdefault(("lead-in", block.lead_in), block.id)
        lines.append(f"It continues: {block.lead_in if first == block.id else f'what block {first} continues'}")
    # A lead-in and the words after its list must not read as one sentence.
    if block.sides:
        lines.append(f"\n{fence} its parts stand in blocks of their own; after them:\n".join(block.sides))
    if block.flush:
        first = told.setdefault(("flush", block.flush), block.id)
        lines.append(f"It is followed by: {block.flush if first == block.id else f'what follows block {first}'}")
    return "\n".join(lines) + "\n"
