"""Whole laws that a text names right behind a place in them which no grammar read: "Art. 4 no. 7 GDPR". Pure.

Taken alone, the name says that the law exists, and the place, right or wrong, would stand as checked.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from rag.jurisdictions.registry import jurisdiction_for
from rag.verify_deadline import NO_DEADLINE, Deadline
from rag.verify_references import Mention
from retrieval.errors import InputError
from retrieval.paths import parse_urn
from retrieval.reference_hits import named_urns

_BEFORE = 80  # characters
_UNIT = r"(?:art(?:icles?|ikels?n?|ículos?)|arts?\.?|sections?|sec\.?|ss?\.?|recitals?|rec\.|§{1,2})"
_BELOW = (
    r"(?:\(\s?\w{1,4}\s?\)|(?:no|nos|nr|n°|paras?|paragraphs?|paragraphes?|par|abs|absatz|al|alinéas?|lit|let|lettre|"
    r"points?|pt|satz|sentences?|s|sub-?paras?|sub-?paragraphs?|uabs|unterabs|ziff|ziffer|buchst)\b\.?\s?\(?\w{1,4}\)?|"
    r"[a-z]\b\)?|ff?\.|et\sseq\.?|et\ss\.?)"
)
_JOINT = r"(?:,?\s{0,2}(?:(?:and|or|et|ou|und|oder)\b|[-–—/&])?\s{0,2})"
# A number with a unit's word before it, or with a part's designator behind it, right before the name of the law.
_PLACE = re.compile(
    rf"(?<![\w.(§])(?:{_UNIT}\s?\d{{1,4}}[a-z]{{0,2}}(?>{_JOINT}(?:{_BELOW}|\d{{1,4}}\b)){{0,6}}+|\d{{1,4}}[a-z]?(?>\s?{_BELOW}){{1,6}}+)"
    r",?\s{0,2}(?:(?:of\s(?:the\s)?|der\s|des\s|du\s|de\sla\s))?\Z",
    re.IGNORECASE,
)


def with_places_before(text: str, mentions: Sequence[Mention], deadline: Deadline = NO_DEADLINE) -> list[Mention]:
    """The mentions, those of a whole law with the place that stands right before its name.

    Where the law's grammar reads place and name as one reference, that stands; else the law's name is no certain
    reading, since a part of it is meant.

    Args:
        text: what the mentions were found in.
        mentions: in order.
        deadline: after it the mentions are left as they are, and nothing may be concluded from them.
    """
    found: list[Mention] = []
    ended = 0
    for one in mentions:
        read = not deadline.passed() and _is_whole_law(one)
        found.append(_with_place(text, one, ended) if read else one)
        ended = max(ended, one.whole_end)
    return found


def _is_whole_law(one: Mention) -> bool:
    if len(one.urns) != 1 or not one.alone or one.note:
        return False
    try:
        return not parse_urn(one.urns[0]).segments
    except InputError:
        return False


def _with_place(text: str, one: Mention, floor: int) -> Mention:
    """A whole law with the place before it, if one stands there, behind what was read before."""
    place = _PLACE.search(text, max(floor, one.whole_start - _BEFORE), one.whole_start)
    if place is None:
        return one
    law = one.urns[0]
    words = " ".join(text[place.start() : one.whole_end].split())
    queries = jurisdiction_for(parse_urn(law).jurisdiction).tag_queries(words)
    urns = [urn for urn in named_urns(queries) if urn.startswith(f"{law}:")]
    whole = replace(one, start=place.start(), whole_start=place.start(), words=text[place.start() : one.whole_end])
    if len(queries) == 1 and len(urns) == 1:
        return replace(whole, urns=(urns[0],), confident=one.confident and queries[0].hint is None)
    return replace(whole, confident=False, note=f"The place before the name of {law} was not read.")
