"""Reading Japanese citations: from a text to provisions as written, in order, with their lists and ranges.

Nothing is resolved here; `resolver.py` knows the place a text is in.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from rag.jurisdictions.grammar.kernel import Span
from rag.jurisdictions.jp.kanji import designator, kanji_number
from rag.jurisdictions.jp.laws import LAW_NUMBER, OWN, NameReader, Naming, bracketed_laws, law_of_number
from rag.languages.ja.script import Brackets
from rag.law.patterns import lazy

Level = Literal["law", "sup", "table", "style", "container", "art", "par", "item", "sub"]
Units = tuple[tuple[Level, str], ...]
# What a unit lies in; a unit of a list takes over what its predecessor has above it.
ORDER: tuple[Level, ...] = ("law", "sup", "container", "table", "style", "art", "par", "item", "sub")

_N = "[0-9〇零一二三四五六七八九十百千]"
_NUM = rf"{_N}(?:\s?{_N}){{0,11}}+"
# 第三条の二; not 第三条の一部, 第三条の二項 or 第三条の二分の一.
_NO_BRANCH = r"\s?[項号条編章節款]|[部年月日人回割倍個つ分種箇ヶカ類般切定方者時以万億]"
_BRANCH = rf"(?:\s?の\s?(?![一1](?!{_N})){_N}{{1,6}}+(?!{_NO_BRANCH}))"
_KANA = "イロハニホヘトチリヌルヲワカヨタレソツネナラムウヰノオクヤマケフコエテアサキユメミシヱヒモセスン"
_GAP = r"(?:\s?の(?=\s?第))?\s?"
_ART = rf"第?\s?{_NUM}\s?条(?![件約例文理項]|改正[前後]){_BRANCH}{{0,4}}"
_PAR = rf"第?\s?{_NUM}\s?項(?!目)"
_ITEM = rf"第?\s?{_NUM}\s?号(?!様式|書式){_BRANCH}{{0,4}}"
_SUB = rf"[{_KANA}]{_BRANCH}{{0,2}}(?![ァ-ヺー])(?:\(\s?(?:{_NUM}|[ivx]{{1,5}}|[ⅰ-ⅹ])\s?\)){{0,2}}"
_TAIL = r"(?:各号列記以外の部分|本文|ただし書き?|但書|但し書き?|前段|後段|中段|柱書き?|各号|各項)"


def _below(prefix: str, *, par: bool = True) -> str:
    """Paragraph, item and what lies below it, as named groups."""
    paragraph = rf"(?:{_GAP}(?P<{prefix}par>{_PAR}))?" if par else ""
    return rf"{paragraph}{_TAIL}?(?:{_GAP}(?P<{prefix}item>{_ITEM})(?:\s?(?P<{prefix}sub>{_SUB}))?)?{_TAIL}?"


# The groups of a match that hold a level's number, by the head they are in.
_GROUPS: tuple[tuple[Level, tuple[str, ...]], ...] = (
    ("art", ("suppart", "art")),
    ("par", ("apar", "dpar", "epar", "par")),
    ("item", ("aitem", "bitem", "ditem", "eitem", "fitem", "item")),
    ("sub", ("asub", "bsub", "csub", "dsub", "esub", "fsub", "gsub", "kana")),
)
_OF_SIGN: Mapping[str, Level] = {"条": "art", "項": "par", "号": "item"}
_UNIT_KINDS = "編章節款目"
_CONTAINER = rf"第\s?{_NUM}\s?[{_UNIT_KINDS}](?![的標次録前安成集])(?:{_BRANCH})?"
_HEADS = (
    # Relative heads before absolute ones: 前二条 is no article 2.
    rf"(?P<rel>(?:[前次同本]|この|前\s?{_N}{{1,3}}|前各|次の各|次の?{_N}{{1,2}})(?P<unit>[条項号])(?![件約例文理目]|外|線|館)"
    rf"(?:(?<=条){_below('a')}|(?<=項){_below('b', par=False)}|(?<=号)(?:\s?(?P<csub>{_SUB}))?))"
    rf"|(?P<relbox>(?<![基日年])(?:[前次同本]|この)[{_UNIT_KINDS}](?![的標次録前安成集])(?:{_CONTAINER}){{0,3}})"
    rf"|(?P<box>(?:{_CONTAINER}){{1,5}})"
    rf"|(?P<sup>附\s?則(?:\s?\(\s?(?P<amending>{LAW_NUMBER})[^()]{{0,20}}\))?)(?:{_GAP}(?P<suppart>{_ART}))?{_below('d')}"
    rf"|(?P<table>別\s?表(?:\s?第?\s?{_NUM}(?![条項号年月日]){_BRANCH}{{0,3}})?)(?:{_GAP}{_ITEM})?"
    rf"|(?P<style>(?:別記)?様式第\s?{_NUM}(?![条項年月日])\s?号?{_BRANCH}{{0,3}})"
    rf"|(?P<art>{_ART}){_below('e')}"
    rf"|(?P<par>{_PAR}){_below('f', par=False)}"
    rf"|(?P<item>{_ITEM})(?:\s?(?P<gsub>{_SUB}))?{_TAIL}?"
    rf"|(?P<this>(?:この|本)(?:法律|法|政令|省令|府令|規則|命令|条例|勅令|規程|附則)(?![人廷的制律]))"
    rf"|(?P<same>同(?:法律|法|政令|省令|府令|規則|条例|条約|令)(?![人的一二三四五六七八九十]))"
    rf"|(?P<number>{LAW_NUMBER})"
    rf"|(?P<mention>(?<=[一-龠々ァ-ヺー])(?:法律|法|憲法)(?=の規定|に規定|に基づ|の定め|に定め|の適用|の施行|に違反|に従))"
    rf"|(?P<kana>(?<![ァ-ヺー])[{_KANA}](?![ァ-ヺー]))"
)
# With these signs a provision or a law's number begins; other places of a text are left after one test.
_FIRST = rf"(?=[前次同本こ第附別様法憲明大昭平令{_KANA}]|{_N})"
_TOKEN = lazy(f"{_FIRST}(?:{_HEADS})")
_JOINT = lazy(
    r"(?:[、,]\s?)?(?P<word>及び|並びに|又は|若しくは|および|ならびに|または|もしくは|から|ないし|乃至|と|・|〜|-|&|[、,])\s?同?\Z"
)
_RANGES = frozenset(("から", "ないし", "乃至", "〜", "-"))
_BOX_LEVELS = {"編": "part", "章": "chapter", "節": "section", "款": "subsection", "目": "division"}
BOXES = tuple(_BOX_LEVELS.values())
_ONE_BOX = lazy(rf"第\s?(?P<num>{_NUM})\s?(?P<kind>[{_UNIT_KINDS}])(?P<branch>{_BRANCH}?)")
_UNIT_SIGNS = lazy(r"[第条項号\s]")
_SUB_PARTS = lazy(r"\(\s?([^()]{1,14})\s?\)")
_ROMAN = dict(zip("ⅰⅱⅲⅳⅴⅵⅶⅷⅸⅹ", ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x"), strict=True))
_NOT_BEFORE_ITEM = lazy(r"[一-龠々ァ-ヺー)0-9A-Za-z]\Z")
_NOT_AFTER_ITEM = lazy(r"[一-龠々](?<![及又並若中本前後各該以])")


@dataclass(slots=True)
class Item(Span):
    """One provision as written; the reader adds what stands around it.

    `head` is what makes it relative: 前, 次, 同, この, or empty; `of` is the level it speaks of, `count` the number in
    前三項 (0 for 前各項). `units` are the numbered levels, outermost first. `joined` is the position of the item whose
    list it goes on with, -1 for none.
    """

    head: str
    of: Level
    units: Units
    count: int = 1
    naming: Naming | None = None
    same_law: bool = False
    ordinal: bool = True  # written with 第, or relative
    joined: int = -1
    apart: bool = False  # a bracket is between it and the list it goes on with
    within: int = -1  # the item whose bracket it opens: 第百一条（第一項第五号に係るものを除く。）
    quoted: bool = False
    amending: str = ""  # of a supplementary provision: the number of the amending law


def _read_match(match: re.Match[str]) -> Item | None:
    """The provision that a match of `_TOKEN` names; None where a number cannot be read."""
    start, end = match.span()
    found = {name: words for name, words in match.groupdict().items() if words is not None}
    units = _units(found)
    if units is None:
        return None
    if "rel" in found:
        word = found["rel"]
        head, count = _relation(word[: word.index(found["unit"])])
        return Item(start, end, head, _OF_SIGN[found["unit"]], units, count)
    if "relbox" in found:
        word = found["relbox"].removeprefix("この")
        head = "この" if word is not found["relbox"] or word[0] == "本" else word[0]
        sign = next(letter for letter in word if letter in _BOX_LEVELS)
        below = _boxes(word)
        own: tuple[Level, str] = ("container", _BOX_LEVELS[sign])
        return None if below is None else Item(start, end, head, "container", (own, *below))
    if "box" in found:
        boxes = _boxes(found["box"])
        return Item(start, end, "", "container", boxes) if boxes else None
    if "sup" in found:
        return Item(start, end, "", "sup", (("sup", ""), *units), amending=found.get("amending", ""))
    if "table" in found:
        return _appended(start, end, "table", found["table"])
    if "style" in found:
        return _appended(start, end, "style", found["style"])
    return Item(start, end, "", units[0][0], units, ordinal="第" in match[0][:3]) if units else None


def _units(found: Mapping[str, str]) -> Units | None:
    """The numbered units of a match, outermost first; None where a number cannot be read."""
    units: list[tuple[Level, str]] = []
    for level, keys in _GROUPS:
        words = next((found[key] for key in keys if key in found), None)
        if words is None:
            continue
        for name in _sub(words) if level == "sub" else [_number(words)]:
            if name is None:
                return None
            units.append((level, name))
    return tuple(units)


def _appended(start: int, end: int, level: Level, words: str) -> Item | None:
    """別表第一の二 is `table`, `1-2`; 別表 alone has no number."""
    number = re.search(rf"{_N}.*\Z", words)
    read = designator(number[0].replace("号", "")) if number else ""
    return None if read is None else Item(start, end, "", level, ((level, read),))


def _relation(word: str) -> tuple[str, int]:
    """前三 is ("前", 3); 前各 and 次の各 have count 0."""
    plain = word.replace(" ", "")
    if plain in ("前", "次", "同"):
        return plain, 1
    if plain in ("本", "この"):
        return "この", 1
    number = kanji_number(plain.lstrip("前次の"))
    return plain[0], number if number is not None else 0


@lru_cache(maxsize=8192)  # a law's articles are cited again and again
def _number(words: str) -> str | None:
    """第七百九条の二 is `709-2`."""
    return designator(_UNIT_SIGNS.sub("", words))


def _sub(words: str) -> list[str | None]:
    """イ(1) is `i`, `1`."""
    head = words.partition("(")[0].replace(" ", "")
    below = [entry.strip() for entry in _SUB_PARTS.findall(words)]
    return [designator(head), *(_ROMAN.get(entry) or designator(entry) for entry in below)]


def _boxes(words: str) -> tuple[tuple[Level, str], ...] | None:
    """第二編第三章の二 is `part_2`, `chapter_3-2`."""
    out: list[tuple[Level, str]] = []
    for match in _ONE_BOX.finditer(words):
        number = designator(re.sub(r"\s", "", match["num"] + match["branch"]))
        if number is None:
            return None
        out.append(("container", f"{_BOX_LEVELS[match['kind']]}_{number}"))
    return tuple(out)


_BRACKET = lazy(r"[()「」『』]")
_EDITION = lazy(r"(?:改正|廃止|施行)[前後]|旧法")


def items(text: str, names: NameReader, brackets: Brackets) -> list[Item]:
    """Every provision and every law that a text names, in order.

    Args:
        text: folded text (`fold`).
        names: reads the names of laws.
        brackets: of the same text.
    """
    return list(_Reader(text, names, brackets).items())


class _Reader:
    def __init__(self, text: str, names: NameReader, brackets: Brackets) -> None:
        self._text = text
        self._names = names
        self._brackets = brackets
        self._numbered = {brackets.close[law.start]: law for law in bracketed_laws(text) if law.start in brackets.close}
        self._bracketed = {naming.start: naming for naming in self._numbered.values()}
        self._out: list[Item] = []
        self._ends: dict[int, int] = {}  # where a list may go on -> the item it goes on from
        self._opened: dict[int, int] = {}  # the first place in a bracket -> the item that the bracket follows

    def items(self) -> Iterator[Item]:
        floor = 0
        for match in _TOKEN.finditer(self._text):
            item = self._item(match, floor)
            if item is None:
                continue
            if self._brackets.quoted(match.start()):
                item.quoted = True
            floor = max(floor, item.end)
            if item.joined >= 0 and item.range == "end" and self._out[item.joined].range == "":
                self._out[item.joined].range = "start"
            self._out.append(item)
            self._note_end(item, len(self._out) - 1)
        return iter(self._out)

    def _note_end(self, item: Item, index: int) -> None:
        self._ends[item.end] = index
        closing = self._brackets.close.get(item.end)
        if closing is not None:
            self._ends[closing + 1] = index
            self._opened[item.end + 1] = index

    def _item(self, match: re.Match[str], floor: int) -> Item | None:
        text, start, end = self._text, match.start(), match.end()
        if match["mention"]:
            naming = self._names.ending_at(text, end, floor)
            return None if naming is None else Item(naming.start, end, "", "law", (), naming=naming)
        if match["number"]:
            return self._law_number(match, floor)
        if match["this"] or match["same"]:
            own = match["this"] is not None and "附則" in match["this"]
            head, of = ("この", "sup") if own else ("この" if match["this"] else "同", "law")
            return Item(start, end, head, of, ())
        read = _read_match(match)
        if read is None:
            return None
        joined, word, apart = self._joint(start)
        if match["kana"] and (joined < 0 or not self._out[joined].units or self._out[joined].units[-1][0] != "sub"):
            return None
        item = read
        item.joined, item.apart, item.within = joined, apart, self._opened.get(start, -1)
        if word in _RANGES:
            item.range = "end"
            if text.startswith("まで", end):
                item.end = end + 2
        if joined < 0 and item.of in ("art", "par", "sup", "table", "style", "container") and not item.head:
            item = self._with_law(item, floor)
        if item.of == "item" and not item.head and joined < 0:
            followed = _NOT_AFTER_ITEM.match(text, item.end)
            if followed or _NOT_BEFORE_ITEM.search(text[max(0, start - 1) : start]):
                return None
        return item

    def _law_number(self, match: re.Match[str], floor: int) -> Item | None:
        """A law named by its number, in brackets after its name or alone."""
        start, end = match.start("number"), match.end("number")
        opening = next((at for at in (start - 1, start - 2) if at in self._bracketed), None)
        if opening is None:
            law = law_of_number(match["number"])
            return Item(start, end, "", "law", (), naming=Naming(start, end, law)) if law else None
        law = self._bracketed[opening].law
        name = self._names.ending_at(self._text, opening, floor)
        first = name.start if name else start
        if law.role != "named":
            law = replace(law, title=self._text[first:opening] or law.title)
        if name is not None and (not name.law.certain or (name.law.urn and name.law.urn != law.urn)):
            law = replace(law, certain=False)  # 民法 with the number of another law: which one is meant is open
        if self._brackets.close[opening] == end:
            end += 1
        return Item(first, end, "", "law", (), naming=Naming(first, end, law))

    def _with_law(self, item: Item, floor: int) -> Item:
        """The item with the law named right before it, which is then no item of its own."""
        text, at = self._text, item.start
        while at > floor and text[at - 1] in " の":
            at -= 1
        last = self._out[-1] if self._out else None
        opening = self._brackets.open.get(at - 1) if at else None
        if last is not None and last.of == "law" and at in (last.end, self._close_around(last)):
            self._out.pop()
            if last.naming is None and last.head == "この":
                item.start, item.naming = last.start, Naming(last.start, last.end, OWN)
                return item
            item.start, item.naming, item.same_law = last.start, last.naming, last.head == "同"
            return item
        if opening is not None:
            item.naming = self._bracketed.get(opening) or self._before_bracket(opening, at)
            return item
        if at and text[at - 1] == "同":
            item.start, item.same_law = at - 1, True  # 同715条: of the law named before
            return item
        naming = self._names.ending_at(text, at, floor)
        if naming:
            item.start, item.naming = naming.start, naming
        return item

    def _before_bracket(self, opening: int, end: int) -> Naming | None:
        """The law before a bracket that says what it is called, or which edition of it is meant."""
        inside = self._text[opening:end]
        edition = _EDITION.search(inside) is not None
        if not edition and "以下" not in inside and "略称" not in inside:
            return None
        naming = self._names.ending_at(self._text, opening)
        if naming is None or not edition:
            return naming
        return replace(naming, law=replace(naming.law, certain=False))

    def _close_around(self, law: Item) -> int:
        """The place after the bracket that holds a law's number; -1 where it is in none."""
        if law.naming is None:
            return -1
        opening = next((at for at in range(law.end - 1, law.start - 1, -1) if at in self._bracketed), None)
        return -1 if opening is None else self._brackets.close[opening] + 1

    def _joint(self, start: int) -> tuple[int, str, bool]:
        """The item whose list a place goes on with (-1: none), the joining word, and whether a bracket lies between."""
        match = _JOINT.search(self._text, max(0, start - 8), start) if self._out else None
        if match is None:
            return -1, "", False
        index = self._ends.get(match.start(), -1)
        if index < 0:
            return -1, "", False
        return index, match["word"], self._out[index].end != match.start()
