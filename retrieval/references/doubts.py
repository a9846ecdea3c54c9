"""What a hit says against a certain reading: a longer title, other parties, another year."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import replace

from retrieval.references.hits import Hit, folded_title
from retrieval.tag_query import TagFilterOp, TagQuery

LONGER_TITLE = "a title that contains the one named"
# The tags that name a law or a decision: a court's name, too, is asked for by a part of it, but on purpose.
_TITLES = frozenset({"act_title", "law", "code", "case_name"})
_PARTIES = re.compile(r"(?P<first>[^\d].{0,200}?)\sv(?:s)?\.?\s(?P<second>.{1,200}?),?\s(?=[\d\[(])", re.IGNORECASE)
_YEAR = re.compile(r"\((?:[^()]{0,60}[\s.])?(?P<year>1[6-9]\d\d|20\d\d)\)\s{0,3}\.?\Z")
# A title with the number that the law's series gives it: "Housing Act 2000 (c. 38)". The number alone is looked up.
_NUMBERED_TITLE = re.compile(
    r"(?P<title>[A-Z][^\d\n]{2,150}?\s(?:1[2-9]|20)\d\d)\s?,?\s?\((?:c|ch|cap|asp|anaw|asc|nia|N\.?I|S\.?S?\.?I)\b"
)
_BEFORE_TITLE = frozenset({"the", "of", "to", "in", "under", "by", "see"})
_NEAR = 1  # years: argued in one term and decided in the next


def as_read(hit: Hit, query: TagQuery, reference: str) -> TagQuery:
    """The query that found a hit, with a hint where the hit is not quite what the reference names."""
    doubts = [
        one
        for one in (query.hint, _title_doubt(hit, query), number_doubt(hit, reference), decision_doubt(hit, reference))
        if one
    ]
    return replace(query, hint="; ".join(doubts)) if doubts else query


def _title_doubt(hit: Hit, query: TagQuery) -> str:
    asked = (one for one in query.tag_filters.filters if one.op is TagFilterOp.ILIKE and one.key in _TITLES)
    longer = any(folded_title(str(hit.tags.get(one.key, ""))) != folded_title(one.values[0]) for one in asked)
    return LONGER_TITLE if longer else ""


def number_doubt(hit: Hit, reference: str) -> str:
    """How a law found by the number after its title differs from that title; empty where it does not."""
    named = None if hit.kind == "decision" else _NUMBERED_TITLE.search(reference)
    title = str(hit.tags.get("act_title") or hit.corpus_title or "")
    if named is None or not title:
        return ""
    # Words of the reference may stand before the title ("section 1 of the"), but no further words of a title.
    before, found, after = folded_title(named["title"]).rpartition(folded_title(title))
    last = before.split()[-1:]
    same = found and not after and (not last or last[0] in _BEFORE_TITLE or any(char.isdigit() for char in last[0]))
    return "" if same else f"law by its number alone: it is named {title} in the store, and the reference names another"


def decision_doubt(hit: Hit, reference: str) -> str:
    """How the parties or the year that a reference names differ clearly from a decision's own; empty if they do not.

    Parties are compared word by word, since citations abbreviate: `Educ.` is `Education`, `NLRB` its initials.
    """
    if hit.kind != "decision":
        return ""
    doubts: list[str] = []
    name = str(hit.tags.get("case_name") or hit.heading)
    parties = _PARTIES.match(reference)
    words = _words(name)
    if parties and words and not all(_named(_words(side), words) for side in parties.group("first", "second")):
        doubts.append(f"it is named {name} in the store, and the reference names other parties")
    cited = _YEAR.search(reference)
    decided = re.match(r"\d{4}", str(hit.tags.get("date") or hit.valid_from or ""))
    if cited and decided and abs(int(cited["year"]) - int(decided[0])) > _NEAR:
        doubts.append(f"it is of {decided[0]} in the store, and the reference says {cited['year']}")
    return f"decision by its citation alone: {'; '.join(doubts)}" if doubts else ""


def _words(text: str) -> list[str]:
    plain = "".join(one for one in unicodedata.normalize("NFKD", text).casefold() if not unicodedata.combining(one))
    return re.findall(r"[^\W_]+", re.sub(r"['’.](?=\w)", "", plain))


def _named(side: Sequence[str], name: Sequence[str]) -> bool:
    """Whether a party may be one of a name: one of its words is there, or too short to tell."""
    telling = [one for one in side if len(one) > 3]
    initials = "".join(one[0] for one in name)
    return not telling or any(
        one in initials or any(word.startswith(one[:4]) or one.startswith(word[:4]) for word in name if len(word) > 2)
        for one in telling
    )
