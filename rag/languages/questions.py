"""Which term a question asks the meaning of, by the forms of its language."""

from __future__ import annotations

import re

from rag.languages.registry import language_of, term_rules

_LONGEST = 100  # characters of a term
_WORD = re.compile(r"[^\W\d_]+")


def meanings_asked(question: str, language: str) -> list[str]:
    """What the term may be whose meaning the whole of a question asks for, normalised, the likeliest first.

    Args:
        question: with blanks in place of the provisions and places that it names.
        language: of the question and of the law.

    Returns:
        Nothing where it asks for something else or for more: "What is a tenant liable for?".
    """
    words = language_of(language).questions
    asked = words.meaning.match(question)
    if asked is None:
        return []
    groups = asked.groupdict()
    limits = " ".join(text for name, text in groups.items() if text and name.startswith("where"))
    term = next((text for name, text in groups.items() if text and not name.startswith("where")), "")
    # "Tenancy in common" is a term, and "tenancy in this act" names the law.
    parts = [(term, ""), *((term[: match.start()], term[match.start() :]) for match in words.under.finditer(term))]
    rules = term_rules(language)
    found: dict[str, None] = {}
    for part, rest in parts:
        plain = rules.normalise(part.strip().rstrip("?？!.。"))
        if not plain or len(plain) > _LONGEST or not _only_names_law(f"{rest} {limits}", words.under, language):
            continue
        found[plain] = None
        keys = tuple(token.key for token in rules.tokens(plain))
        found.update(dict.fromkeys(" ".join(form) for form in rules.forms(keys)))
    return [*found]


def _only_names_law(rest: str, under: re.Pattern[str], language: str) -> bool:
    """Whether words behind a term do nothing but name a law or a place, which are blank."""
    idle = language_of(language).idle
    left = under.sub(" ", f" {' '.join(rest.split())}")
    return all(word.lower() in idle for word in _WORD.findall(left))
