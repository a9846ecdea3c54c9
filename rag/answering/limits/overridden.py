"""What the rules of a context prevail over by their own words, in one line for each provision that says so. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from retrieval.model import PrevailsOver, ScopedContext

_NAMED = 8  # provisions in one line; of "sections 5 through 40" the others are counted


def overridden_by(context: ScopedContext, urns: Iterable[str]) -> list[PrevailsOver]:
    """What the blocks with these URNs prevail over, by their own words or by those of what contains them."""
    above = {block.urn: block.parent_urn for block in context.blocks}
    line: set[str] = set()
    for urn in urns:
        here: str | None = urn
        while here is not None and here not in line:
            line.add(here)
            here = above.get(here)
    return [one for one in context.prevails_over if one.by in line]


def overridden_lines(found: Iterable[PrevailsOver], cited: Callable[[str], str | None]) -> dict[str, str]:
    """By the URN of each provision that says so: `applies notwithstanding § 12, urn:lex:us:x:12 (Fees)`.

    Args:
        cited: how people cite a provision, by its URN; empty where no citation is known or wanted.
    """
    told: dict[str, list[str]] = {}
    for one in found:
        name = ", ".join(part for part in (cited(one.urn), one.urn) if part)
        note = one.heading if one.in_force else "not in the store in force at the date"
        told.setdefault(one.by, []).append(f"{name} ({note})" if note else name)
    return {
        by: f"applies notwithstanding {'; '.join(names[:_NAMED])}"
        + (f" and {len(names) - _NAMED} more" if len(names) > _NAMED else "")
        for by, names in told.items()
    }
