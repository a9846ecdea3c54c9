"""Japanese laws by name and by number: which law the words before a provision name.

Names have no spaces around them, so a name counts only where nothing before it could belong to it: 民法 in 住民法 or
in ドイツの民法 is another law.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache, lru_cache

from rag.jurisdictions.grammar.kernel import Law, of_document
from rag.jurisdictions.jp.kanji import LawNumber, kanji_numeral, law_number
from rag.jurisdictions.jp.law_names import LAW_NAMES
from rag.languages.ja.script import fold
from rag.law.jurisdiction import DocumentIndex
from rag.law.patterns import lazy

MAX_NAME = 80  # characters of a law's name; the longest in force has more, and is found by its number

_ERA_YEAR = r"(?:明治|大正|昭和|平成|令和)\s?(?:元|[0-9〇零一二三四五六七八九十]{1,4})\s?年"
_KIND = (
    r"(?:法律|政令|勅令|憲法|太政官布告|太政官達|太政官布達|人事院規則|会計検査院規則|最高裁判所規則|"
    r"[一-龠々・]{0,40}?(?:省令|府令|規則|庁令))"
)
LAW_NUMBER = (
    rf"{_ERA_YEAR}(?:\s?[0-9〇一二三四五六七八九十]{{1,3}}\s?月\s?[0-9〇一二三四五六七八九十]{{1,3}}\s?日)?\s?{_KIND}\s?"
    r"(?:第\s?[0-9〇零一二三四五六七八九十百千]{1,8}\s?号)?"
)
_DIGITS = lazy(r"[1-9][0-9]{0,6}")
_NUMBER_IN_BRACKET = lazy(rf"\(\s?(?P<number>{LAW_NUMBER})\s?(?=[).。、抄])")
_NICKNAME = lazy(r"(?:以下|略称|通称)[^「」()]{0,60}「(?P<name>[^「」()]{1,40})」と(?:いう|略称する|総称する)")

# Kanji, katakana and Latin letters go on with a name; hiragana and punctuation before it end the words before.
_NAME_SIGN = lazy(r"[一-龠々〆ヶァ-ヺー・A-Za-z0-9]")
_NAME_END = lazy(r"(?:法律|憲法|法|条約|協定|議定書|条例|規則|規程|細則|政令|省令|府令|令|布告)\Z")
# Names that say in hiragana what they are about begin at the punctuation before them.
_ABOUT = lazy(r"に関する|に係る|のための|に対する|を改正する|に伴う|の特例|の整備|の推進|の促進|の確保")
_CLAUSE = lazy(r"[、。,()「」『』:;]|の規定(?:に|の)?|による|に規定する|に基づく|改正[前後]の|施行[前後]の?")
_NO_NAME = lazy(
    r"(?:関係法律|関連法律|方法|手法|司法|立法|用法|技法|製法|療法|工法|文法|話法|適法|違法|不法|合法|無法|同法|使用法|利用法|原則|罰則|附則|変則|規則的|鉄則)\Z"
)
_GENERIC = frozenset(
    ("法", "法律", "法令", "命令", "指令", "辞令", "号令", "発令", "政令", "省令", "府令", "規則", "条例", "条約", "令")
)
_OWN = lazy(r"(?:この|本)(?:法律|法|政令|省令|府令|規則|命令|条例|勅令|規程)\Z")
_FOREIGN = lazy(
    r"(?:[ァ-ヺー]{2,20}|[米英独仏伊韓中清]国|外国|他国|同国|台湾|香港|朝鮮|満洲|満州|欧州|州|EU)(?:連邦|王国|共和国|帝国)?(?:の|における)?\Z"
)
_OTHER_EDITION = lazy(
    r"(?:改正前の?|改正される前の?|廃止前の?|従前の|旧|(?:に|の)?よる改正後の?|改正後の?|新|改正)\s?\Z"
)
_CURRENT = lazy(r"(?:現行の?|日本国?の?|我が国の|わが国の)\Z")
_GLUE = lazy(r"[一-龠々〆ァ-ヺー]\Z")
# Kanji that are between two names and belong to neither.
_OPENING = lazy(
    r"(?:[条項号則章節]中|参照|上記|前記|後記|当該|但|及|又|並|若|各|第?[0-9一二三四五六七八九十]+[条項号])\Z"
)


@dataclass(slots=True, unsafe_hash=True)
class Naming:
    """A law with the place of the words that name it, offsets into the folded text."""

    start: int
    end: int
    law: Law


OWN = Law(role="own")


def urn_of_number(number: LawNumber) -> str:
    """The URN that a law number gives; empty where a law id holds more than the number says (a ministry's code).

    The id's digit for who introduced the bill is in no law number; it is written 0, and the parser of e-Gov law
    gives every law the URN without it as an alias.
    """
    head = f"urn:lex:jp:{number.era}{number.year:02d}"
    if number.kind == "CONSTITUTION":
        return f"{head}constitution"
    counted = number.number is not None and 0 < number.number < 1000
    return f"{head}{number.kind.lower()}{number.number:010d}" if counted and len(number.kind) == 2 else ""


@lru_cache(maxsize=2048)
def law_of_number(words: str, title: str = "") -> Law | None:
    """The law that a law number in words names; None where it is none."""
    number = law_number(words.replace(" ", ""))
    if number is None:
        return None
    urn = urn_of_number(number)
    printed = _DIGITS.sub(lambda match: kanji_numeral(int(match[0])), words.replace(" ", ""))
    return Law(urn, title) if urn else Law("", title or printed, role="unknown")


@cache
def _known_laws() -> dict[str, Law]:
    read = ((name, law_of_number(number, title)) for name, (title, number) in LAW_NAMES.items())
    return {name: law for name, law in read if law is not None}


@cache
def _longest_name() -> int:
    return max(map(len, LAW_NAMES))


def known_law(name: str) -> Law | None:
    """The law of the table that has this name or short name."""
    return _known_laws().get(name)


def bracketed_laws(text: str) -> list[Naming]:
    """Every law named with its number in brackets, in order; `start` and `end` are the bracket's opening.

    Args:
        text: folded text.
    """
    out: list[Naming] = []
    if "(" not in text:
        return out
    for match in _NUMBER_IN_BRACKET.finditer(text):
        law = law_of_number(match["number"])
        if law is not None:
            out.append(Naming(match.start(), match.end(), law))
    return out


def nickname(bracket: str) -> str:
    """The name that a bracket gives to what is before it: 以下「X」という。 Empty where it gives none."""
    match = _NICKNAME.search(bracket)
    return match["name"] if match else ""


class NameReader:
    """Reads the law whose name ends at a place.

    Args:
        nicknames: names that the document gives to laws (新法, 法), beside the table's.
        whole: the text is nothing but a reference, so that what it begins with is the name, hiragana and all.
    """

    def __init__(self, nicknames: Mapping[str, Law] | None = None, *, whole: bool = False) -> None:
        self._nicknames = nicknames or {}
        # What a reference begins with is the name of a law, and few are cited again and again.
        self._beginning = lru_cache(maxsize=2048)(self._whole_prefix)
        self._longest = max(map(len, self._nicknames), default=0)
        self._whole = whole

    def ending_at(self, text: str, end: int, floor: int = 0) -> Naming | None:
        """The law whose name ends at `end` and begins no earlier than `floor`; None where no name ends there."""
        if floor or end > MAX_NAME:
            return self._ending_at(text, end, floor)
        return self._beginning(text[:end])

    def _whole_prefix(self, text: str) -> Naming | None:
        return self._ending_at(text, len(text))

    def _ending_at(self, text: str, end: int, floor: int = 0) -> Naming | None:
        low = max(floor, end - MAX_NAME)
        before = text[low:end]
        own = _OWN.search(before)
        if own is not None:
            return Naming(low + own.start(), end, OWN)
        known = self._known(before)
        if known is not None:
            size, law = known
            found = self._placed(text, end - size, end, floor, law)
        else:
            found = _unknown(before, low)
        if not self._whole or low > 0 or (found is not None and found.start == 0):
            return found
        return Naming(0, end, Law("", before, role="unknown")) if _is_title(before) else found

    def _known(self, before: str) -> tuple[int, Law] | None:
        given, known = self._nicknames, _known_laws()
        longest = max(_longest_name(), self._longest)
        for start in range(max(0, len(before) - longest), len(before)):
            name = before[start:]
            law = given.get(name) or known.get(name)
            if law is not None:
                return len(name), law
        return None

    def _placed(self, text: str, start: int, end: int, floor: int, law: Law) -> Naming | None:
        """The law, unless the words before its name make it another one."""
        name, head = text[start:end], text[max(0, start - MAX_NAME) : start]
        if name in self._nicknames and law.role == "external":
            return Naming(start, end, law)
        edition = _OTHER_EDITION.search(head)
        if edition is not None:
            # 旧民法 may be a law of its own; a text that is no longer or not yet in force is not certain either.
            known = edition[0].strip() not in ("旧", "新")
            other = replace(law, certain=False) if known else Law("", edition[0] + name, role="external")
            return Naming(max(floor, start - len(edition[0])), end, other)
        current = _CURRENT.search(head)
        foreign = _FOREIGN.search(head)
        if foreign is not None and current is None:
            return Naming(max(floor, start - len(foreign[0])), end, Law("", foreign[0] + name, role="external"))
        if _GLUE.search(head) and current is None and not _OPENING.search(head):
            return _unknown(text[max(floor, end - MAX_NAME) : end], max(floor, end - MAX_NAME))
        return Naming(max(floor, start - len(current[0])) if current else start, end, law)


def _is_title(words: str) -> bool:
    """Whether words end as the title of a law does, and are not such an ending alone."""
    return bool(_NAME_END.search(words)) and not _NO_NAME.search(words) and words not in _GENERIC


def _unknown(before: str, low: int) -> Naming | None:
    """A law by its title, which is in no table."""
    if not _is_title(before):
        return None
    clause = max((match.end() for match in _CLAUSE.finditer(before)), default=0)
    start = len(before)
    while start > clause and _NAME_SIGN.match(before, start - 1):
        start -= 1
    if _ABOUT.search(before, clause):
        start = clause
    title = before[start:]
    if not _is_title(title):
        return None
    if _FOREIGN.search(before[:start]):
        return Naming(low + start, low + len(before), Law("", title, role="external"))
    return Naming(low + start, low + len(before), Law("", title, role="unknown"))


# The names that a law gives to other laws: 航空法（以下「法」という。）, read once for each document.

_NAMING_BRACKET = lazy(r"\([^()]{0,200}(?:以下|略称)[^()]{0,80}\)")
_A_LAW = lazy(r"(?:法|令|規則|条例|条約|規程|憲法|法律)\Z")
_PLAIN = NameReader()


def names_in(index: DocumentIndex | None) -> NameReader:
    """The names of laws as a document uses them: its own, the table's, and those that it gives."""
    return _PLAIN if index is None else _names_of(index)


@of_document
def _names_of(index: DocumentIndex) -> NameReader:
    return NameReader(_given(index))


def _given(index: DocumentIndex) -> dict[str, Law]:
    root = index.root
    short = [item.strip() for item in root.tags.get("abbreviation", "").split(",")]
    own = Law(index.corpus_urn, root.heading)
    names = {fold(part): own for part in (root.heading, *short) if len(part) > 1}
    reader = NameReader(names)
    found: dict[str, Law] = {}
    for node in index.tree.nodes:
        if "以下" not in node.text and "略称" not in node.text:
            continue
        text = fold(node.text)
        for match in _NAMING_BRACKET.finditer(text):
            name = nickname(match[0])
            law = _called(text, match, reader) if _A_LAW.search(name) else None
            if law is None:
                continue
            # One name for two laws in two places of a document: neither is certain.
            same = found.get(name, law)
            found[name] = law if same == law else Law("", name, certain=False, role="external")
    return {**found, **names}


def _called(text: str, match: re.Match[str], reader: NameReader) -> Law | None:
    """The law that is before a bracket, or whose number opens it."""
    naming = reader.ending_at(text, match.start())
    numbered = next(iter(bracketed_laws(match[0])), None)
    if numbered is not None and numbered.start == 0:
        edition = naming is not None and not naming.law.certain
        return replace(numbered.law, certain=numbered.law.certain and not edition)
    if naming is None:
        return None
    return Law("", naming.law.title, role="external") if naming.law.role == "unknown" else naming.law
