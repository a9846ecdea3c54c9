"""What each page of the web application shows; each takes the fields of a form and gives HTML."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from datetime import date, timedelta
from itertools import groupby
from urllib.parse import urlencode

from markupsafe import Markup
from starlette.datastructures import QueryParams
from starlette.responses import RedirectResponse, Response

from rag import clock, requests
from rag.answering.citations import named
from rag.answering.follow_up import MOST_PARTS
from rag.engine import Engine
from rag.jurisdictions.citing import cited_as
from rag.jurisdictions.places import place_name
from rag.presentation.diff import REASONS, ROLES
from rag.presentation.listing import NEAREST, by_meaning_alone
from rag.telemetry.review.dump import EXPORTS, MOST_EXPORTED
from rag.telemetry.review.html import environment, read_link, shown_trace, style, with_urns
from rag.telemetry.review.pictures import Lane, Span, neighbourhood, timeline
from rag.telemetry.review.words import STATUS_WORDS
from rag.telemetry.store import stored_trace
from rag.telemetry.verdicts import REASONS as VERDICT_REASONS
from rag.telemetry.verdicts import (
    TraceFilter,
    found_verdict,
    list_traces,
    record_verdict,
    stored_traces,
    trace_values,
)
from rag.web.reading import Reading, Version, court_events, read
from retrieval.entry_points.request import chosen_jurisdictions
from retrieval.entry_points.sources import SourceRow, stored_sources
from retrieval.errors import EmptyStore, InputError
from retrieval.model import HALTING_STATUSES, OverrideNotice, SearchHit
from retrieval.nodes import nodes_by_ids, versions_by_urn
from retrieval.queries import QUERIES

STYLES = ("dump.css", "web.css")
_SHOWN = 50  # hits of a search; its facets count these
_OPEN = 20  # of them that are not folded
_DAY = re.compile(r"\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])\Z", re.ASCII)  # what a date picker takes
_DRAWN = 20  # neighbours in a picture on either side
_TRACES = 50  # on a page of the list
_KNOWN_DAYS = 40  # days offered beside a date picker
_FEW = 12  # jurisdictions up to which a form lists each; more are grouped by country
_LAWS = 100  # on a page of the list
_TITLES = 1000  # offered as suggestions


# Options and parameters as messages name them, alone or side by side, and what the forms call them.
_OPTION = re.compile(r"(--[a-z-]+)(?:, `[a-z_]+`)?|`(at_date|jurisdiction|language|terms|tags\[jurisdiction\])`")
_FIELDS = {
    "--at-date": "Law as of", "--from": "From", "--to": "To", "--jurisdiction": "Jurisdiction",
    "--language": "Language",
    "at_date": "Law as of", "jurisdiction": "Jurisdiction", "tags[jurisdiction]": "Jurisdiction",
    "language": "Language", "terms": "Words of the statute",
}  # fmt: skip


def page_words(message: str) -> str:
    """A message that names options or parameters, with the names that the forms have for them."""
    return _OPTION.sub(lambda found: _FIELDS.get(found[1] or found[2], found[0]), message)


def rendered(template: str, **values: object) -> str:
    """A page of the application.

    Args:
        template: its name; it extends `web.html.j2`.
        values: what it asks for; `title` at least.
    """
    filled = {
        "reading": True, "read_link": read_link, "address": _address, "css": style(*STYLES)[0], "inside": True,
        "cite": _cite, "cited": cited_as, "place_name": place_name, "with_urns": with_urns,
        "page_words": page_words, "day": None,
    }  # fmt: skip
    return environment().get_template(template).render({**filled, **values})


class Pages:
    """The pages over one engine; nothing of a request stays here."""

    def __init__(self, engine: Engine, *, read_only: bool = False) -> None:
        self.engine, self.read_only = engine, read_only

    def _store(self) -> dict[str, object]:
        """What the pickers of a form offer: the store's jurisdictions, languages, and days on which its law changes."""
        with self.engine.database.read() as conn:
            sources = stored_sources(conn)
            values = {"jurisdictions": sorted({source.jurisdiction for source in sources}), "limit": _KNOWN_DAYS}
            days = [day for (day,) in conn.execute(QUERIES["list_edition_days"], values)]
        places = _places(sources)
        return {
            "places": places, "held_by": dict(places), "countries": _countries(places), "few": _FEW,
            "most_beside": MOST_PARTS, "days": days,
            "languages": sorted({source.language for source in sources}),
            "today": clock.today(),
        }  # fmt: skip

    def start(self, fields: QueryParams) -> str:
        """One box to search and to ask, and what law there is."""
        return rendered("web_start.html.j2", title="Search and ask", asked=_asked(fields), problem="", **self._store())

    def start_again(self, fields: QueryParams, problem: str) -> str:
        """The same with a question that could not be asked, and why."""
        return rendered(
            "web_start.html.j2", title="Search and ask", asked=_asked(fields), problem=problem, **self._store()
        )

    def search(self, fields: QueryParams) -> str:
        """The best rules with their operative sentences, then all candidates with facets."""
        question = fields.get("question", "")
        picked = {name: fields[name] for name in ("kind", "in") if name in fields}
        given = {name: fields.get(name) for name in ("language", "at_date")}
        tags = {"kind": picked["kind"]} if "kind" in picked else {}
        where = picked.get("in", "|".join(dict.fromkeys(fields.getlist("jurisdiction"))) or None)
        terms = _terms(fields)
        offset = _number(fields.get("offset", "0"))
        found = self.engine.search(
            " ".join([question, *terms]), jurisdiction=where, language=given["language"], at_date=given["at_date"],
            tags=tags, limit=_SHOWN, offset=offset,
        )  # fmt: skip
        context, best = self.engine.places(
            question, jurisdiction=where, language=given["language"], at_date=given["at_date"], terms=terms
        )
        best = [] if offset else best
        return rendered(
            "web_search.html.j2", title="Search", asked=_asked(fields), found=found, best=best, picked=picked,
            snippets=[hit.snippet.split("**") for hit in found.results],
            halted=context.message if context.status == "halted" else "", facets=_facets(found.results),
            nearest=NEAREST if by_meaning_alone(found) else "", day=found.at_date, open=_OPEN, **self._store(),
        )  # fmt: skip

    def ask(self, fields: QueryParams) -> str:
        """A verified answer as a reviewer reads it; of several jurisdictions asked side by side, a part each."""
        codes = list(dict.fromkeys(fields.getlist("jurisdiction")))
        answer, traces = self.engine.traced_asks(
            fields.get("question", ""), jurisdiction=codes if len(codes) > 1 else next(iter(codes), None),
            language=fields.get("language"), at_date=fields.get("at_date"), follow_up=fields.get("follow_up"),
            terms=_terms(fields) or None,
        )  # fmt: skip
        several = len(traces) > 1
        parts = [{**shown_trace(trace, f"p{at}-" if several else ""), "place": code}
                 for at, (code, trace) in enumerate(traces.items(), start=1)]  # fmt: skip
        return rendered(
            "web_beside.html.j2" if several else "web_trace.html.j2",
            **{**parts[0], "parts": parts},
            title="Answer",
            asked=_asked(fields),
            follow_up=answer.follow_up,
            kept=self.engine.settings.traces,
            verdict=None,
            day=answer.at_date,
            **self._store(),
        )

    def trace(self, fields: QueryParams) -> str:
        """A stored request as a reviewer reads it, with the reviewer's verdict."""
        trace = stored_trace(self.engine.database, fields.get("trace", "last"))
        verdict, chosen = found_verdict(self.engine.database, trace.id)
        return rendered(
            "web_trace.html.j2", title="Trace", asked=None, follow_up="", kept="",
            verdict=None if self.read_only else verdict, chosen=chosen, verdict_reasons=VERDICT_REASONS,
            day=trace.at_date, **shown_trace(trace),
        )  # fmt: skip

    def verdict(self, fields: QueryParams) -> Response:
        """Keeps a reviewer's verdict; the trace is shown again."""
        trace = fields.get("trace", "")
        record_verdict(self.engine.database, trace, fields.get("verdict", ""), fields.getlist("reason"))
        return RedirectResponse(_address("/trace", {"trace": trace}), status_code=303)

    def traces(self, fields: QueryParams) -> str:
        """The list of stored traces, filtered."""
        offset = _number(fields.get("offset", "0"))
        wanted, given = _trace_filter(fields)
        rows = list_traces(self.engine.database, wanted, _TRACES, offset)
        further = rows and rows[0].total > offset + len(rows)
        onward = _address("/traces", {**given, "offset": str(offset + len(rows))}) if further else ""
        return rendered(
            "web_traces.html.j2", title="Traces", rows=rows, given=given, onward=onward,
            there=trace_values(self.engine.database), statuses=STATUS_WORDS,
        )  # fmt: skip

    def export(self, fields: QueryParams) -> Response:
        """The traces that are chosen, or all that the filters fit, as a file."""
        wanted, _ = _trace_filter(fields)
        chosen = fields.getlist("trace")
        wanted = wanted.model_copy(update={"ids": chosen}) if chosen else wanted
        rows = list_traces(self.engine.database, wanted, MOST_EXPORTED + 1)
        if len(rows) > MOST_EXPORTED:
            raise InputError(f"More than {MOST_EXPORTED} traces fit; narrow the filters or choose some.")
        write = EXPORTS.get(fields.get("format", ""))
        if write is None:
            raise InputError(f"`format` is one of {', '.join(EXPORTS)}.")
        kind, text = write(rows, stored_traces(self.engine.database, [row.id for row in rows]))
        name = f"lexscope-traces.{fields['format']}"
        return Response(text, media_type=kind, headers={"Content-Disposition": f'attachment; filename="{name}"'})

    def read(self, fields: QueryParams) -> str:
        """A provision with all that a reviewer looks up beside it."""
        shown = read(
            self.engine, fields.get("reference", ""), fields.get("at_date"), fields.get("blocks"),
            fields.get("language"),
        )  # fmt: skip
        found = shown.document
        onward = _address("/read", {**fields, "blocks": found.next_blocks}) if found.next_blocks else ""
        law = found.chain[0] if found.chain else None
        title, root = (law.heading, law.urn) if law is not None else ("", "")
        name = named(found.urn, title, root) if found.urn and found.kind != "section" else found.heading or found.urn
        return rendered(
            "web_read.html.j2", title=name or "Read", name=name or "", found=found, shown=shown, onward=onward,
            bar=_bar(shown), day=found.at_date, graph=_neighbourhood(shown), days=_change_days(shown),
            reference=fields.get("reference", ""),
        )  # fmt: skip

    def compare(self, fields: QueryParams) -> str:
        """A rule's context at two dates, word by word; a form where none is named."""
        today, asked = clock.today(), _compared(fields)
        found = bar = None
        if "reference" in fields:
            found = self.engine.diff(fields["reference"], fields.get("from", ""), fields.get("to", ""))
            urn = next(iter((*found.after.targets, *found.before.targets)), "")
            bar = self._court_line(urn, found.before.at_date, found.after.at_date) if urn else ""
        return rendered(
            "web_compare.html.j2", title="Compare", asked=asked, found=found, bar=bar, inline="inline" in fields,
            roles=ROLES, reasons=REASONS, day=found.after.at_date if found else today, problem="",
        )  # fmt: skip

    def compare_again(self, fields: QueryParams, problem: str) -> str:
        """The form with what could not be compared, and why."""
        return rendered(
            "web_compare.html.j2", title="Compare", asked=_compared(fields), found=None, problem=problem,
            day=clock.today(),
        )  # fmt: skip

    def _court_line(self, urn: str, before: date, after: date) -> Markup:
        """The versions of a provision and what courts did to it, with the two days marked."""
        with self.engine.database.read() as conn:
            versions = versions_by_urn(conn, [urn])
            if not versions:
                return Markup("")
            last = versions[-1]
            above = nodes_by_ids(conn, ((last.jurisdiction, number) for number in last.ancestor_ids), after)
            events = court_events(conn, [*(node_version.urn for node_version in above if node_version.urn != urn), urn])
        spans = [Version(version.valid_from, version.valid_to, version.in_force(after)) for version in versions]
        return _time_line(spans, events, [(before, before.isoformat()), (after, after.isoformat())])

    def browse(self, fields: QueryParams) -> str:
        """The structure of a law, level by level; without `root` the laws of the store."""
        root, offset = fields.get("root"), _number(fields.get("offset", "0"))
        if root is None:
            return self._laws(fields, offset)
        found = self.engine.browse_structure(
            language=fields.get("language"), jurisdiction=fields.get("jurisdiction", "*"), root_id=root,
            at_date=fields.get("at_date"), depth=1, provisions=True, limit=100, offset=offset,
        )  # fmt: skip
        chain = self.engine.document(root, at_date=fields.get("at_date"), blocks="1").chain
        onward = "" if found.next_offset is None else _address("/browse", {**fields, "offset": str(found.next_offset)})
        return rendered("web_browse.html.j2", title="Browse", tree=found, onward=onward, chain=chain)

    def _laws(self, fields: QueryParams, offset: int) -> str:
        """The laws of the store by jurisdiction, those whose title has the words that are given."""
        store = self._store()
        with self.engine.database.read() as conn:
            sources = stored_sources(conn)
        if not sources:
            raise EmptyStore
        codes, _ = chosen_jurisdictions(fields.get("jurisdiction"), sorted({one.jurisdiction for one in sources}))
        words = fields.get("title", "").casefold().split()
        laws = [
            one for one in sources
            if one.jurisdiction in codes and fields.get("language", one.language) == one.language
            and all(word in one.title.casefold() for word in words)
        ]  # fmt: skip
        laws.sort(key=lambda one: (place_name(one.jurisdiction), one.jurisdiction, _by_number(one.title)))
        onward = offset + _LAWS
        return rendered(
            "web_laws.html.j2", title="Browse", asked=_asked(fields), total=len(laws), shown=len(laws[offset:onward]),
            laws=[(code, list(held)) for code, held in groupby(laws[offset:onward], lambda one: one.jurisdiction)],
            offset=offset, many=len(sources) > _FEW, suggested=[one.title for one in sources[:_TITLES]],
            onward=_address("/browse", {**fields, "offset": str(onward)}) if onward < len(laws) else "", **store,
        )  # fmt: skip


def _by_number(title: str) -> list[tuple[int, str]]:
    """A title to sort by, in which Title 9 is before Title 10."""
    return [(int(part), "") if part.isdecimal() else (0, part) for part in re.split(r"(\d+)", title.casefold())]


def _asked(fields: QueryParams) -> dict[str, object]:
    """The fields of the form that asks, as they were filled; `jurisdictions` are all that were chosen."""
    return {**fields, "jurisdictions": fields.getlist("jurisdiction")}


def _terms(fields: QueryParams) -> list[str]:
    """The terms of a field that sets them apart by commas, semicolons or lines."""
    return [term for part in re.split(r"[,;\n]", fields.get("terms", "")) if (term := part.strip())]


def _trace_filter(fields: QueryParams) -> tuple[TraceFilter, dict[str, str]]:
    """The filters that a form gives, and those of its fields that are filters."""
    given = {name: fields[name] for name in TraceFilter.model_fields if name in fields and name != "ids"}
    days = {name: requests.checked_date(given[name]) for name in ("since", "until") if name in given}
    return TraceFilter.model_validate({**given, **days}), given


def _bar(shown: Reading) -> Markup:
    """The versions of a provision and what courts did to it, with the day of the page marked."""
    day = shown.document.at_date
    return _time_line(shown.versions, shown.events, [(day, day.isoformat())])


def _time_line(
    versions: Sequence[Version], events: Sequence[OverrideNotice], marks: Sequence[tuple[date, str]]
) -> Markup:
    shown = [_since(version.start, version.end) for version in versions if version.here]
    words = ["In force", *shown, *([f"({len(versions)} versions are known)"] if len(versions) > 1 else [])]
    spans = [Span(version.start, version.end, "here" if version.here else "version") for version in versions]
    lanes = [Lane(" ".join(words), spans)]
    lanes += [
        Lane(
            f"{one.status}: {one.court}, {one.court_citation}, {_since(one.effective_from, one.effective_to)}",
            [Span(one.effective_from, one.effective_to, "halt" if one.status in HALTING_STATUSES else "warn")],
        )
        for one in events
    ]
    return timeline("When it was in force, and what courts did to it", lanes, marks)


def _since(start: date | None, end: date | None) -> str:
    return f"{f'from {start}' if start else 'start not stated'}{f', no longer from {end}' if end else ''}"


def _neighbourhood(shown: Reading) -> Markup:
    """What the provision cites and who cites it, as far as the page lists them."""
    citing = [_cite(relation.urn) for relation in shown.citing[:_DRAWN]]
    cited = [
        (_cite(relation.urn) if relation.urn else relation.words, relation.kinds) for relation in shown.cited[:_DRAWN]
    ]
    return neighbourhood("Who cites this provision, and what it cites", citing, cited)


def _change_days(shown: Reading) -> list[tuple[date, date]]:
    """For each change of the provision's words the last day before it and its first."""
    return [(version.start - timedelta(days=1), version.start) for version in shown.versions[1:] if version.start]


def _places(sources: Sequence[SourceRow]) -> list[tuple[str, list[str]]]:
    """The jurisdictions that have law, each with the titles of it."""
    titles: dict[str, list[str]] = {}
    for source in sorted(sources, key=lambda one: one.jurisdiction):
        titles.setdefault(source.jurisdiction, []).append(source.title)
    return list(titles.items())


def _countries(places: Sequence[tuple[str, list[str]]]) -> list[tuple[str, list[str]]]:
    """The jurisdictions under their countries, both by name; a country's own law is first."""
    found: dict[str, list[str]] = {}
    for code, _ in places:
        found.setdefault(code.partition("-")[0], []).append(code)
    return [
        (country, sorted(codes, key=lambda code: (code != country, place_name(code))))
        for country, codes in sorted(found.items(), key=lambda one: place_name(one[0]))
    ]


def _cite(urn: str) -> str:
    """A provision as people cite it; where its law has no form, the URN without what all URNs begin with."""
    return cited_as(urn) or urn.removeprefix("urn:lex:")


def _compared(fields: QueryParams) -> dict[str, str]:
    """The fields of the form that compares, with those that were not given."""
    today = clock.today()
    given = {name: text for name, text in fields.items() if name not in ("from", "to") or _DAY.match(text)}
    return {"from": (today - timedelta(days=365)).isoformat(), "to": today.isoformat(), "reference": "", **given}


def _facets(hits: Sequence[SearchHit]) -> list[tuple[str, str, list[tuple[str, int]]]]:
    """Name of the field, heading, and the values there are among the hits, where there are several."""
    found = (
        ("in", "Jurisdiction", Counter(hit.jurisdiction for hit in hits)),
        ("kind", "Kind", Counter(hit.kind for hit in hits)),
    )
    return [(field, name, counts.most_common()) for field, name, counts in found if len(counts) > 1]


def _number(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 9):
        raise InputError("`offset` is a number from 0.")
    return int(text)


def _address(path: str, fields: dict[str, str]) -> str:
    """The address of a page with its fields."""
    return f"{path}?{urlencode(fields)}"
