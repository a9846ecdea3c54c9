"""References, cases and the citation graph: the store alone, no model."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from typing import TYPE_CHECKING

from rag import clock, requests
from rag.jurisdictions.grammars import GRAMMARS
from rag.store.database import Database
from retrieval.errors import InputError
from retrieval.model import Resolution
from retrieval.nodes import Connection, stored_jurisdictions
from retrieval.paths import expand_jurisdictions, is_urn
from retrieval.references.citation_graph import Direction, EdgePage, edges_of
from retrieval.references.pipeline import check_length
from retrieval.references.resolution import resolve_reference

if TYPE_CHECKING:
    from retrieval.references.batch import Cited
    from retrieval.references.cases import CaseResolution

# What people remember of a decision, in the form that looks it up: full-width and Japanese forms are read.

_NUMERAL = "[0-9〇一二三四五六七八九十百千]+"
_KANJI = re.compile("[〇一二三四五六七八九十百千]+")
_PARTIAL = re.compile(rf"(?P<era>明治|大正|昭和|平成|令和)?(?P<year>{_NUMERAL}|元)年(?:(?P<month>{_NUMERAL})月)?\Z")


def case_date(text: str) -> str:
    """A date in the form that looks it up: `令和5年5月17日` and `2023年5月` in ISO form, other forms unchanged."""
    plain = unicodedata.normalize("NFKC", text).strip()
    if "年" not in plain:
        return plain
    from rag.jurisdictions.jp.kanji import era_date

    match = _PARTIAL.match(plain)
    if match is None:
        found = era_date(plain) or _western(plain)
        return found.isoformat() if found else plain
    year = _number(match["year"]) if not match["era"] else _era_year(match["era"] + match["year"])
    return f"{year:04d}-{_number(match['month']):02d}" if match["month"] else f"{year:04d}"


def _era_year(text: str) -> int:
    from rag.jurisdictions.jp.kanji import era_date

    end = era_date(f"{text}年12月31日")
    if end is None:
        raise InputError("The date of a case is in no year of its era that is known.")
    return end.year


def _western(text: str) -> date | None:
    match = re.fullmatch(rf"({_NUMERAL})年({_NUMERAL})月({_NUMERAL})日", text)
    if match is None:
        return None
    try:
        return date(*(_number(group) for group in match.groups()))
    except ValueError:
        raise InputError("The date of a case is not a day of the calendar.") from None


def _number(text: str) -> int:
    if text.isdigit() and text.isascii():
        return int(text[:9])
    from rag.jurisdictions.jp.kanji import kanji_number

    found = kanji_number(text)
    if found is None:
        raise InputError("The date of a case has a number that cannot be read.")
    return found


def number_spellings(text: str) -> list[str]:
    """A case number with its numerals in both scripts: sources write `令和五年(受)第十二号` and `令和5年(受)第12号`."""
    plain = unicodedata.normalize("NFKC", text).replace("元年", "1年")
    if _KANJI.search(plain) is None and "年" not in plain:
        return list(dict.fromkeys((text, plain)))
    from rag.jurisdictions.jp.kanji import kanji_number
    from rag.languages.ja.script import kanji_numeral

    arabic = _KANJI.sub(lambda match: str(value) if (value := kanji_number(match[0])) is not None else match[0], plain)
    spellings = [text, plain, arabic]
    if "年" in plain:
        spellings.append(re.sub(r"[0-9]{1,7}", lambda match: kanji_numeral(int(match[0])), arabic))
        spellings += [re.sub(r"(?<!\d)1年", "元年", part) for part in (text, arabic)]
    return list(dict.fromkeys(spellings))


_MOST_NAMED = 10  # URNs in a message


class References:
    """What a store says of what people cite; `Engine.references`."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def resolve(
        self,
        reference: str,
        *,
        jurisdiction: str | None = None,
        language: str | None = None,
        at_date: date | str | None = None,
        tags: Mapping[str, str] | None = None,
    ) -> Resolution:
        """The provision that a reference names, or what it may mean; see `resolve_reference`."""
        day = requests.checked_date(at_date) if at_date is not None else None
        with self.database.read() as conn:
            return resolve_reference(
                conn, GRAMMARS, reference, today=clock.today(), jurisdiction=jurisdiction, language=language,
                at_date=day, tags=tags,
            )  # fmt: skip

    def resolve_many(
        self,
        references: Iterable[str | Cited],
        *,
        jurisdiction: str | None = None,
        language: str | None = None,
        at_date: date | str | None = None,
        tags: Mapping[str, str] | None = None,
    ) -> Iterator[Resolution]:
        """Any number of references, in their order and in one snapshot, which lasts until the iterator ends or closes.

        They are read as they are needed, so that memory does not grow with their number; see `resolve_references`. A
        `Cited` is a reference with a date or a language of its own.
        """
        from retrieval.references.batch import resolve_references

        day = requests.checked_date(at_date) if at_date is not None else None
        with self.database.read() as conn:
            yield from resolve_references(
                conn, GRAMMARS, references, today=clock.today(), jurisdiction=jurisdiction, language=language,
                at_date=day, tags=tags,
            )  # fmt: skip

    def resolve_case(
        self,
        *,
        court: str | None = None,
        date: str | None = None,
        case_number: str | None = None,
        case_name: str | None = None,
        limit: int = 5,
        jurisdiction: str | None = None,
    ) -> CaseResolution:
        """Decisions by what is remembered of them; see `find_case`."""
        with self.database.read() as conn:
            return find_case(
                conn, court=court, decided=date, case_number=case_number, case_name=case_name, limit=limit,
                jurisdiction=jurisdiction,
            )  # fmt: skip

    def edges(
        self,
        reference: str,
        direction: Direction = "outgoing",
        *,
        kind: str | None = None,
        at_date: date | str | None = None,
        limit: int = 50,
        offset: int = 0,
    ) -> EdgePage:
        """The citation graph around a provision, by its URN or as it is cited; see `edges_of` for the arguments.

        Of a reference that names no one provision for certain there are no edges, and `message` says what it may mean.

        Raises:
            InputError: the reference, the kind, the limit or the offset cannot be used.
        """
        day = requests.checked_date(at_date)
        with self.database.read() as conn:
            urn = reference.strip()
            if not is_urn(urn):
                found = resolve_reference(conn, GRAMMARS, reference, today=clock.today(), at_date=day)
                if found.urn is None or found.hint is not None:
                    near = [*(candidate.urn for candidate in found.candidates), *found.suggestions][:_MOST_NAMED]
                    named = f" Near it: {', '.join(near)}." if near else ""
                    message = f"{found.message or 'The reference names no one provision for certain.'}{named}"
                    return EdgePage(
                        urn="", direction=direction, kind=kind, at_date=day, total=0, offset=offset, edges=[],
                        message=message,
                    )  # fmt: skip
                urn = found.urn
            return edges_of(conn, urn, direction, at_date=day, kind=kind, limit=limit, offset=offset)


def find_case(
    conn: Connection,
    *,
    court: str | None = None,
    decided: str | None = None,
    case_number: str | None = None,
    case_name: str | None = None,
    limit: int = 5,
    jurisdiction: str | None = None,
) -> CaseResolution:
    """Find decisions by case number, else name (and court), else court (and date); see `retrieval.references.cases`.

    Raises:
        InputError: a clue, the limit or the jurisdiction cannot be used.
    """
    from rag.jurisdictions.court_names import court_spellings
    from retrieval.references.cases import resolve_case

    for clue in (court, decided, case_number, case_name):
        check_length(clue or "")
    return resolve_case(
        conn, court=court_spellings(court) if court else (),
        date=case_date(decided) if decided and decided.strip() else None,
        case_number=number_spellings(case_number) if case_number else (), case_name=case_name, limit=limit,
        jurisdictions=expand_jurisdictions(jurisdiction, stored_jurisdictions(conn)),
    )  # fmt: skip
