"""Japan: laws by article, paragraph and item, by name or law number, and decisions by case number."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise

from rag.jurisdictions.grammar.signals import unframed
from rag.jurisdictions.jp.cases import case_queries, decisions
from rag.jurisdictions.jp.dates import fold
from rag.jurisdictions.jp.examples import EXAMPLES, QUERY_EXAMPLES
from rag.jurisdictions.jp.grammar import Item
from rag.jurisdictions.jp.law_names import LETTERS
from rag.jurisdictions.jp.laws import NameReader, known_law, law_of_number
from rag.jurisdictions.jp.nicknames import names_in
from rag.jurisdictions.jp.orders import NO_WORD, in_order, written_out
from rag.jurisdictions.jp.places import Place
from rag.jurisdictions.jp.reader import Brackets, items
from rag.jurisdictions.jp.resolver import Resolver
from rag.law.jurisdiction import FoundReference, Jurisdiction, ReferenceContext, ReferencePart
from retrieval.tag_query import TagFilter, TagFilterOp, TagFilterSet, TagQuery, urn_query

_SEVERAL = "one of several provisions named"
_UNSURE = "an uncertain reading, or another edition of the law; this is the one in the store"
_UNNAMED = "the law is not named"
_LETTER = re.compile(
    rf"(?P<letter>{'|'.join(sorted(LETTERS, key=len, reverse=True))})\s?(?=第?\s?[0-9〇一二三四五六七八九十百千])"
)
_MAX_JOINT = 12  # signs between the provisions of one reference; more are words about them
# Signs set apart one by one: 民 法 第 七 百 九 条.
_SPACED = re.compile(r"(?<!\S)(?:[^\s!-~] ){2,400}[^\s!-~](?!\S)")
_NUMBER_LAST = re.compile(r"(?P<law>[㐀-鿿぀-ヿ]{2,40})\s?(?P<number>\d{1,4})\Z")
_WHOLE = NameReader(whole=True)
# Words around a reference that say nothing.
_IDLE_END = re.compile(
    r"(?:の規定|の条文)?(?:を?参照|に基づ[くき]?|によ(?:り|る)|に規定する|に定める|に違反(?:する)?|の解釈)?[\s、。,.?？;；]{0,6}\Z"
)


_NO_LAW_ENDS = frozenset("号0123456789")
# With which most references end: there is nothing idle behind them.
_LAST_SIGNS = frozenset("条項号法令則0123456789)")


class Japan:
    """National law of Japan."""

    code = "jp"
    name = "日本"
    language = "ja"
    supports_annotation = True
    examples = EXAMPLES
    query_examples = QUERY_EXAMPLES
    main_levels: Mapping[str, str] = {}

    def document_urn(self, urn: str) -> str:
        """The law: its id is the corpus."""
        return ":".join(urn.split(":")[:4]) if urn.count(":") >= 3 else ""

    def find_references(self, text: str, here: ReferenceContext | None) -> list[FoundReference]:
        """All references of a text in order; see `Jurisdiction`."""
        folded = fold(text)
        brackets = Brackets(folded)
        read = items(folded, names_in(here.index if here else None), brackets)
        found = Resolver(here, brackets).references(text, read)
        found.extend(
            FoundReference(start, end, text[start:end], (ReferencePart(start, end, ""),), "external", confident=True)
            for start, end in decisions(folded)
        )
        return _apart(found)

    def tag_queries(self, reference: str) -> list[TagQuery]:
        """See `Jurisdiction`. A law whose URN is known is asked for by it, another one by its title."""
        text = " ".join(unframed(reference, "ja").split())
        if " " in text:
            text = _SPACED.sub(lambda match: match[0].replace(" ", ""), text)
        text = fold(text[: _end(text)])
        text = written_out(text)
        if cases := case_queries(text):
            return cases
        if (law := _whole_law(text)) is not None:
            return law
        letter = _LETTER.match(text)
        hint = None
        if letter:
            title = LETTERS[letter["letter"]]
            hint = f"{letter['letter']} is read as {title}"
            text = title + text[letter.end("letter") :]
        brackets = Brackets(text)
        read = items(text, _WHOLE, brackets)
        if not read or read[0].start != 0 or read[-1].end < len(text):
            bare = _NUMBER_LAST.match(text)
            other = (f"{bare['law']}第{bare['number']}条", NO_WORD) if bare else in_order(text)
            if other is None:
                return []
            return [replace(one, hint=one.hint or other[1] or None) for one in self.tag_queries(other[0])]
        if any(after.start - before.end > _MAX_JOINT for before, after in pairwise(read)):
            return []
        targets = Resolver(None, brackets).targets(read)
        named = [
            (item, place, target.confident)
            for item, target in zip(read, targets, strict=True)
            for place in target.places
        ]
        if len(read) == 1:
            return _queries(
                text, read[0], named[0][1] if named else None, hint or ("" if named and named[0][2] else _UNSURE)
            )
        found = [one for item, place, _ in named for one in _queries(text, item, place, hint or _SEVERAL)]
        return list(dict.fromkeys(found))


def _end(text: str) -> int:
    """Where a reference ends, without words and punctuation that say nothing; linear, for the end is searched from."""
    if text[-1:] in _LAST_SIGNS:
        return len(text)
    tail = max(0, len(text) - 40)
    match = _IDLE_END.search(text, tail)
    return match.start() if match else len(text)


def _whole_law(text: str) -> list[TagQuery] | None:
    """The queries for a string that is a law's name or number; None where it is neither."""
    folded = fold(text)
    if folded[-1:] in ("条", "項"):
        return None
    law = known_law(folded) or (law_of_number(folded) if "年" in folded else None)
    if law is None:
        naming = _WHOLE.ending_at(folded, len(folded)) if folded[-1:] not in _NO_LAW_ENDS else None
        if naming is None or naming.start != 0 or naming.law.role not in ("unknown", "named"):
            return None
        law = naming.law
    if law.urn:
        return [urn_query(law.urn, language="ja", hint=None if law.certain else _UNSURE)]
    if law_of_number(folded):
        return [_tagged({"law_number": law.title}, "")]
    root = TagFilter("law_id", TagFilterOp.EXISTS)
    short = TagFilter("abbreviation", TagFilterOp.ILIKE, text)
    return [
        TagQuery(language="ja", tag_filters=TagFilterSet((TagFilter("code", TagFilterOp.EQ, text), root))),
        TagQuery(language="ja", tag_filters=TagFilterSet((short, root)), hint=f"a law that is also called {text}"),
    ]


def _queries(text: str, item: Item, place: Place | None, hint: str) -> list[TagQuery]:
    """The queries for one provision; an empty hint makes them confident."""
    if place is not None and place.urn:
        return [urn_query(place.urn, language="ja", hint=hint or None)]
    if place is None and item.naming is None:
        [*units] = item.units
        alone = item.of == "art" and not item.head and len(units) == 1
        return [_tagged({"article_number": units[0][1]}, _UNNAMED)] if alone else []
    law = place.law if place is not None else None
    if law is None or law.role != "unknown" or place is None:
        return []
    if law_of_number(law.title):
        return [_tagged({"law_number": law.title}, "the law that holds the provision, known by its number only")]
    title = text[item.naming.start : item.naming.end] if item.naming else law.title
    return _by_title(law.title if "(" in fold(title) else title, place, hint)


def _by_title(title: str, place: Place, hint: str) -> list[TagQuery]:
    """The query by the tags that the nodes of a law bear, for a law known by its title."""
    levels = [level for level, _ in place.units]
    if not levels:
        return []
    if levels[0] == "art" and len(levels) == 1:
        return [_tagged({"article_number": place.units[0][1], "code": title}, hint)]
    if levels == ["par"]:
        return [_tagged({"paragraph_number": place.units[0][1], "code": title}, hint)]
    if levels == ["sup", "art"]:
        tags = {"supplementary_article_number": place.units[1][1], "code": title, "supplementary_provision": "original"}
        return [_tagged(tags, hint)]
    if "art" in levels:
        below = Place(place.law, "x", place.units).urn.removeprefix("x:")
        return [_tagged({"provision": below, "code": title}, hint)]
    return []


def _tagged(tags: Mapping[str, str], hint: str) -> TagQuery:
    kind = None if "law_number" in tags else "legislation"
    return TagQuery(language="ja", kind=kind, tag_filters=TagFilterSet.from_tags(tags), hint=hint or None)


def _apart(found: list[FoundReference]) -> list[FoundReference]:
    """In order, without overlap: where two readings meet, the one that begins first, then the longer."""
    kept: list[FoundReference] = []
    for one in sorted(found, key=lambda one: (one.start, -one.end)):
        if not kept or one.start >= kept[-1].end:
            kept.append(one)
    return kept


JURISDICTION: Jurisdiction = Japan()
