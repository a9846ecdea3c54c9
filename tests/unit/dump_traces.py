"""Invented traces for the tests of dumps: an answer at all three levels, a halt, and either with other texts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime
from typing import Any

import lxml.html
from lxml.html import HtmlElement

from rag.answering.answer import Citation, Computation, Place, ShortAnswer
from rag.telemetry.trace import Trace, TracedEntryPoint, TracedHit, TracedStatement, scenario_sha256
from retrieval.model import (
    Block,
    ContextWarning,
    DefinitionInScope,
    Omitted,
    OverrideNotice,
    Role,
    ScopedContext,
    context_digest,
)

AT = date(2024, 7, 1)
REG = "urn:lex:ma:940cmr"
DEPOSIT, RENT = f"{REG}:7.10", f"{REG}:7.22"
SCENARIO = "Quillon Varga's landlord kept the whole deposit for six weeks and sent no list of damage. What is owed?"


def block(id: str, urn: str, role: Role, text: str = "", **more: Any) -> Block:
    values: dict[str, Any] = {
        "heading": "", "lead_in": "", "flush": "", "valid_from": date(2019, 3, 1), "valid_to": None,
        "parent_urn": urn.rpartition(":")[0], "applies_to": [DEPOSIT], "reason": "part of the rule", **more,
    }  # fmt: skip
    return Block(id=id, urn=urn, role=role, text=text, **values)


PLACE = Place(
    urn=RENT, citation="940 CMR, 7.22", heading="Increases of rent", path="Invented regulations > Part 7",
    sentence="No landlord may raise the rent more than once in twelve months.", why="it speaks of kept the deposit",
)  # fmt: skip
LEAD = "A landlord who holds a security deposit shall:"
RETURN = "return the deposit, with the interest due on it, within thirty days after the tenancy ends; and"
LIST = "give the tenant an itemized list of damage, signed under the penalties of perjury, before keeping any part."
BLOCKS = [
    block("b1", REG, "ancestor", heading="Invented regulations on trade and housing", parent_urn=None,
          applies_to=[DEPOSIT, RENT], reason="contains the rule"),
    block("b2", f"{REG}:part_7", "ancestor", heading="Part 7. Landlords and tenants", parent_urn=REG,
          applies_to=[DEPOSIT, RENT], reason="contains the rule"),
    block("b3", DEPOSIT, "rule", LEAD, heading="Return of security deposits", parent_urn=f"{REG}:part_7",
          reason="the rule"),
    block("b4", f"{DEPOSIT}:a", "rule", RETURN, lead_in=LEAD),
    block("b5", f"{DEPOSIT}:b", "rule", LIST, lead_in=LEAD),
    block("b6", f"{DEPOSIT}:c", "rule",
          "A landlord who keeps a deposit in violation of this section is liable for three times its amount. "
          "No waiver of this paragraph is valid.", valid_from=date(2021, 1, 1), valid_to=date(2026, 1, 1)),
    block("b7", RENT, "rule", "No landlord may raise the rent of a dwelling unit more than once in twelve months.",
          heading="Increases of rent", parent_urn=f"{REG}:part_7", applies_to=[RENT], reason="the rule"),
    block("b8", f"{REG}:7.02:def.landlord", "definition",
          "“Landlord” means the owner of a dwelling unit, and any person who manages it for the owner.",
          heading="Landlord", applies_to=[DEPOSIT, RENT], reason="defines “landlord”, used by the rule"),
    block("b9", f"{REG}:7.02:def.dwelling-unit", "definition",
          "“Dwelling unit” means one or more rooms let to one household to live in.", heading="Dwelling unit",
          applies_to=[DEPOSIT, RENT], reason="defines “dwelling unit”, used by a definition"),
    block("b10", f"{REG}:7.31:2", "exception",
          "Section 7.10 does not apply to a room let for thirty-one days or less.", valid_from=None,
          reason="limits: “Section 7.10” there names the rule or what contains it"),
    block("b11", "urn:lex:ma:mgl-986:4", "authority",
          "The agency may make rules that protect the deposits of tenants.", heading="Rules on deposits",
          reason="enabling authority: “M.G.L. c. 986, § 4”"),
    block("b12", "urn:lex:us:24cfr:9884.3", "federal",
          "An owner of assisted housing shall return a deposit within twenty days.", heading="Assisted housing",
          reason="federal rule that overlaps: conflict preemption"),
    block("b13", f"{DEPOSIT}:d", "warning",
          "VOID by Supreme Judicial Court, Tenants' Union v. Agency, 901 Mass. 12, effective 2023-05-04. "
          "The fee exceeds the power of the agency."),
]  # fmt: skip


def make_context(**changes: Any) -> ScopedContext:
    values: dict[str, Any] = {
        "status": "ok",
        "targets": [DEPOSIT, RENT],
        "at_date": AT,
        "digest": "",
        "blocks": BLOCKS,
        "definitions": [
            DefinitionInScope(
                term="landlord", urn=f"{REG}:7.02:def.landlord", scope_urn=f"{REG}:part_7", applies_to=[DEPOSIT, RENT],
                shadows=[f"{REG}:1.02:def.landlord", "urn:lex:ma:mgl-986:1:c"], relation="means", inferred=False,
                phrase="As used in this part", depth=0,
            ),
            DefinitionInScope(
                term="dwelling unit", urn=f"{REG}:7.02:def.dwelling-unit", scope_urn=f"{REG}:part_7",
                applies_to=[DEPOSIT, RENT], shadows=[], relation="means", inferred=True, phrase="", depth=1,
            ),
        ],
        "overrides": [
            OverrideNotice(
                urn=f"{DEPOSIT}:d", urn_pattern=f"{DEPOSIT}:d*", status="VOID", severity="CRITICAL",
                court="Supreme Judicial Court", court_citation="Tenants' Union v. Agency, 901 Mass. 12",
                message="The fee exceeds the power of the agency.", effective_from=date(2023, 5, 4),
                effective_to=None, action="redact",
            ),
        ],
        "warnings": [
            ContextWarning(kind="preemption", urn=DEPOSIT,
                           message="Supremacy Clause Warning: urn:lex:us:24cfr:9884.3 may preempt it (conflict)."),
            ContextWarning(kind="inferred_scope", urn=f"{REG}:7.02:def.dwelling-unit",
                           message="That this definition governs the rule is inferred from where it stands."),
        ],
        "omitted": [Omitted(urn=f"{REG}:7.40", reason="left out to fit the token budget")],
    } | changes  # fmt: skip
    context = ScopedContext(**values)
    return context.model_copy(update={"digest": context_digest(context)})


def cite(urn: str, quote: str) -> Citation:
    text = next(block_.text for block_ in BLOCKS if block_.urn == urn)
    return Citation(urn=urn, quote=quote, start=text.index(quote), end=text.index(quote) + len(quote))


def make_trace(**changes: Any) -> Trace:
    treble = "A landlord who keeps a deposit in violation of this section is liable for three times its amount."
    values: dict[str, Any] = {
        "id": "4f1d8a2290b7c3e5",
        "created_at": datetime(2024, 7, 1, 9, 30, 15, tzinfo=UTC),
        "privacy": "full",
        "lexscope": "0.1.0",
        "request": "ask",
        "status": "answered",
        "at_date": AT,
        "jurisdictions": ["us-ma", "us"],
        "language": "en",
        "scenario": SCENARIO,
        "scenario_sha256": scenario_sha256(SCENARIO),
        "legs": {
            "lexical": [TracedHit(urn=f"{DEPOSIT}:b", score=21.4183), TracedHit(urn=DEPOSIT, score=19.0021),
                        TracedHit(urn=RENT, score=6.5)],
            "synonym": [TracedHit(urn=DEPOSIT, score=1.0)],
            "dense": [TracedHit(urn=f"{DEPOSIT}:a", score=0.8112), TracedHit(urn=f"{REG}:7.40", score=0.6419)],
        },
        "entry_points": [
            TracedEntryPoint(urn=DEPOSIT, hit_urn=f"{DEPOSIT}:b", score=0.9312,
                             legs={"lexical": 1.0, "synonym": 1.0, "dense": 0.97}),
            TracedEntryPoint(urn=RENT, hit_urn=RENT, score=0.2204, legs={"lexical": 0.31}),
        ],
        "synonyms": ["kept the whole deposit -> security deposit"],
        "context": make_context(),
        "prompt": f"Answer strictly based on the provided context.\n\n{LEAD}\n\nScenario:\n{SCENARIO}",
        "prompt_redacted": f"Answer strictly based on the provided context.\n\n{LEAD}\n\nScenario:\n[not kept]",
        "prompt_digest": "9c" * 32,
        "provider": "openai",
        "model": "gpt-5-mini",
        "statements": [
            TracedStatement(text=treble, level="VERBATIM", verdict="SUPPORTED", reasons=[],
                        citations=[cite(f"{DEPOSIT}:c", treble)]),
            TracedStatement(
                text="The landlord had to return the deposit with interest within thirty days after the tenancy ended.",
                level="CHECKED", verdict="SUPPORTED", reasons=["LIST_ITEM"],
                citations=[cite(f"{DEPOSIT}:a", "return the deposit, with the interest due on it, within thirty days"),
                           cite(f"{DEPOSIT}:a", "after the tenancy ends"),
                           cite(f"{REG}:7.02:def.landlord", "“Landlord” means the owner of a dwelling unit")],
            ),
            TracedStatement(
                id="s4", kind="application", text="Your landlord owes you $3,600.", level="APPLIED",
                verdict="SUPPORTED", reasons=["JUDGED"], citations=[cite(f"{DEPOSIT}:c", treble)], rests_on=["s1"],
                facts=["kept the whole deposit"],
                computations=[Computation(operation="multiply", inputs=["3", "$1,200"], result="$3,600")],
            ),
            TracedStatement(text="The landlord may keep half of the deposit.", level="WITHHELD", verdict="ALTERED",
                        reasons=["MODALITY_CHANGED", "NUMBER_CHANGED"],
                        citations=[cite(f"{DEPOSIT}:b", "before keeping any part")]),
        ],
        "judge": "openai gpt-5-mini",
        "short_answer": ShortAnswer(text="Three times the deposit is owed.", level="APPLIED", rests_on=["s4"]),
        "places": [PLACE],
        "unanswered": ["the rate of interest"],
        "told": [ContextWarning(kind="limits", message="Further provisions limit what is said here.", urn=RENT)],
        "refusal_reason": None,
        "refusal_message": None,
        "usage": {"input_tokens": 2210, "output_tokens": 187},
        "milliseconds": {"search": 8.4, "context": 5.1, "draft": 2210.7, "verification": 3.9, "total": 2231.6},
    } | changes  # fmt: skip
    return Trace(**values)


def halted_trace() -> Trace:
    notice = OverrideNotice(
        urn=DEPOSIT, urn_pattern=f"{DEPOSIT}*", status="ENJOINED", severity="CRITICAL", court="Superior Court",
        court_citation="Owners' League v. Agency, No. 24-0017", message="Not to be enforced while the case is pending.",
        effective_from=date(2024, 2, 2), effective_to=date(2025, 2, 2), action="halt",
    )  # fmt: skip
    context = make_context(
        status="halted", blocks=[], definitions=[], overrides=[notice], warnings=[], omitted=[],
        message=f"Legal Override active. {DEPOSIT}", suggestions=[RENT],
    )  # fmt: skip
    return make_trace(
        status="halted", context=context, statements=[], prompt=None, prompt_redacted=None, prompt_digest=None,
        refusal_reason="legal_override", refusal_message="Legal Override active. No model was asked.", usage={},
        unanswered=[], synonyms=[],
    )  # fmt: skip


# Every text of a trace, replaced. What the contract closes (roles, dates, privacy) cannot hold anybody's words.
CLOSED = {"privacy", "level", "role", "action", "at_date", "created_at", "valid_from", "valid_to", "effective_from",
          "effective_to"}  # fmt: skip
PRIVATE = {"scenario", "synonyms", "unanswered", "prompt"}


def refill(value: Any, text: Callable[[], str], key: str = "") -> Any:
    """The same JSON with every open text, keys of open maps included, taken from `text`."""
    if isinstance(value, dict):
        open_map = key in ("legs", "usage", "milliseconds")
        return {text() if open_map else name: refill(one, text, name) for name, one in value.items()}
    if isinstance(value, list):
        return [refill(unknown, text, key) for unknown in value]
    return text() if isinstance(value, str) and value and key not in CLOSED else value


def refilled(trace: Trace, text: Callable[[], str]) -> Trace:
    data = trace.model_dump(mode="json")
    status = data["context"]["status"]
    data = refill(data, text)
    data["context"]["status"] = status
    for one, kept in zip(data["told"], trace.told, strict=True):  # which kinds hold the user's words is closed
        one["kind"] = kept.kind
    return Trace.model_validate(data)


def parse(html: str) -> HtmlElement:
    return lxml.html.document_fromstring(html)


def words_of(element: HtmlElement) -> str:
    return " ".join(element.text_content().split())


def sentinels() -> Iterator[str]:
    return (f"zq{number}x" for number in range(10_000))
