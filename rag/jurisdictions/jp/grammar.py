"""The grammar of Japanese citations: patterns of provisions, and what their words say."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from rag.jurisdictions.jp.kanji import designator, kanji_number
from rag.jurisdictions.jp.laws import LAW_NUMBER, Naming
from rag.law.jurisdiction import RangeEnd

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


# The groups of a match that hold a level's number, by the head they stand in.
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
TOKEN = re.compile(f"{_FIRST}(?:{_HEADS})")
JOINT = re.compile(
    r"(?:[、,]\s?)?(?P<word>及び|並びに|又は|若しくは|および|ならびに|または|もしくは|から|ないし|乃至|と|・|〜|-|&|[、,])\s?同?\Z"
)
RANGES = frozenset(("から", "ないし", "乃至", "〜", "-"))
_BOX_LEVELS = {"編": "part", "章": "chapter", "節": "section", "款": "subsection", "目": "division"}
BOXES = tuple(_BOX_LEVELS.values())
_ONE_BOX = re.compile(rf"第\s?(?P<num>{_NUM})\s?(?P<kind>[{_UNIT_KINDS}])(?P<branch>{_BRANCH}?)")
_UNIT_SIGNS = re.compile(r"[第条項号\s]")
_SUB_PARTS = re.compile(r"\(\s?([^()]{1,14})\s?\)")
_ROMAN = dict(zip("ⅰⅱⅲⅳⅴⅵⅶⅷⅸⅹ", ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x"), strict=True))
NOT_BEFORE_ITEM = re.compile(r"[一-龠々ァ-ヺー)0-9A-Za-z]\Z")
NOT_AFTER_ITEM = re.compile(r"[一-龠々](?<![及又並若中本前後各該以])")


@dataclass(slots=True)
class Item:
    """One provision as written; the reader adds what stands around it.

    `head` is what makes it relative: 前, 次, 同, この, or empty; `of` is the level it speaks of, `count` the number in
    前三項 (0 for 前各項). `units` are the numbered levels, outermost first. `joined` is the position of the item whose
    list it goes on with, -1 for none.
    """

    start: int
    end: int
    head: str
    of: Level
    units: Units
    count: int = 1
    naming: Naming | None = None
    same_law: bool = False
    ordinal: bool = True  # written with 第, or relative
    joined: int = -1
    apart: bool = False  # a bracket stands between it and the list it goes on with
    within: int = -1  # the item whose bracket it opens: 第百一条（第一項第五号に係るものを除く。）
    range: RangeEnd = ""
    quoted: bool = False
    amending: str = ""  # of a supplementary provision: the number of the amending law


def read_match(match: re.Match[str]) -> Item | None:
    """The provision that a match of `TOKEN` names; None where a number cannot be read."""
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
        sign = next(one for one in word if one in _BOX_LEVELS)
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
        for one in _sub(words) if level == "sub" else [_number(words)]:
            if one is None:
                return None
            units.append((level, one))
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
    below = [one.strip() for one in _SUB_PARTS.findall(words)]
    return [designator(head), *(_ROMAN.get(one) or designator(one) for one in below)]


def _boxes(words: str) -> tuple[tuple[Level, str], ...] | None:
    """第二編第三章の二 is `part_2`, `chapter_3-2`."""
    out: list[tuple[Level, str]] = []
    for match in _ONE_BOX.finditer(words):
        number = designator(re.sub(r"\s", "", match["num"] + match["branch"]))
        if number is None:
            return None
        out.append(("container", f"{_BOX_LEVELS[match['kind']]}_{number}"))
    return tuple(out)
