"""The phrases of English that are operators, found by their first word."""

from __future__ import annotations

from collections.abc import Mapping

from rag import verification_words as words
from rag.operators_model import Kind, Operator


def _alternatives(table: str) -> list[tuple[str, ...]]:
    return [tuple(phrase.split()) for phrase in table.split("|")]


def operator_phrases() -> dict[str, list[tuple[tuple[str, ...], tuple[Operator, ...]]]]:
    """All operator phrases by their first word, longest first."""
    tables: list[tuple[Kind, Mapping[str, str]]] = [
        (Kind.MODALITY, words.MODALITY),
        (Kind.NEGATION, {"NOT": words.NEGATION}),
        (Kind.COMPARATOR, words.COMPARATORS),
        (Kind.CONNECTIVE, words.CONNECTIVES),
        (Kind.EXCEPTION, words.EXCEPTIONS),
        (Kind.CONDITION, words.CONDITIONS),
        (Kind.ABSOLUTE, words.ABSOLUTES),
        (Kind.RELATIVE, {word: word for word in words.RELATIVES.split("|")}),
        (Kind.NEUTRAL, words.NEUTRAL_PHRASES),
    ]
    out: dict[str, list[tuple[tuple[str, ...], tuple[Operator, ...]]]] = {}
    for kind, table in tables:
        for value, alternatives in table.items():
            for phrase in _alternatives(alternatives):
                found = [Operator(kind, value)]
                if (kind is Kind.ABSOLUTE and value == words.NEVER_NEGATES) or phrase == ("never",):
                    found = [Operator(Kind.NEGATION, "NOT"), Operator(Kind.ABSOLUTE, words.NEVER_NEGATES)]
                out.setdefault(phrase[0], []).append((phrase, tuple(found)))
    for entries in out.values():
        entries.sort(key=lambda entry: -len(entry[0]))
    return out
