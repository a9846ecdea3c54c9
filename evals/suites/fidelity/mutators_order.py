"""Truth-known mutants that keep every word of an English norm and say something else by where the words stand."""

from __future__ import annotations

import random
import re

from evals.suites.fidelity.mutators import PARTY
from rag.languages.word_by_word import word_list

_WORD = re.compile(r"(?<![-'\w.])[a-z]{5,}(?![-'\w])")
# Words that may be elsewhere and change nothing, or that join or measure.
_EMPTY = frozenset(
    word_list(
        """
    about above across after against among another because accordance before being below between beyond chapter
    could described during either every except following earlier greater hereby herein including later least
    might never notwithstanding other otherwise paragraph part prior provided pursuant respect provision
    provisions section sections shall should since state states subchapter subject subsection subsections such
    than that their there thereof these this those through title toward under unless until upon where whether
    which while whole whose within without would
    """
    )
)
_RELATION = re.compile(r"\b(?P<word>of|by|for|to) (?:the|a|an|any|such) (?=(?P<noun>[a-z]{4,})\b)")
_PHRASES = frozenset(
    word_list(
        "extent purpose purposes event case reason effect benefit following preceding same foregoing date law statute "
        "rule act means"
    )
)
_OTHER = {"of": "by", "by": "of", "for": "by", "to": "by"}


def words_exchanged(text: str, rng: random.Random) -> str | None:
    """Two words change places: `the written tenancy`, `notice`."""
    found = [match for match in _WORD.finditer(text) if match[0] not in _EMPTY and not PARTY.fullmatch(match[0])]
    pairs = [
        (one, other)
        for one, other in zip(found, found[2:], strict=False)
        if one[0][:4] != other[0][:4] and not re.search(r"\b(?:and|or)\b|[,;]", text[one.end() : other.start()])
    ]
    if not pairs:
        return None
    one, other = rng.choice(pairs)
    return text[: one.start()] + other[0] + text[one.end() : other.start()] + one[0] + text[other.end() :]


def not_moved(text: str, rng: random.Random) -> str | None:
    """`not` governs another verb than it did."""
    found = list(re.finditer(r"\b(?:is|are|does|do|has|have|was|were)\b(?: not\b)?", text))
    governed = [match for match in found if match[0].endswith(" not")]
    free = [match for match in found if not match[0].endswith(" not")]
    pairs = [(match, other) for match in governed for other in free if _are_apart(text, match, other)]
    if not pairs:
        return None
    one, other = rng.choice(pairs)
    changed = {one.start(): one[0].removesuffix(" not"), other.start(): f"{other[0]} not"}
    out = text
    for match in sorted((one, other), key=lambda match: -match.start()):
        out = out[: match.start()] + changed[match.start()] + out[match.end() :]
    return out


def _are_apart(text: str, one: re.Match[str], other: re.Match[str]) -> bool:
    """`Does have not` is `does not have`."""
    between = text[min(one.end(), other.end()) : max(one.start(), other.start())]
    return len(re.findall(r"\w+", between)) > 2


def relation_changed(text: str, rng: random.Random) -> str | None:
    """What is done by somebody is done of him, for him or to him."""
    found = [match for match in _RELATION.finditer(text) if match["noun"] not in _EMPTY | _PHRASES]
    if not found:
        return None
    match = rng.choice(found)
    return text[: match.start("word")] + _OTHER[match["word"]] + text[match.end("word") :]
