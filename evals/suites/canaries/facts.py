"""Facts of people that nobody has, made by seed, and the search for what is left of them.

A fact is what a user could type by mistake: a name, an address, a number, a diagnosis, a sentence; in several scripts,
plain or encoded. Its distinctive parts are random, so that finding one of them anywhere is no accident.
"""

from __future__ import annotations

import base64
import json
import random
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote

WINDOW: Final = 8  # characters of a distinctive part that are a find by themselves
_GRAM: Final = 8  # bytes that are looked up at each place
_BACKSLASHES = re.compile(rb"\\+")
_UNSEEN = re.compile("\u200b+| +")
_RUN = re.compile(rb"[\x20-\x7e\x80-\xff]{%d,}" % _GRAM)

# Letters of which words are made: consonants and vowels by turns where a script has both.
SCRIPTS: Mapping[str, tuple[str, str]] = {
    "latin": ("bdfghjklmnprstvwxz", "aeiouy"),
    "accented": ("bčďfğhłňřśťźçßđ", "áéíøúýæö"),
    "greek": ("βγδζθκλμνξπρστφχψ", "αεηιου"),
    "cyrillic": ("бвгджзклмнпрстфхцчшщ", "аеиоуыэюя"),
    "armenian": ("բգդզթժլխծկհձղճմյնշչպջռսվտրցփք", "աեէըիոօ"),
    "georgian": ("ბგდვზთკლმნპჟრსტფქღყშჩცძწჭხჯჰ", "აეიოუ"),
    "hebrew": ("אבגדהוזחטיכלמנסעפצקרשת", "אבגדהוזחטיכלמנסעפצקרשת"),
    "arabic": ("بتثجحخدذرزسشصضطظعغفقكلمنه", "اوي"),
    "devanagari": ("कखगघचछजझटठडढतथदधनपफबभमयरलवशषसह", "ािीुूेैो"),
    "thai": ("กขคงจชซญดตถทนบปผฝพฟมยรลวสหอ", "ะาิีุูเแโ"),
    "hangul": ("각간갈감강개거건검겨고곡공관광교구국권규", "나남녀노누다도동라려로류마명모무문미민박"),
    "han": ("鶯鷹鶴亀龍虎熊狼鹿雁鷲鴨鯉鮎鰐鯨蛍蝶蜂蜻", "椿榎楠檜柊樫楓橘桐柏梓椋槐樟欅槇棗橡榊樅"),
}


@dataclass(frozen=True, slots=True)
class Fact:
    """One fact: what is typed, and the parts of it that nothing else holds, before any encoding."""

    kind: str
    form: str
    text: str
    parts: tuple[str, ...]


def make_facts(count: int, seed: int) -> list[Fact]:
    """Facts of all kinds, scripts and forms, the same for the same seed."""
    rng = random.Random(seed)
    kinds, forms = list(_KINDS), list(_FORMS)
    made: list[Fact] = []
    for number in range(count):
        kind = kinds[number % len(kinds)]
        # Every third is encoded; the rest stand as people write them.
        form = forms[1 + (number // 3) % (len(forms) - 1)] if number % 3 == 2 else forms[0]
        text, parts = _KINDS[kind](rng)
        made.append(Fact(kind, form, _FORMS[form](text), parts))
    return made


class Probe:
    """Finds what is left of facts in text or bytes, whole or in part, plain or encoded once more."""

    def __init__(self, facts: Sequence[Fact]) -> None:
        self._needles: dict[bytes, list[tuple[bytes, int]]] = {}
        for number, fact in enumerate(facts):
            for needle in {
                needle for text in (fact.text, *fact.parts) for needle in _needles(text, text in fact.parts)
            }:
                self._needles.setdefault(needle[:_GRAM], []).append((needle, number))

    def found(self, data: str | bytes) -> set[int]:
        """The numbers of the facts of which something stands here, letters compared without their case."""
        raw = (data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data).lower()
        out = self._found_in(raw)
        # A backslash is doubled by each layer that quotes it.
        return out | self._found_in(_BACKSLASHES.sub(b"\\\\", raw)) if b"\\\\" in raw else out

    def _found_in(self, raw: bytes) -> set[int]:
        known = self._needles
        out: set[int] = set()
        for run in _RUN.finditer(raw):
            text = run[0]
            for place in range(len(text) - _GRAM + 1):
                near = known.get(text[place : place + _GRAM])
                if near is not None:
                    out.update(number for needle, number in near if text.startswith(needle, place))
        return out


# --- kinds -----------------------------------------------------------------------------------------------------------

_Made = tuple[str, tuple[str, ...]]


def _word(rng: random.Random, script: str | None = None) -> str:
    first, second = SCRIPTS[script or rng.choice(list(SCRIPTS))]
    return "".join(rng.choice(first if place % 2 == 0 else second) for place in range(rng.randint(9, 12))).capitalize()


def _digits(rng: random.Random, count: int) -> str:
    return "".join(rng.choice("0123456789") for _ in range(count))


def _name(rng: random.Random) -> _Made:
    script = rng.choice(list(SCRIPTS))
    first, last = _word(rng, script), _word(rng, script)
    return f"{first} {last}", (first, last)


def _address(rng: random.Random) -> _Made:
    street = _word(rng)
    return f"{rng.randint(1, 199)} {street} Lane, Flat {rng.randint(1, 40)}", (street,)


def _phone(rng: random.Random) -> _Made:
    number = _digits(rng, 12)
    shown = f"+{number[:2]} {number[2:5]} {number[5:8]} {number[8:]}"
    return shown, (shown, number)


def _email(rng: random.Random) -> _Made:
    first, last = (_word(rng, "latin").lower() for _ in range(2))
    return f"{first}.{last}@example.org", (first, last)


def _account(rng: random.Random) -> _Made:
    number = _digits(rng, 20)
    return f"DE{number}", (number,)


def _identity(rng: random.Random) -> _Made:
    number = _digits(rng, 13)
    return f"{number[:4]}-{number[4:6]}-{number[6:]}", (f"{number[:4]}-{number[4:6]}-{number[6:]}", number)


def _case_number(rng: random.Random) -> _Made:
    number = _digits(rng, 12)
    return f"{rng.randint(1990, 2026)}-CV-{number}", (number,)


def _diagnosis(rng: random.Random) -> _Made:
    name = _word(rng)
    return f"diagnosed with {name}itis in {rng.randint(1980, 2026)}", (name,)


def _sentence(rng: random.Random) -> _Made:
    script = rng.choice(list(SCRIPTS))
    who, where = _word(rng, script), _word(rng, script)
    return f"my estranged wife {who} hid the deposit of 1,200 in {where} and the landlord keeps it", (who, where)


def _identifier(rng: random.Random) -> _Made:
    name = _word(rng, "latin").lower()
    shapes = ("urn:lex:us:doc:{}-lease", "gpt-{}", "kind={}", "search:{}", "us-{}", "no_{}", "legal://{}", "{}|us-ma")
    return rng.choice(shapes).format(name), (name,)


def _markup(rng: random.Random) -> _Made:
    name = _word(rng)
    shapes = (
        "<b>{}</b>",
        "{{{{{}}}}}",
        "${{{}}}",
        "'; drop table {}; --",
        "../{}/..",
        "\\{}\\",
        '"{}" AND {}',
        "#{}:*",
    )
    return rng.choice(shapes).replace("{{", "{").replace("}}", "}").replace("{}", name), (name,)


_KINDS: Mapping[str, Callable[[random.Random], _Made]] = {
    "name": _name, "address": _address, "phone": _phone, "e-mail": _email, "account": _account,
    "identity": _identity, "case number": _case_number, "diagnosis": _diagnosis, "sentence": _sentence,
    "identifier": _identifier, "markup": _markup,
}  # fmt: skip
# Ways to write a fact; the first is as it is.
_FORMS: Mapping[str, Callable[[str], str]] = {
    "plain": lambda text: text,
    "base64": lambda text: base64.b64encode(text.encode()).decode(),
    "percent": lambda text: quote(text, safe=""),
    "utf-16 escapes": lambda text: json.dumps(text)[1:-1] if not text.isascii() else _escapes(text),
    "hex": lambda text: text.encode().hex(),
    "zero width": lambda text: "\u200b".join(text),
    "upper case": str.upper,
    "full width": lambda text: "".join(
        chr(ord(letter) + 0xFEE0) if "!" <= letter <= "~" else letter for letter in text
    ),
    "decomposed": lambda text: unicodedata.normalize("NFD", text),
    "reversed": lambda text: text[::-1],
    "spaced": lambda text: " ".join(text),
}


def _escapes(text: str) -> str:
    return "".join(f"\\u{ord(letter):04x}" for letter in text)


# --- search ----------------------------------------------------------------------------------------------------------


def _needles(text: str, distinctive: bool) -> Iterator[bytes]:
    """What stands for a text: it and each window of a distinctive part, in every spelling that could be kept."""
    spellings = {text, text.lower(), text.upper(), text.casefold(), unicodedata.normalize("NFKC", text)}
    # Signs that cannot be seen are taken for spaces, or left out.
    spellings |= {unicodedata.normalize("NFD", text), text[::-1], *(_UNSEEN.sub(by, text) for by in (" ", ""))}
    for spelling in spellings:
        raw = spelling.encode()
        # Numbers count whole: eight digits may stand anywhere.
        windows = [spelling]
        if distinctive and not any(letter.isdigit() for letter in text):
            windows = [spelling[at : at + WINDOW] for at in range(max(1, len(spelling) - WINDOW + 1))]
        forms = [window.encode() for window in windows]
        forms += [raw.hex().encode(), quote(spelling, safe="").encode(), json.dumps(spelling)[1:-1].encode()]
        # The signs at both ends hold bits of what is beside the text, too.
        forms += [
            base64.b64encode(bytes(shift) + raw)[(0, 2, 3)[shift] : (shift + len(raw)) * 8 // 6] for shift in range(3)
        ]
        yield from (form.lower() for form in forms if len(form) >= _GRAM)
