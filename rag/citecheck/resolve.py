"""From what a text names to the provisions of the store, each with a verdict on the reference itself."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import product

from rag.citecheck.deadline import NO_DEADLINE, Deadline
from rag.citecheck.model import TextVerdict
from rag.citecheck.references import Mention, find_unread, with_back_references
from rag.jurisdictions.gb.addresses import kept_urn
from rag.jurisdictions.registry import all_jurisdictions, jurisdiction_for
from rag.languages.word_by_word import word_list
from rag.store.database import Connection
from retrieval.context.overrides import Override, overrides_for
from retrieval.errors import InputError
from retrieval.model import Resolution
from retrieval.nodes import NodeVersion, nodes_by_ids, stored_jurisdictions, versions_by_urn
from retrieval.paths import exactly_named, expand_jurisdictions, parse_urn, urn_spellings
from retrieval.queries import QUERIES
from retrieval.references.batch import resolve_many
from retrieval.references.citation_graph import repealing
from retrieval.references.lookup import outside_of_parts
from retrieval.references.pipeline import ReferenceParser
from retrieval.references.resolution import part_named
from retrieval.standing import says_out_of_force
from retrieval.tag_query import PART_NAMED

# Under one of these a rule cannot be relied on. LIMITED and QUESTIONED are told, and decide nothing.
ADVERSE = frozenset({"VOID", "ENJOINED", "SUSPENDED", "VACATED", "STAYED", "PREEMPTED"})
# The federal codes appear in editions of a year. `D.C. Code (2001)` names the codification, as amended since.
_BY_YEAR = re.compile(r"\Aurn:lex:us:\d+(?:usc|cfr):")
_USUAL = 2  # sections of a law named by number alone and found, from which on the text names its sections so
_LAWS = 30  # of a jurisdiction, of more of which none is looked for by the numbers of sections alone
_LISTED = 5  # provisions named in one reason
_GROUP = 500  # mentions that are looked up together; the deadline is looked at between groups


@dataclass(frozen=True, slots=True)
class Named:
    """What a mention comes to. `rule` is there where one provision is meant for certain and in force."""

    verdict: TextVerdict
    reasons: tuple[str, ...]
    urn: str | None = None
    rule: NodeVersion | None = None
    at_date: date | None = None


def resolve_mentions(
    conn: Connection,
    mentions: Sequence[Mention],
    *,
    at_date: date,
    jurisdiction: str | None,
    language: str | None,
    deadline: Deadline = NO_DEADLINE,
    resolve: Resolve | None = None,
) -> list[Named]:
    """What each mention names, in their order; a handful of statements for every `_GROUP` of them.

    Args:
        conn: a read connection; its transaction is the snapshot.
        at_date: the date of the law, unless a reference names its own.
        jurisdiction: what is to be in scope; provisions elsewhere are OUT_OF_SCOPE.
        language: narrows readings; None for all.
        deadline: mentions that are not looked up by then are UNVERIFIED.
        resolve: what has looked up some of them already, with the same date and language.
    """
    stored = stored_jurisdictions(conn)
    resolve = resolve or looked_up_once(conn, stored, at_date, language)
    scope = set(expand_jurisdictions(jurisdiction, stored))
    found: dict[int, Named] = {}
    named: dict[int, str] = {}  # the URNs of what was named, by where it is
    # Parts come after what they are parts of: that has to have its URN.
    wholes = [index for index, mention in enumerate(mentions) if mention.part is None]
    parts = [index for index, mention in enumerate(mentions) if mention.part is not None]
    for places in (wholes, parts):
        for start in range(0, len(places), _GROUP):
            group = places[start : start + _GROUP]
            if deadline.passed():
                found.update(dict.fromkeys(group, Named("UNVERIFIED", (f"DEADLINE: {deadline.cause}",))))
                continue
            asked = [_as_part(mentions[index], named) for index in group]
            found.update(zip(group, _resolved(conn, asked, stored, scope, resolve), strict=True))
        named = {mentions[index].start: urn for index in wholes if (urn := found[index].urn)}
    return [found[index] for index in range(len(mentions))]


def named_in_store(mentions: Sequence[Mention], resolve: Resolve, deadline: Deadline) -> list[Mention]:
    """Mentions, those without a URN with that of the one provision that the store has by their words.

    A grammar knows the URNs of well-known laws alone. What leans on another reference ("s 1(3)") needs the URN of that.
    """
    words = [one.by_itself or one.words if not one.urns and (one.alone or one.by_itself) else "" for one in mentions]
    wanted = list(dict.fromkeys(said for said in words if said))
    if not wanted:
        return list(mentions)
    urns: dict[str, str] = {}
    for start in range(0, len(wanted), _GROUP):
        if deadline.passed():
            break
        found = _by_words(resolve, wanted[start : start + _GROUP])
        urns |= {said: one.urn for said, one in found.items() if one.status == "resolved" and one.urn is not None}
    return [
        replace(one, urns=(urns[said],)) if said in urns else one for one, said in zip(mentions, words, strict=True)
    ]


def kept_in_store(conn: Connection, mentions: Sequence[Mention], jurisdiction: str | None) -> list[Mention]:
    """Mentions, those of the Union's law with the URNs of that law as the United Kingdom keeps it, where the United
    Kingdom and not the Union is asked for and the store has it: "Regulation (EU) No 319/2014" in a British memo.
    """
    if exactly_named(jurisdiction, ("eu", "gb")) != ("gb",):
        return list(mentions)
    kept = {urn: own for one in mentions for urn in one.urns if (own := kept_urn(urn))}
    acts = sorted({parse_urn(own).law for own in kept.values()})
    rows = conn.execute(QUERIES["find_held_urns"], {"urns": acts, "jurisdictions": ["gb"]}) if acts else ()
    held = {act for (act,) in rows}
    kept = {urn: own for urn, own in kept.items() if parse_urn(own).law in held}
    return [replace(one, urns=tuple(kept.get(urn, urn) for urn in one.urns)) for one in mentions]


def laws_of_numbers(
    text: str, mentions: Sequence[Mention], resolve: Resolve, scope: Container[str] | None, laws: Sequence[str]
) -> tuple[list[Mention], str]:
    """Whose law sections are that a text cites by number alone: first that of the law that it names, then of a law of
    the jurisdiction that is asked for, last of the one whose grammar knows the form of the number.

    Args:
        mentions: what the grammars read, and the names of laws.
        scope: the jurisdictions that are asked for; None for all.
        laws: URNs of laws of these.

    Returns:
        The mentions without those that are of another law than their form tells, and the one of `laws` that has most of
        the sections where the text names no law; empty where none has, or several.
    """
    kept = [one for one in mentions if not one.names_no_law]
    by_form = [one for one in mentions if one.names_no_law]
    if by_form and (own := _found_by_number(text, kept, resolve, "")):
        by_form = [
            one for one, hits in zip(by_form, _look_up(by_form, resolve), strict=True) if hits and one.start not in own
        ]
    by_form = [one for one in by_form if scope is None or parse_urn(one.urns[0]).jurisdiction in scope]
    kept = sorted((*kept, *by_form), key=lambda one: (one.start, one.end))
    if kept or scope is None or not 0 < len(laws) <= _LAWS:
        return kept, ""
    have = Counter({law: len(_found_by_number(text, kept, resolve, law)) for law in laws})
    (first, most), (_, second) = [*have.most_common(2), ("", 0)][:2]
    return kept, first if most > second else ""


def _found_by_number(text: str, mentions: Sequence[Mention], resolve: Resolve, law: str) -> set[int]:
    """Where a text cites sections by number alone that the store has, of the law that it names, or else of some law."""
    read = with_back_references(text, mentions, find_unread(text, mentions), law=law)
    bare = [one for one in read if one.assumed and one.part is None]
    return {one.start for one, hits in zip(bare, _look_up(bare, resolve), strict=True) if hits}


def _as_part(one: Mention, named: Mapping[int, str]) -> Mention:
    """A mention of a part with the URNs that it may have by what it is a part of."""
    return one if one.part is None else replace(one, urns=tuple(one.part.urns(named.get(one.part.of, ""))))


def _resolved(
    conn: Connection,
    mentions: Sequence[Mention],
    stored: Sequence[str],
    scope: set[str],
    resolve: Resolve,
) -> list[Named]:
    found = _look_up(mentions, resolve)
    held = _held(conn, mentions, found, stored)
    # Where a text names several sections of a law by number alone, one more that the law does not have is made up.
    read = Counter(_document_of(one.urns[0]) for one, hits in zip(mentions, found, strict=True) if _is_short(one, hits))
    usual = {document for document, number in read.items() if number >= _USUAL}
    outside = _outside(conn, mentions, found, held)
    named = [_named(one, hits, held, outside, usual) for one, hits in zip(mentions, found, strict=True)]
    ended = repealing(conn, [name.urn for name in named if name.verdict == "NOT_IN_FORCE" and name.urn], stored)
    rules = _rules(conn, named)
    overrides = _overrides(conn, rules)
    judged = [_judged(name, scope, ended, rules, overrides) for name in named]
    return [_as_read(one, mention) for one, mention in zip(judged, mentions, strict=True)]


def _as_read(one: Named, mention: Mention) -> Named:
    """A verdict with how its reference was read, and with the edition that it names held against the version."""
    if mention.note:
        one = replace(one, reasons=(*one.reasons, f"NOTE: {mention.note}"))
    if mention.case and one.rule is not None and (name := str(one.rule.tags.get("case_name") or "")):
        told = f"{mention.words} is {name}"
        if not _same_case(mention.case, name):
            reason = f"CASE_NAME: {told}, not {mention.case}; correct the name or the citation."
            return replace(one, verdict="ALTERED", rule=None, reasons=(reason, *one.reasons))
        one = replace(one, reasons=(*one.reasons, f"NOTE: {told}."))
    if mention.edition is None or one.rule is None:
        return one
    since = one.rule.valid_from
    cited = f"The text cites the edition of {mention.edition}"
    if since is not None and since.year > mention.edition and _BY_YEAR.search(one.rule.urn):
        reason = f"EDITION: {cited}; the store's text is in force since {since.isoformat()} only and was not compared."
        return replace(one, verdict="UNVERIFIED", rule=None, reasons=(*one.reasons, reason))
    known = "is not known" if since is None else f"is {since.isoformat()}"
    return replace(one, reasons=(*one.reasons, f"NOTE: {cited}; since when the store's text is in force {known}."))


# Words in the names of many cases, which tell none of them from another.
_ANYBODY = frozenset(
    word_list(
        """
        united states state commonwealth people city county board commissioner secretary department attorney general
        company corporation corp limited ltd inc llc plc the and for others another matter parte rel
        """
    )
)


def _same_case(ours: str, name: str) -> bool:
    """Whether a name that a text gives a decision may be its own: some party's name is in both, abbreviated or not."""
    said, known = (
        {word for word in re.findall(r"[^\W\d_]{2,}", part.casefold()) if word not in _ANYBODY} for part in (ours, name)
    )
    return not said or not known or any(_abbreviates(*pair) for pair in product(said, known))


def _abbreviates(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    return one == other or (len(short) > 2 and long.startswith(short))


def _look_up(mentions: Sequence[Mention], resolve: Resolve) -> list[list[Resolution]]:
    """The resolutions of each mention: of its URNs, and where none is there, of its words."""
    by_urn = resolve(urn for mention in mentions for urn in mention.urns)
    hits = [[found for urn in mention.urns if (found := by_urn[urn]).status != "not_found"] for mention in mentions]
    hits = [
        found[:1] if one.part is not None or one.assumed else found for one, found in zip(mentions, hits, strict=True)
    ]
    unread = [one.alone and one.part is None and not found for one, found in zip(mentions, hits, strict=True)]
    by_words = _by_words(resolve, [one.words for one, wanted in zip(mentions, unread, strict=True) if wanted])
    return [
        [by_words[one.words]] if wanted and by_words[one.words].status != "not_found" else found
        for one, wanted, found in zip(mentions, unread, hits, strict=True)
    ]


Resolve = Callable[[Iterable[str]], dict[str, Resolution]]


def looked_up_once(
    conn: Connection, stored: Sequence[str], at_date: date, language: str | None, *others: ReferenceParser
) -> Resolve:
    """What looks up references in one snapshot, each once however often it is asked for.

    Args:
        others: what reads references beside the grammars.
    """
    parsers, known = [*all_jurisdictions(), *others], dict[str, Resolution]()

    def resolve(references: Iterable[str]) -> dict[str, Resolution]:
        asked = list(dict.fromkeys(references))
        wanted = [reference for reference in asked if reference not in known]
        if wanted:
            results = resolve_many(
                conn, wanted, parsers, jurisdictions=stored, today=at_date, at_date=at_date, language=language
            )
            known.update(zip(wanted, results, strict=True))
        return {reference: known[reference] for reference in asked}

    return resolve


def _by_words(resolve: Resolve, words: Sequence[str]) -> dict[str, Resolution]:
    """What words name; of those that name a part of what was found, that part."""
    found = resolve(words)
    parts = {said: urn for said, one in found.items() if (urn := part_named(one))}
    by_part = resolve(parts.values())
    return found | {said: by_part[urn] for said, urn in parts.items() if by_part[urn].status == "resolved"}


def _document_of(urn: str) -> str:
    """The document that a provision with this URN would be in; its corpus where that is not known; or empty."""
    try:
        parsed = parse_urn(urn)
    except InputError:
        return ""
    own = "" if parsed.corpus == "doc" else jurisdiction_for(parsed.jurisdiction).document_urn(urn)
    return own or parsed.law


def _held(
    conn: Connection, mentions: Sequence[Mention], found: Sequence[list[Resolution]], stored: Sequence[str]
) -> set[str]:
    """The documents of missing provisions that the store has, in the URNs' own spelling."""
    missing = {
        document
        for one, hits in zip(mentions, found, strict=True)
        if not hits
        for urn in one.urns
        if (document := _document_of(urn))
    }
    spelled = {spelling: urn for urn in missing for spelling in urn_spellings(parse_urn(urn))}
    rows = conn.execute(QUERIES["find_held_urns"], {"urns": sorted(spelled), "jurisdictions": list(stored)})
    return {spelled[urn] for (urn,) in rows}


def _outside(
    conn: Connection, mentions: Sequence[Mention], found: Sequence[list[Resolution]], held: set[str]
) -> dict[str, str]:
    """Of the missing provisions of a law that the store has those that no part of it which it has would hold."""
    missing = (mention.urns[0] for mention, hits in zip(mentions, found, strict=True) if not hits and mention.urns)
    return outside_of_parts(conn, [urn for urn in missing if _document_of(urn) in held])


def _is_short(mention: Mention, hits: list[Resolution]) -> bool:
    return mention.assumed and mention.part is None and bool(mention.urns) and bool(hits)


def _named(
    mention: Mention, hits: list[Resolution], held: set[str], outside: Mapping[str, str], usual: set[str]
) -> Named:
    if not hits:
        return _missing(mention, held, outside, usual)
    several = list(dict.fromkeys(candidate.urn for found in hits for candidate in found.candidates))
    first = hits[0]
    doubt = next((hit.hint for hit in hits if hit.hint), PART_NAMED if first.reference == mention.whole else None)
    if len(several) > 1 or len(hits) > 1 or first.urn is None:
        listed = ", ".join(several[:_LISTED]) + (f" and {len(several) - _LISTED} more" if several[_LISTED:] else "")
        return Named("AMBIGUOUS", (f"SEVERAL_PROVISIONS: The reference may mean {listed}.",))
    if doubt or not mention.confident:
        why = doubt or "an uncertain reading"
        return Named("AMBIGUOUS", (f"UNCERTAIN_READING: Read as {first.urn}: {why}.",), first.urn)
    over = tuple(f"NOT_IN_FORCE: {warning}" for warning in first.warnings if says_out_of_force(first.urn, warning))
    told = tuple(f"NOTE: {warning}" for warning in first.warnings if not says_out_of_force(first.urn, warning))
    verdict: TextVerdict = "NOT_IN_FORCE" if over else "SUPPORTED"
    return Named(verdict, over or told, first.urn, None, first.at_date)


def _missing(mention: Mention, held: set[str], outside: Mapping[str, str], usual: set[str]) -> Named:
    if mention.part is not None:
        return Named("UNVERIFIED", ("UNCERTAIN_READING: The store has no such part of what is cited before.",))
    if not mention.urns:
        reason = "OUTSIDE_CORPUS: The store has no such law or decision; that is not a statement that there is none."
        return Named("OUTSIDE_CORPUS", (reason,))
    urn = mention.urns[0]
    document = _document_of(urn)
    if not document:
        return Named("NOT_FOUND", ("URN_MALFORMED: It is not a URN.",))
    if mention.assumed and document not in usual:
        reason = f"UNCERTAIN_READING: Read as {urn}, which the store does not have."
        return Named("AMBIGUOUS", (reason,), urn)
    if document not in held:
        reason = f"OUTSIDE_CORPUS: The store does not have {document}; whether the provision exists was not checked."
        return Named("OUTSIDE_CORPUS", (reason,), urn)
    if urn in outside:
        return Named("OUTSIDE_CORPUS", (f"OUTSIDE_CORPUS: {outside[urn]}",), urn)
    reason = f"NOT_FOUND: The store has {document}, and no {urn} in it."
    return Named("NOT_FOUND", (reason,), urn)


def _rules(conn: Connection, named: Sequence[Named]) -> dict[tuple[str, date], NodeVersion]:
    """The versions in force that are named, by URN and date."""
    wanted = {(name.urn, name.at_date) for name in named if name.verdict == "SUPPORTED" and name.urn and name.at_date}
    versions = versions_by_urn(conn, sorted({urn for urn, _ in wanted})) if wanted else []
    by_urn: dict[str, list[NodeVersion]] = {}
    for version in versions:
        by_urn.setdefault(version.urn, []).append(version)
    rules: dict[tuple[str, date], NodeVersion] = {}
    for urn, day in wanted:
        current = [version for version in by_urn.get(urn, ()) if version.in_force(day)]
        if len(current) == 1:
            rules[urn, day] = current[0]
    return rules


def _overrides(
    conn: Connection, rules: Mapping[tuple[str, date], NodeVersion]
) -> dict[tuple[str, date], list[Override]]:
    """What courts did to the rules and to what contains them, by URN and date."""
    found: dict[tuple[str, date], list[Override]] = {}
    for day in {day for _, day in rules}:
        own = [rule for (_, on), rule in rules.items() if on == day]
        above = nodes_by_ids(
            conn, ((version.jurisdiction, id_) for version in own for id_ in version.ancestor_ids), day
        )
        urns = {(node_version.jurisdiction, node_version.node_id): node_version.urn for node_version in above}
        chains = {
            version.urn: [
                version.urn,
                *(urns[key] for id_ in version.ancestor_ids if (key := (version.jurisdiction, id_)) in urns),
            ]
            for version in own
        }
        found.update({(urn, day): list_ for urn, list_ in overrides_for(conn, chains, day).items()})
    return found


def _judged(
    one: Named,
    scope: set[str],
    ended: Mapping[str, list[str]],
    rules: Mapping[tuple[str, date], NodeVersion],
    overrides: Mapping[tuple[str, date], list[Override]],
) -> Named:
    if one.urn and one.verdict in ("SUPPORTED", "NOT_IN_FORCE", "AMBIGUOUS"):
        code = parse_urn(one.urn).jurisdiction
        if code not in scope:
            return replace(one, verdict="OUT_OF_SCOPE", reasons=(f"OUT_OF_SCOPE: It is law of {code}.",))
    if one.verdict == "NOT_IN_FORCE" and one.urn and one.urn in ended:
        by = f"ENDED_BY: {one.urn} was ended by {', '.join(ended[one.urn][:_LISTED])}."
        return replace(one, reasons=(*one.reasons, by))
    if one.verdict != "SUPPORTED" or one.urn is None or one.at_date is None:
        return one
    rule = rules.get((one.urn, one.at_date))
    if rule is None:
        reason = f"NO_VERSION: The store has no single version of {one.urn} at {one.at_date.isoformat()}."
        return replace(one, verdict="UNVERIFIED", reasons=(*one.reasons, reason))
    courts = overrides.get((one.urn, one.at_date), [])
    told = tuple(f"{'OVERRIDDEN' if court.status in ADVERSE else 'NOTE'}: {court.sentence()}" for court in courts)
    if any(court.status in ADVERSE for court in courts):
        return replace(one, verdict="OVERRIDDEN", reasons=told)
    since = f"in force since {rule.valid_from.isoformat()}" if rule.valid_from else "in force, since when is not known"
    until = f", until {rule.valid_to.isoformat()}" if rule.valid_to else ""
    title = f" ({rule.heading})" if rule.heading else ""
    return replace(one, rule=rule, reasons=(f"EXISTS: {one.urn}{title}, {since}{until}.", *one.reasons, *told))
