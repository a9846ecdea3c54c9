"""A provision as people cite it, from its URN alone: `17 U.S.C. § 106(1)`, `§ 312g(1) BGB`, `Code civil, art. 1240`."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from rag.jurisdictions.tables import laws_of

_WORDY = re.compile(r"[a-z]+[_.]|.*--|.*~")  # title_42, sch.1, par.13, and numbers that a URN cannot write
_SLUG = re.compile(r"def\.|[a-z]{2,}-[a-z]|[a-z]{6,}\Z")  # a definition without a number: cited by what it is in
# A plain one, by its file's name; its parts are chunks, or have the numbers that it gives them.
_DOCUMENT = re.compile(
    r"urn:lex:[a-z-]+:doc:(?P<slug>[^:*]+)(?::(?:(?P<chunk>\d{4})|(?P<number>\d[^:*]*)(?P<below>[^*]*)))?\Z"
)
_NUMBER = re.compile(r",? ?(?:§ )?\{number\}.*")
_UNIFORM = re.compile(r"\d+[a-z]?-\d")  # a section of the Uniform Commercial Code, behind its title: 28:9-340
_COUNTED = re.compile(r"[1-9]\d{0,3}(?:-[1-9]\d{0,3})*", re.ASCII)  # 9, 9-2
_ROMAN = re.compile(r"x{0,3}(?:ix|iv|v?i{1,3}|v)|x{1,3}")
_WIDE = {ord("0") + digit: 0xFF10 + digit for digit in range(10)}
_ARTICLE = re.compile(r"[lrda]?\d+(?:-\d+)*\Z", re.ASCII)


@dataclass(frozen=True, slots=True)
class _Form:
    corpus: re.Pattern[str]
    form: str
    laws: str
    alternating: bool


@cache
def _tables() -> dict[str, list[dict[str, Any]]]:
    return tomllib.loads(resources.files("rag.jurisdictions").joinpath("citing.toml").read_text(encoding="utf-8"))


@cache
def _forms() -> tuple[_Form, ...]:
    return tuple(
        _Form(
            re.compile(rf"urn:lex:{entry['corpus']}(?::(?P<rest>[^*]+))?\Z"), entry["form"], entry.get("laws", ""),
            entry.get("letters") == "alternating",
        )
        for entry in _tables()["form"]
    )  # fmt: skip


@cache
def _names(country: str) -> dict[str, tuple[str, str]]:
    """Of each law of a country that is cited by its name: corpus -> name and the sign of its provisions."""
    found: dict[str, tuple[str, str]] = {}
    for law in laws_of(country).laws:
        name = next(iter((*law.any_case, *law.abbreviations)), "") if country != "fr" else law.title
        if law.id and name:
            found.setdefault(law.id, (name, "Art." if law.counts == "Artikel" else "§"))
    return found


def cited_as(urn: str) -> str:
    """The citation of a provision or of a whole corpus; empty where its law has no form of its own.

    Args:
        urn: in canonical form.
    """
    if (document := _DOCUMENT.match(urn)) is not None:
        if document["chunk"]:
            return f"{document['slug']}, part {int(document['chunk'])}"
        below = "".join(f"({part.removeprefix('nr.')})" for part in (document["below"] or "").split(":")[1:])
        return f"{document['slug']}, {document['number']}{below}" if document["number"] else document["slug"]
    for form in _forms():
        match = form.corpus.match(urn)
        if match is None:
            continue
        number, *below = (match["rest"] or "").split(":")
        if below and _UNIFORM.match(below[0]):
            number, *below = f"{number}:{below[0]}", *below[1:]
        below = [part for part in below if not _SLUG.match(part)]
        if any(_WORDY.match(part) for part in (number, *below)):
            return ""
        if number and form.laws == "fr" and not _ARTICLE.match(number):
            return ""
        groups = {name: text.upper() if name == "title" else text for name, text in match.groupdict().items()}
        law, sign = _names(form.laws).get(groups["corpus"], ("", "")) if form.laws else ("", "")
        if form.laws and not law:
            return ""
        if not number:
            return law or _NUMBER.sub("", form.form).format(**groups)
        parts = "".join(f"({part})" for part in _lettered(below, form.alternating))
        if form.laws == "fr":
            number = number.upper()  # the letter of its part: L221-18
        return form.form.format(**{**groups, "law": law, "sign": sign, "below": parts, "number": number})
    return ""


def printed_number(urn: str, level: str, number: str) -> str:
    """The number of a part as its publication prints it: `(2)`, `2.`, `2°`, `二`.

    Args:
        urn: of the part, in canonical form.
        level: what the part is called.
        number: as the URN has it.
    """
    country = urn.split(":")[2][:2]
    counted = _COUNTED.fullmatch(number) is not None
    for entry in _tables()["printed"]:
        digits = entry.get("digits", "")
        fits = (counted or not entry.get("counted")) and (digits != "roman" or _ROMAN.fullmatch(number))
        if entry["country"] == country and level in entry["levels"] and fits:
            return entry["form"].format(_in_digits(number, digits))
    return f"({number})"


def _in_digits(number: str, digits: str) -> str:
    if not digits or digits == "roman":
        return number.upper() if digits else number
    from rag.languages.ja.script import kanji_numeral  # for Japanese law only

    return "の".join(
        kanji_numeral(int(part)) if digits == "kanji" else part.translate(_WIDE) for part in number.split("-")
    )


def _lettered(parts: Sequence[str], alternating: bool) -> Iterator[str]:
    """The parts below a provision, with the capitals that a URN does not keep, where their order tells them."""
    before = ""
    for part in parts:
        kind = "number" if part[:1].isdigit() else "lower"
        if kind == "lower" and alternating and (before == "number" or (before == "lower" and part is not parts[0])):
            kind = "upper"
        yield part.upper() if kind == "upper" else part
        before = kind
