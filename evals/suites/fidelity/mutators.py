"""Truth-known mutants of a claim's words: pure functions from a text and a random source to a mutant.

A mutator changes one operator of a norm (a number, a unit, a negation ...) and nothing else, so that the mutant says
something the law does not say. What it cannot change without a doubt, or what would mean the same, gives None.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable

TextMutator = Callable[[str, random.Random], str | None]


def swap_one(text: str, pairs: dict[str, str], rng: random.Random) -> str | None:
    """Replace one occurrence of one key by its value, keeping a capital."""
    found = [
        match
        for match in re.finditer(
            r"\b(?:" + "|".join(sorted(map(re.escape, pairs), key=len, reverse=True)) + r")\b", text, re.IGNORECASE
        )
        if match[0].lower() in pairs and not (match[0] == "May" and match.start())
    ]
    if not found:
        return None
    match = rng.choice(found)
    new = pairs[match[0].lower()]
    return text[: match.start()] + (new.capitalize() if match[0][0].isupper() else new) + text[match.end() :]


# Figures that count or measure; those of references are another mutator's.
NUMBER = re.compile(
    r"(?<![\w.:§$-])(?<!§ )(?<!section )(?<!sections )(?<!chapter )(?<!part )(?<!parts )(?<!title )\d{1,3}"
    r"(?![\w:~-]|\.\d| (?:CFR|CMR|FR|Stat|[A-Z]\.))"
)
WORD_NUMBERS = {
    "two": "three", "three": "two", "five": "six", "seven": "eight", "ten": "nine", "thirty": "sixty", "sixty": "forty",
    "ninety": "ten",
}  # fmt: skip


def number_changed(text: str, rng: random.Random) -> str | None:
    """A figure, or a number in words, becomes another."""
    found = list(NUMBER.finditer(text))
    if not found:
        return swap_one(text, WORD_NUMBERS, rng)
    match = rng.choice(found)
    return f"{text[: match.start()]}{int(match[0]) + rng.choice((1, 2, 10))}{text[match.end() :]}"


UNITS = {"days": "months", "day": "week", "months": "years", "month": "year", "years": "months", "year": "month",
         "hours": "days", "percent": "dollars", "weeks": "days", "business days": "days", "feet": "miles"}  # fmt: skip


def unit_changed(text: str, rng: random.Random) -> str | None:
    """A unit of time, length or share becomes another."""
    return swap_one(text, UNITS, rng)


def not_dropped(text: str, rng: random.Random) -> str | None:
    """One `not` is gone."""
    found = list(re.finditer(r"\bnot ", text))
    if not found:
        return None
    match = rng.choice(found)
    return text[: match.start()] + text[match.end() :]


def not_added(text: str, rng: random.Random) -> str | None:
    """One `not` too many."""
    found = list(re.finditer(r"\b(?:shall|may|must|is|are)\b(?! not)", text))
    if not found:
        return None
    match = rng.choice(found)
    return f"{text[: match.end()]} not{text[match.end() :]}"


def modal_changed(text: str, rng: random.Random) -> str | None:
    """An obligation becomes a permission, or the reverse."""
    return swap_one(text, {"shall": "may", "may": "shall", "must": "may"}, rng)


# A full stop within the sentence belongs to an abbreviation (5 U.S.C. 552).
_FORBIDS = re.compile(
    r"\b(?:[Nn]o|[Nn]either|[Nn]othing|[Nn]one)\b(?:[^.;:]|\.(?!\s+[A-Z]))*\b(?:shall|may|must)\b"
    r"|\b(?:shall|may|must) not\b"
)


def forbids_either_way(text: str, mutant: str) -> bool:
    """`No person shall` and `no person may`, `shall not` and `may not` forbid the same."""
    return _FORBIDS.search(text) is not None


def and_or_changed(text: str, rng: random.Random) -> str | None:
    """`and` becomes `or`, or the reverse."""
    return swap_one(text, {"and": "or", "or": "and"}, rng) if "and/or" not in text else None


COMPARATORS = {
    "not more than": "not less than", "not less than": "not more than", "at least": "at most",
    "no more than": "no less than",
    "more than": "less than", "less than": "more than", "before": "after", "after": "before",
    "within": "not earlier than",
    "not later than": "not earlier than", "exceeds": "is less than", "prior to": "after", "greater than": "less than",
    "or more": "or less", "or less": "or more", "exceeding": "under", "at most": "at least", "fewer than": "more than",
}  # fmt: skip


def comparator_flipped(text: str, rng: random.Random) -> str | None:
    """A limit or a time relation turns round."""
    return swap_one(text, COMPARATORS, rng)


CONDITION = re.compile(r"(?:If|When|Where|Unless|Upon|Except)\b[^,]{4,}, ")
EXCEPTION = re.compile(
    r",? (?:unless|except(?: that| as| for)?|"
    r"provided,? that|subject to|notwithstanding|other than|only if)\b[^,;:.]{4,}"
)


def exception_dropped(text: str, rng: random.Random) -> str | None:
    """An exception clause is gone."""
    found = list(EXCEPTION.finditer(text))
    if not found:
        return None
    match = rng.choice(found)
    return text[: match.start()] + text[match.end() :]


PARTIES = [
    "landlord", "tenant", "seller", "buyer", "lessor", "lessee", "debtor", "creditor", "court", "mayor", "secretary",
    "bank", "owner", "employer", "agent", "trustee", "consumer", "dealer", "lender", "borrower", "purchaser", "person",
    "director", "council", "commission", "issuer", "applicant",
]  # fmt: skip
_PARTY = "|".join(PARTIES)
PARTY = re.compile(rf"\b(?:{_PARTY})\b", re.IGNORECASE)


def party_replaced(text: str, rng: random.Random) -> str | None:
    """One party becomes somebody else."""
    found = list(PARTY.finditer(text))
    if not found:
        return None
    match = rng.choice(found)
    other = rng.choice([party for party in PARTIES if party != match[0].lower()])
    return text[: match.start()] + other + text[match.end() :]


def parties_swapped(text: str, rng: random.Random) -> str | None:
    """Two parties change places throughout."""
    kinds = sorted({match[0].lower() for match in PARTY.finditer(text)})
    if len(kinds) < 2:
        return None
    one, two = rng.sample(kinds, 2)
    return PARTY.sub(lambda match: {one: two, two: one}.get(match[0].lower(), match[0]), text)


_PAIR = re.compile(rf"\b({_PARTY})s? (?:and|or) (?:the |a |an )?({_PARTY})\b", re.IGNORECASE)


def swaps_a_pair(text: str, mutant: str) -> bool:
    """`the buyer and the seller` is `the seller and the buyer`."""
    return any(
        re.search(rf"\b{match[2]}s? (?:and|or) (?:the |a |an )?{match[1]}\b", mutant, re.IGNORECASE)
        for match in _PAIR.finditer(text)
    )


def restriction_dropped(text: str, rng: random.Random) -> str | None:
    """A relative clause that narrows its noun is gone."""
    found = list(
        re.finditer(
            r",? (?:who|whose|whom|which)\b[^,;:.]{6,}?(?=[,;.]|$| shall| may| must)",
            text,
        )
    )
    if not found:
        return None
    match = rng.choice(found)
    return text[: match.start()] + text[match.end() :]


CONSEQUENCES = (
    ", and is liable for treble damages", ", on pain of imprisonment", ", and the contract is void",
    " and shall pay a fine",
    ", which a criminal court will enforce", " and forfeits the property", ", with attorney's fees",
)  # fmt: skip


def consequence_added(text: str, rng: random.Random) -> str | None:
    """A consequence that the sentence does not have."""
    return text.rstrip(" .") + rng.choice(CONSEQUENCES) + "."


def adds_no_word(text: str, mutant: str) -> bool:
    """The sentence speaks of that consequence already, so that nothing but its place is new."""
    return set(re.findall(r"[a-z]{5,}", mutant.lower())) <= set(re.findall(r"[a-z]{5,}", text.lower()))


def absolute_added(text: str, rng: random.Random) -> str | None:
    """The rule is made stricter than it is."""
    found = list(re.finditer(r"\b(?:shall|may|must|is|are)\b", text))
    if not found:
        return None
    match = rng.choice(found)
    return (
        text[: match.end()]
        + rng.choice((" in all cases", " always", " only", " automatically", " entirely"))
        + text[match.end() :]
    )


def _quote(text: str) -> str | None:
    text = text.strip(" ,")
    return text if len(text.split()) > 4 else None


def cut_no(text: str, rng: random.Random) -> str | None:
    """The quote begins after `No`."""
    return _quote(text[3:]) if text.startswith("No ") else None


def cut_not(text: str, rng: random.Random) -> str | None:
    """The quote begins after `not`."""
    match = re.search(r"\bnot ", text)
    return _quote(text[match.end() :]) if match else None


def cut_exception(text: str, rng: random.Random) -> str | None:
    """The quote ends before the exception."""
    match = EXCEPTION.search(text)
    return _quote(text[: match.start()]) if match else None


def cut_condition(text: str, rng: random.Random) -> str | None:
    """The quote begins after the condition."""
    match = CONDITION.match(text)
    return _quote(text[match.end() :]) if match else None


REFERENCE = re.compile(
    r"(?:(?<=\bsection )|(?<=\bsections )|(?<=§ )|(?<=\bchapter )|(?<=\bpart )"
    r"|(?<=\bparagraph \()|(?<=\bsubsection \())"
    r"(?:[\w.:-]*\d|[a-h](?=\)))"
)


def reference_changed(text: str, rng: random.Random) -> str | None:
    """A reference names another provision."""
    found = list(REFERENCE.finditer(text))
    if not found:
        return None
    match = rng.choice(found)
    last = match[0][-1]
    other = str((int(last) + 1) % 10) if last.isdigit() else chr(ord(last) + 1)
    return text[: match.end() - 1] + other + text[match.end() :]


def condition_dropped(text: str, rng: random.Random) -> str | None:
    """What the sentence makes depend on a leading condition holds without it."""
    match = CONDITION.match(text)
    if match is None:
        return None
    rest = text[match.end() :]
    return rest[:1].upper() + rest[1:]


def condition_turned(text: str, rng: random.Random) -> str | None:
    """`if` becomes `unless`, or the reverse."""
    return swap_one(text, {"if": "unless", "unless": "if"}, rng)


PARTICIPLES = {
    "notify": "notified", "pay": "paid", "provide": "provided", "give": "given", "submit": "submitted", "file": "filed",
    "deliver": "delivered", "send": "sent", "inform": "informed", "approve": "approved", "appoint": "appointed",
    "release": "released", "indemnify": "indemnified", "sue": "sued", "reimburse": "reimbursed", "issue": "issued",
}  # fmt: skip
_ACTIVE_VOICE = re.compile(rf"\b(shall|may|must) (not )?({'|'.join(PARTICIPLES)}) (the|a|an|any|each) ")


def roles_reversed(text: str, rng: random.Random) -> str | None:
    """Who acts becomes who is acted on: `shall notify the tenant` is read `shall be notified by the tenant`."""
    found = list(_ACTIVE_VOICE.finditer(text))
    if not found:
        return None
    match = rng.choice(found)
    turned = f"{match[1]} {match[2] or ''}be {PARTICIPLES[match[3]]} by {match[4]} "
    return text[: match.start()] + turned + text[match.end() :]


SECOND_DUTY = re.compile(r",? and (?:shall|must|may)\b[^;:]{12,}(?=[.;])")


def second_duty_dropped(text: str, rng: random.Random) -> str | None:
    """Of two things that the sentence orders, the second is gone."""
    match = SECOND_DUTY.search(text)
    return None if match is None else text[: match.start()] + text[match.end() :]


MANNERS = re.compile(
    r",? (?:in writing|under oath|in good faith|by (?:certified|registered) mail|in person|under penalty of perjury|"
    r"without charge|knowingly|willfully|intentionally|negligently|immediately|promptly|publicly|annually|monthly|"
    r"jointly|severally|temporarily|permanently)\b(?! (?:and|or)\b)"
)


def manner_dropped(text: str, rng: random.Random) -> str | None:
    """How, with what intent or how often something has to be done is gone."""
    found = list(MANNERS.finditer(text))
    if not found:
        return None
    match = rng.choice(found)
    return text[: match.start()] + text[match.end() :]
