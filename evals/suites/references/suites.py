"""Curated citation suites: strings with what they name, by the tests of other projects."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast
from urllib.parse import unquote

from evals.suites.references.model import Score
from rag.jurisdictions.registry import jurisdiction_for
from retrieval.errors import InputError
from retrieval.paths import segment

Fields = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Case:
    """A text with the URNs it names. Several sets: readings that the suite allows. None: the text must name none."""

    jurisdiction: str
    text: str
    urns: tuple[str, ...]  # all of these have to be read
    allowed: frozenset[str] = frozenset()  # and these may be
    words: tuple[str, ...] = ()  # what of the text the suite judges; all of it where empty


def suite_texts(path: Path) -> list[tuple[str, str]]:
    """Jurisdiction and text of every case of a suite's folder; none where it is no known suite."""
    for name, cases in _READERS.items():
        if (path / name).is_file():
            return [(case.jurisdiction, case.text) for case in cases(path / name)]
    return []


def suite_score(path: Path, label: str) -> Score | None:
    """The score of a suite's folder; None where it is none of the known suites."""
    if (path / "reporters.json").is_file():
        return _reporters(path / "reporters.json", Score(label))
    for name, cases in _READERS.items():
        if (path / name).is_file():
            score = Score(label)
            for case in cases(path / name):
                _judge(case, score)
            return score
    return None


def _judge(case: Case, score: Score) -> None:
    found = jurisdiction_for(case.jurisdiction).find_references(case.text, None)
    spans = [(at, at + len(word)) for word in case.words if (at := case.text.find(word)) >= 0]
    given = [
        (part.urn, reference.confident)
        for reference in found
        for part in reference.parts
        if part.urn and (not spans or any(start < part.end and part.start < end for start, end in spans))
    ]
    score.expected += len(case.urns)
    for urn in case.urns:
        if any(urn == one for one, _ in given):
            score.found += 1
        else:
            cause = "read as another provision" if given else "recognised, without a URN" if found else "nothing read"
            score.miss(cause, case.text, urn, ", ".join(one for one, _ in given) or "nothing")
    for urn, confident in given:
        right = urn in case.urns or urn in case.allowed
        score.read += 1
        score.right += right
        score.certain += confident
        score.certain_wrong += confident and not right
        if not right:
            score.miss("read, and not named", case.text, ", ".join(case.urns) or "nothing", urn)


# unitedstates/citation: JSON Lines of recorded calls


def _unitedstates(path: Path) -> Iterator[Case]:
    for line in path.read_text(encoding="utf-8").splitlines():
        record = cast("Fields", json.loads(line))
        ids = _ids_expected(record)
        # A suite asks for one kind of citation; others of the same text are right, too, as far as they are read.
        if not ids or record["suite"] not in ("usc", "cfr", "law"):
            continue
        urns = [urn for name in ids if (urn := _urn_of_id(name))]
        # Where a number may be a range as well, the suite gives the range first, then its ends.
        several = len(urns) > 1 and all(urns[0] != urn for urn in urns[1:]) and "Range" in str(record.get("name"))
        chosen = urns[:1] if several or "Parent" in str(record.get("name")) else urns
        if chosen:
            yield Case("us", str(record["text"]), tuple(dict.fromkeys(chosen)), frozenset(urns), _words(record))


def _ids_expected(record: Fields) -> list[str]:
    listed = record.get("expected")
    if isinstance(listed, list):
        flat = cast("list[Fields]", [entry for entry in cast("list[object]", listed) if isinstance(entry, dict)])
        return [str(fields[record["suite"]]["id"]) for fields in flat if record["suite"] in fields]
    checks = cast("list[Fields]", record.get("expect") or [])
    return [str(check["value"]) for check in checks if re.fullmatch(r"citations\.\d+\.\w+\.id", str(check["path"]))]


def _words(record: Fields) -> tuple[str, ...]:
    listed = cast("list[object]", record.get("expected") or [])
    matches = [str(cast("Fields", entry).get("match", "")) for entry in listed if isinstance(entry, dict)]
    checks = cast("list[Fields]", record.get("expect") or [])
    return tuple(matches or [str(check["value"]) for check in checks if str(check["path"]).endswith(".match")])


def _urn_of_id(text: str) -> str:
    kind, *rest = text.split("/")
    if kind in ("usc", "cfr") and rest and rest[0].isdigit() and "note" not in rest and "et-seq" not in rest:
        number = [rest[1] if kind == "usc" or "." in rest[1] else f"part_{rest[1]}"] if len(rest) > 1 else []
        return _joined(f"urn:lex:us:{rest[0]}{kind}", *number, *rest[2:])
    if kind == "us-law" and len(rest) >= 3:
        prefix = {"public": "pl", "private": "pvtl"}[rest[0]]
        return _joined(f"urn:lex:us:{prefix}-{rest[1]}-{rest[2]}", *rest[3:])
    return ""


def _joined(corpus: str, *designators: str) -> str:
    try:
        return ":".join(
            (
                corpus,
                *(designator if designator.startswith("part_") else segment(designator) for designator in designators),
            )
        )
    except InputError:
        return ""


# citeurl: templates with the address of what each example cites

_ADDRESSES = (
    (re.compile(r"law\.cornell\.edu/uscode/text/(\w+)/([\w.-]+)(?:#(\w+))?\Z"), "usc"),
    (re.compile(r"cfr-reference\?.*reference\]=(\d+) CFR ([\w.-]+)(?:#p-[\w.-]+?((?:\(\w+\))*))?\Z"), "cfr"),
    (re.compile(r"dccouncil\.us/dc/council/code/sections/([\w:.-]+)\.html()()\Z"), "dc"),
    (re.compile(r"uscode\.house\.gov/statutes/pl/(\d+)/(\d+)\.pdf()\Z"), "pl"),
)
# Templates that translate the section of an act into the code: a table of acts, and no reading of the words.
_TRANSLATED = re.compile(r"\b(?:INA|NLRA|ESA|CAA|CWA|FHA|ADA|IRC)\b")


def _citeurl(path: Path) -> Iterator[Case]:
    templates = cast("dict[str, Fields]", json.loads(path.read_text(encoding="utf-8")))
    for fields in templates.values():
        text, address = str(fields.get("cite") or ""), unquote(str(fields.get("URL") or ""))
        if not text or _TRANSLATED.search(text):
            continue
        urn = _urn_of_address(address)
        code = "us-dc" if "D.C." in text else "us"
        yield Case(code, text, (urn,) if urn else ())


def _urn_of_address(address: str) -> str:
    for pattern, kind in _ADDRESSES:
        match = pattern.search(address)
        if match is None:
            continue
        first, second, rest = match[1], match[2], match[3] or ""
        if kind == "dc":
            return f"urn:lex:us-dc:code:{first.lower()}"
        if kind == "pl":
            return f"urn:lex:us:pl-{first}-{second}"
        return _joined(f"urn:lex:us:{first}{kind}", second, *re.findall(r"[A-Za-z0-9]+", rest))
    return ""


# quantlaw: assertions of a German extractor

_MAIN = re.compile(r"Main:(?P<main>[^;]*);Suffix:[^;]*;Law:(?P<law>[^;]*);Type:(?P<type>\w+)\Z")


def _quantlaw(path: Path) -> Iterator[Case]:
    known = jurisdiction_for("de")
    for record in cast("list[Fields]", json.loads(path.read_text(encoding="utf-8"))):
        arguments, expected = record.get("args"), record.get("expected")
        match = _MAIN.match(expected) if isinstance(expected, str) else None
        if match is None or not isinstance(arguments, list):
            continue
        [text, *_] = cast("list[str]", arguments)
        if match["type"] in ("dict", "sgb"):
            # The suite says which words are the reference and which its law; the same two alone say what is meant.
            alone = known.find_references(f"{match['main']} {match['law']}", None)
            yield Case("de", text, tuple(urn for reference in alone for urn in reference.urns))
        else:
            yield Case("de", text, ())


# reporters-db: examples of how decisions are cited, with the reporter each belongs to


def _reporters(path: Path, score: Score) -> Score:
    """Every example has to be read as one decision of its own reporter, in any edition of it."""
    table = cast("dict[str, list[Fields]]", json.loads(path.read_text(encoding="utf-8")))
    parser = jurisdiction_for("us")
    for name, entries in table.items():
        editions = {name}
        for entry in entries:
            editions.update(cast("Fields", entry["editions"]), cast("Fields", entry["variations"]))
        for example in (str(item) for entry in entries for item in cast("list[object]", entry.get("examples") or [])):
            queries = parser.tag_queries(example)
            aliases = [
                value for query in queries for tag_filter in query.tag_filters.filters for value in tag_filter.values
            ]
            score.expected += 1
            read = len(queries) == 1 and queries[0].kind == "decision"
            score.found += read
            if not read:
                score.miss("not read as one decision", example, name, ", ".join(aliases[:3]) or "nothing")
                continue
            right = bool({_signless(edition) for edition in editions} & {_reporter_of(alias) for alias in aliases})
            certain = queries[0].hint is None
            score.read += 1
            score.right += right
            score.certain += certain
            score.certain_wrong += certain and not right
            if not right:
                score.miss("read as another reporter", example, name, aliases[0])
    return score


def _signless(reporter: str) -> str:
    """ "Dem.Surr." and "Dem. Surr." are one."""
    return re.sub(r"[\s.]", "", reporter)


def _reporter_of(alias: str) -> str:
    """The reporter of "158 F.3d 674"."""
    return _signless(re.sub(r"\A\S*\d\S*\s|\s\S*\d\S*\Z", "", alias))


_READERS = {"tests.jsonl": _unitedstates, "templates_tests.json": _citeurl, "tests.json": _quantlaw}
