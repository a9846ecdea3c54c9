"""British provisions as queries by the title of their act, where no number tells its URN."""

from __future__ import annotations

import re

from rag.jurisdictions.grammar.parties import BY_PARTIES
from rag.jurisdictions.grammar.provisions import Item, Law, Reading
from rag.jurisdictions.grammar.statutory_places import Cited
from retrieval.references.doubts import PART_NAMED
from retrieval.tag_query import TagFilter, TagFilterOp, TagFilterSet, TagQuery

_NUMBER_IN_TITLE = re.compile(r"\((?:c\.|asp|S\.|N\.)")
_TAGS = {
    "section": "section_number",
    "article": "article_number",
    "regulation": "regulation_number",
    "rule": "rule_number",
}


_UNIT = (
    r"(?:ss?\.?|sections?|regs?\.?|regulations?|sch(?:edule|\.)?|para(?:graph|\.)?|arts?\.?|articles?|rr?\.?|rules?)"
)
_LAW_FIRST = re.compile(
    rf"(?P<law>[A-Z][A-Za-z]{{1,7}},?\s(?:18|19|20)\d\d),?\s(?P<unit>{_UNIT}\s?\d.{{0,60}})", re.IGNORECASE
)
_AMENDED = re.compile(r",?\s\(?as\samended(?:\sby\s[^\d]{0,80})?\)?\Z", re.IGNORECASE)
_NAMED_DECISION = re.compile(
    r"(?P<name>[A-Z(][^\[\]§]{1,200}?),?\s(?P<citation>\[(?:19|20)\d\d\]\s(?:UK|EW|CS|NI|HCJ|EAT)\w.{0,60})"
)
# One word before several sections: "s 1, 2 and 3 Theft Act 1968".
_ONE_WORD = re.compile(
    r"(?P<word>s|sec|section|reg|regulation|r|rule|art|article)\.?\s?(?P<list>\d{1,3}[A-Z]{0,2}(?:\(\w{1,3}\)){0,4}"
    r"(?:(?:,\s(?:and\s)?|\s(?:and|or|&)\s)\d{1,3}[A-Z]{0,2}(?:\(\w{1,3}\)){0,4}){1,8})(?=,?\s(?:of\s)?(?:the\s)?[A-Z])"
)
_PLURALS = {
    "s": "ss", "sec": "sections", "section": "sections", "reg": "regs", "regulation": "regulations", "r": "rr",
    "rule": "rules", "art": "arts", "article": "articles",
}  # fmt: skip
_REPORT = re.compile(
    r"(?:(?P<name>[^\[\]()§]{2,150}?\sv\.?\s[^\[\]()§]{2,150}?),?\s)?(?P<report>[\[(](?:18|19|20)\d\d[\])].{4,40})"
)
_PATH = r"(?:\(\w{1,4}\)){0,6}"
_TITLE = r"[A-Z][\w',()& -]{2,80}\sAct"
_NO_YEAR = re.compile(
    rf"(?:{_UNIT}\s?(?P<first>\d{{1,4}}[A-Z]{{0,3}})(?P<path>{_PATH}),?\s(?:of\s)?(?:the\s)?)(?P<title>{_TITLE})"
    rf"|(?P<title2>{_TITLE}),?\s{_UNIT}\s?(?P<second>\d{{1,4}}[A-Z]{{0,3}})(?P<path2>{_PATH})"
)
_NAME_UNREAD = "decision by its citation; the name before it is not compared"
_YEAR_UNNAMED = "an act whose year is not named"


def in_order(reference: str) -> tuple[str, str] | None:
    """A reference as the grammar reads it, with the doubt that this leaves; None for any other string.

    "CA 2006 s 172" has its act first, "Re Smith [2001] EWCA Civ 1" a name before it, and "as amended" says nothing.
    """
    if several := _ONE_WORD.match(reference):
        return f"{_PLURALS[several['word']]} {several['list']}{reference[several.end() :]}", ""
    if first := _LAW_FIRST.fullmatch(reference):
        return f"{first['unit']} {first['law']}", ""
    if amended := _AMENDED.search(reference):
        return reference[: amended.start()], ""
    if named := _NAMED_DECISION.fullmatch(reference):
        return named["citation"], _NAME_UNREAD
    return None


def report_queries(reference: str, cited: Cited) -> list[TagQuery]:
    """The candidates for a decision that only a law report names: by the report, and by the parties before it."""
    match = _REPORT.fullmatch(reference.strip(" .,;?"))
    law = cited.law
    if match is None or law is None or law.urn or law.tags or not match["report"].startswith(law.title):
        return []
    filters = [TagFilter("alias", TagFilterOp.EQ, match["report"])]
    if match["name"]:
        filters.append(TagFilter("case_name", TagFilterOp.ILIKE, match["name"]))
    hint = "decision by the law report named"
    return [
        TagQuery(language="en", kind="decision", tag_filters=TagFilterSet((one,)), hint=hint if not at else BY_PARTIES)
        for at, one in enumerate(filters)
    ]


def title_without_year(reference: str) -> list[TagQuery]:
    """The candidate for a section of an act named without its year: "s 1 Theft Act" may be of several."""
    match = _NO_YEAR.fullmatch(reference.rstrip(" .,;?"))
    if match is None:
        return []
    number, title = match["first"] or match["second"], match["title"] or match["title2"]
    filters = (
        TagFilter("section_number", TagFilterOp.EQ, number),
        TagFilter("act_title", TagFilterOp.ILIKE, f"{title} "),
    )
    hint = f"{_YEAR_UNNAMED}; {PART_NAMED}" if match["path"] or match["path2"] else _YEAR_UNNAMED
    return [TagQuery(language="en", kind="legislation", tag_filters=TagFilterSet(filters), hint=hint)]


def queries_by_title(one: Cited) -> list[TagQuery]:
    """The queries for a provision of a law cited by its title.

    Returns:
        The specification's query for a whole section or its like; for a part of one whose law has no URN, the whole
        as a candidate that says so. Nothing for what a URN says better.
    """
    law, reading = one.law, one.reading
    if law is None:
        return []
    if "neutral_citation" in dict(law.tags):
        # The division is in brackets after the number, which is why the value ends in one.
        cited = TagFilter("neutral_citation", TagFilterOp.ILIKE, dict(law.tags)["neutral_citation"])
        filters = TagFilterSet((cited, TagFilter("case_name", TagFilterOp.EXISTS)))
        return [
            TagQuery(language="en", kind="decision", tag_filters=filters, hint="decision whose division is not named")
        ]
    if not law.title or law.role != "named" or not _is_title(law):
        return []
    if reading is None:
        return [] if law.urn else [_law_query(law)]
    queries = [_provision(law, reading, item) for item in reading.items]
    if any(query is None for query in queries):
        return []
    found = [query for query in queries if query is not None]
    smaller = any(query.hint for query in found)
    if law.urn and (smaller or len(found) > 1 or ("(" in one.reference.text[len(law.title) :] and not _plain(one))):
        return []
    if len(found) > 1:
        return [_with_hint(query, "one of several provisions named") for query in found]
    return found


def _plain(one: Cited) -> bool:
    return not _NUMBER_IN_TITLE.search(one.reference.text)


def _is_title(law: Law) -> bool:
    return re.search(r"\s\d{4}\Z", law.title) is not None and "/" not in law.title


def _law_query(law: Law) -> TagQuery:
    # Only the root of an act has its year among its tags.
    filters = (TagFilter("act_title", TagFilterOp.ILIKE, law.title), TagFilter("year", TagFilterOp.EXISTS))
    return TagQuery(language="en", tag_filters=TagFilterSet(filters))


def _provision(law: Law, reading: Reading, item: Item) -> TagQuery | None:
    """The whole section, schedule or schedule paragraph that an item is or lies in; None for containers."""
    chain = [(reading.level, item.number, item.path), *((unit.level, unit.number, unit.path) for unit in reading.outer)]
    filters: list[TagFilter] = []
    smaller = False
    schedule = next(
        (number or path[0].strip("~") for level, number, path in chain if level == "schedule" and (number or path)), ""
    )
    for level, number, path in chain:
        if level in _TAGS:
            filters.append(TagFilter(_TAGS[level], TagFilterOp.EQ, number))
            smaller = smaller or bool(path)
        elif level == "paragraph" and schedule and path:
            filters.append(TagFilter("paragraph_number", TagFilterOp.EQ, path[0]))
            smaller = smaller or len(path) > 1
        elif level in ("part", "chapter") and not schedule:
            if len(chain) == 1 or level == chain[0][0]:
                return None
        elif level != "schedule":
            smaller = True
    if schedule:
        filters.append(TagFilter("schedule_number", TagFilterOp.EQ, schedule))
    if not filters:
        return None
    filters.append(TagFilter("act_title", TagFilterOp.ILIKE, law.title))
    hint = PART_NAMED if smaller else None
    return TagQuery(language="en", kind="legislation", tag_filters=TagFilterSet(tuple(filters)), hint=hint)


def _with_hint(query: TagQuery, hint: str) -> TagQuery:
    return TagQuery(language=query.language, kind=query.kind, tag_filters=query.tag_filters, hint=hint)
