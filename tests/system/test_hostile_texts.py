"""Texts that somebody wrote to keep a reader busy: twice as much of one takes no more than about twice the time."""

from __future__ import annotations

import gc
import random
import time
from collections.abc import Callable
from contextlib import suppress

import pytest
from conftest import share_of

from rag import Engine
from retrieval.errors import InputError

# What law is cited, quoted, numbered and written with, in the languages that are read.
KINDS: dict[str, tuple[str, ...]] = {
    "citations": (
        "§ ", "§§ ", "Art. ", "article ", "Artikel ", "section ", "sections ", "s. ", "reg. ", "Abs. ", "Satz ", "Nr. ",
        "alinéa ", "L. ", "U.S.C. ", "C.F.R. ", "U.S. ", "F.3d ", "BGB", "code civil", "GDPR", "Act 2003", "Id.",
        "Ibid.", "supra", "a.a.O.", "第", "条", "項", "の", "及び", "民法", "Pub. L. ", "CMR ", "Regulation (EU) ",
        "n° ", "loi ", "ECLI:", "urn:lex:", "[2019] UKSC ",
    ),
    "quotes": (*"“”„«»‹›「」『』\"'‘’`", "``", "\n> ", "\n    "),
    "brackets": (*"()[]{}（）【】", "(a)", "(1)", "((", "))", "[...]"),
    "dashes": ("-", "–", "—", "−", "~", "/", "|", "--", "...", "…", "·"),
    "digits": (*"0123456789", "1,000", "1.000", "½", "٣", "１", "一", "十", "百", "MCMXC", "1/2"),
    "ordinals": ("1st", "3e", "1er", "4.", "erste", "premier", "第一", "bis", "ter", "a", "b"),
    "combining": ("a\u0301", "e\u0308\u0308", "\u0300", "\u20dd", "ﬁ", "İ", "ß"),
    "marks of direction": ("\u202e", "\u2066", "\u2069", "\u200f", "\u200b", "\u200d", "\ufeff", "\u00ad", "א"),
    "spaces": (" ", "  ", "\t", "\n", "\n\n", "\u00a0", "\u3000"),
    "words": (
        "and ", "or ", "to ", "of the ", "und ", "bis ", "et ", "means ", "shall ", "not ", "if ", "the ", "A", "Smith",
        "v. ", "No. ", "oder ", "der ", "les ", "は", "を", ",", ";", ":", ".", "(the “Act”) ",
    ),
}  # fmt: skip
# Units that were read in more than proportion once.
KNOWN = (
    "İﬁa\u0341\u0300á", "No. \n> see ", "Smith, supra, 42 U.S.C. § 1983 ", "Smith, 1 U.S. 1. Id. ", "a-1-", "第一条",
    "sections 1 and ",
)  # fmt: skip
RANDOM = share_of(17)  # units besides these
SIZES = (1, 2, 3, 5, 8, 20, 60, 300, 3_000)  # pieces of a unit
LEAST = 0.15  # seconds of processor time at 2n that are worth a comparison
MOST_GROWTH = 3.4  # of the time from n to 2n; 2 is in proportion, 4 the square
VERBS: dict[str, tuple[int, Callable[[Engine, str], object]]] = {  # with the characters of n
    "verify": (20_000, lambda engine, text: engine.verify(text)),
    "resolve": (500, lambda engine, text: engine.resolve(text)),
    "ask": (10_000, lambda engine, text: engine.ask(text, jurisdiction="us-ma")),
    "search": (10_000, lambda engine, text: engine.search(text, jurisdiction="us-ma")),
}


def hostile(seed: int, size: int) -> str:
    """A unit of the above, or of random pieces of a few kinds, repeated to a number of characters."""
    if seed < len(KNOWN):
        return (KNOWN[seed] * (size // len(KNOWN[seed]) + 1))[:size]
    chance = random.Random(seed)
    pieces = [piece for kind in chance.sample(sorted(KINDS), chance.randint(1, 4)) for piece in KINDS[kind]]
    unit = "".join(chance.choice(pieces) for _ in range(chance.choice(SIZES)))
    return (unit * (size // len(unit) + 1))[:size]


@pytest.mark.parametrize("verb", VERBS)
def test_s12_a_hostile_text_of_twice_the_length_takes_about_twice_the_time(engine: Engine, verb: str) -> None:
    size, work = VERBS[verb]

    def seconds(seed: int, size: int) -> float:
        text = hostile(seed, 2 * size)[:size]
        gc.disable()
        try:
            since = time.process_time()
            with suppress(InputError):
                work(engine, text)
            return time.process_time() - since
        finally:
            gc.enable()

    def grows(seed: int) -> bool:
        long = seconds(seed, 2 * size)
        return long > LEAST and long > MOST_GROWTH * seconds(seed, size)

    seconds(0, size)  # what is loaded at first use
    assert [seed for seed in range(len(KNOWN) + RANDOM) if all(grows(seed) for _ in range(3))] == []
