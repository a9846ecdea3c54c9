"""URNs that only look like a provision's: no face takes one for the provision, and none makes a file's name of one."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from contextlib import suppress

import pytest

from rag import Engine
from retrieval.errors import InputError
from retrieval.paths import parse_urn

RULE = "urn:lex:ma:940cmr:3.17:4"
LOOKALIKES = str.maketrans("uelxmacr3174.:", "սеӏхmасгᲙ𝟏𝟕４․꞉")  # Armenian, Cyrillic, Georgian, mathematical, wide
WITHIN = (
    *"\u00ad\u200b\u200c\u200d\u200e\u202e\u2060\ufeff\ufe0f\u0301\u20e3\x00\x1b\x7f",
    "%00",
    "%2e",
    "*",
    "\\",
    "/",
)
AROUND = (
    "{}.", "{}:", "{}..", "{}:..", "{}/../../etc/passwd", "../{}", "/{}", "{}?x=1", "{}#4", "{}%20", "{};", "{}~",
    "{}:*", "file:{}", "{}\n{}", "<{}>", "[{}]", "{}\u200b", "\u2066{}\u2069",
)  # fmt: skip


def spellings() -> Iterator[str]:
    """Each sign of the URN by one that looks like it, or with one beside it that is not seen."""
    for at, sign in enumerate(RULE):
        head, tail = RULE[:at], RULE[at + 1 :]
        yield f"{head}{chr(ord(sign) + 0xFEE0)}{tail}"
        if (other := sign.translate(LOOKALIKES)) != sign:
            yield f"{head}{other}{tail}"
        yield f"{head}%{ord(sign):02x}{tail}"
    for sign in WITHIN:
        yield from (f"{RULE[:at]}{sign}{RULE[at:]}" for at in (4, 8, 11, 19, len(RULE) - 1))
    yield from (around.replace("{}", RULE) for around in AROUND)
    yield RULE.translate(LOOKALIKES)
    yield from (
        "".join(chr(ord(sign) + 0xFEE0) for sign in RULE),
        RULE.replace(":", "::", 1),
        RULE.replace("lex", "lеx"),
    )


def folded(spelling: str) -> str:
    """The spelling in plain ASCII, where it is the same characters in another width or with some that are not seen."""
    return "".join(char for char in unicodedata.normalize("NFKC", spelling) if unicodedata.category(char) != "Cf")


SPELLINGS = sorted({*spellings()})
SAME = [spelling for spelling in SPELLINGS if folded(spelling) == RULE]
OTHER = [spelling for spelling in SPELLINGS if folded(spelling) != RULE and RULE not in spelling]


def read_as(engine: Engine, spelling: str) -> dict[str, list[str]]:
    """What each face takes the spelling for; nothing where it refuses it."""
    found: dict[str, list[str]] = {}
    for name, ask in (
        ("resolve", lambda: [engine.resolve(spelling).urn]),
        ("document", lambda: [engine.document(spelling).urn]),
        ("context", lambda: engine.context(spelling).targets),
    ):
        with suppress(InputError):
            found[name] = [urn for urn in ask() if urn is not None]
    return found


def test_the_spellings_are_many_and_of_both_kinds() -> None:
    assert (len(SPELLINGS), len(SAME), len(OTHER)) == (182, 70, 95)


def test_s13_what_looks_like_a_urn_is_never_taken_for_the_provision(served: Engine) -> None:
    for spelling in OTHER:
        assert not any(RULE in urns for urns in read_as(served, spelling).values()), ascii(spelling)


def test_s13_the_same_characters_in_another_form_mean_the_provision_or_nothing(served: Engine) -> None:
    for spelling in SAME:
        assert not any(urns not in ([RULE], []) for urns in read_as(served, spelling).values()), ascii(spelling)


def test_s13_no_confusable_urn_is_one() -> None:
    for spelling in {*SPELLINGS} - {f"{RULE}~"}:  # which is another URN
        with pytest.raises(InputError):
            parse_urn(spelling)
