"""A provision as people cite it, with the name of its law: `17 U.S.C. § 106`, `Harbor Code § 9(4)`."""

from __future__ import annotations

import re

from rag.jurisdictions.citing import cited_as
from retrieval.model import ScopedContext
from retrieval.paths import parse_urn
from retrieval.references.law_words import names_in

_PRINTED = re.compile(r"(?:nr\.)?[a-z0-9.-]+\Z")  # a place that is printed as it is numbered
_CHUNK = re.compile(r":doc:[^:]+:\d{4}\Z")  # of a document that numbers no provisions


def citation_of(urn: str, context: ScopedContext) -> str:
    """A provision as people cite it; see `named`."""
    above = (block for block in context.blocks if block.parent_urn is None and f"{urn}:".startswith(f"{block.urn}:"))
    root = next(above, None)
    return named(urn, root.heading, root.urn) if root is not None else named(urn, "", "")


def named(urn: str, title: str, root: str) -> str:
    """A provision as people cite it: `17 U.S.C. § 106`; where its law has no form of its own, `Harbor Code § 9(4)`.

    What is printed is read again as it is by `retrieval/references/law_names.py`.

    Args:
        title: of its law; empty where it is not known.
        root: the URN of that law; empty where it is not known.
    """
    parsed = parse_urn(urn)
    cited = cited_as(parsed.text)
    if cited and not (title and parsed.corpus == "doc" and not _CHUNK.search(parsed.text)):
        return cited
    law = root or parsed.law
    name = min(names_in(title), key=len) if title else law.rpartition(":")[2]
    # A definition without a number of its own is cited by what it is in.
    places = [part for part in parsed.text.removeprefix(law).split(":")[1:] if not part.startswith("def.")]
    if any(not _PRINTED.match(part) for part in places) or not (places or ["1"])[0][0].isdigit():
        return ", ".join((name, *(part.replace("_", " ") for part in places)))
    first, *rest = (part.removeprefix("nr.") for part in places or [""])
    if parsed.jurisdiction == "jp" and first:
        article, *branches = first.split("-")
        units = "".join(f"第{part}{unit}" for part, unit in zip(rest, "項号", strict=False))
        return f"{name}第{article}条{''.join(f'の{branch}' for branch in branches)}{units}"
    chapter = name.rpartition(" ")[2]
    if chapter[:1].isdigit() and first.startswith((f"{chapter}.", f"{chapter}-")):  # "TFMC 12.44" and 12.44.050
        return f"{name}{first.removeprefix(chapter)}{''.join(f'({part})' for part in rest)}"
    return f"{name} § {first}{''.join(f'({part})' for part in rest)}" if first else name
