"""Numbers as plain documents print them: what each line is counted by, and the words behind its number.

"§ 2 Members", "Article 3", "4.2 The fee is", "(a) ...", "第3条【会費】", "II. - ", "A1.1", "SECTION NINE. LEASES.".
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from rag.ingest.formats.base import plain_ascii
from rag.ingest.formats.plain.blocks import Block
from rag.ingest.formats.plain.lines import in_capitals, is_title
from rag.law.numerals import NUMBER_WORDS
from retrieval.paths import slug

_MOST_CAPTION = 100  # characters
_SHORT = 40  # characters: a printed line without a full stop up to here is no line of running text
MOST_WORDS = 6  # of a caption that ends in a full stop


class _Form(NamedTuple):
    """How a number without a word is printed: what it belongs with, and patterns of it and of what is behind it."""

    mark: str
    number: str
    behind: str = ""
    before: str = ""


_LATIN = r"(?:\s(?:bis|ter|quater|quinquies))?"
# The first that matches is the form; numbers of one mark are counted together.
_FORMS = {
    "decimal": _Form("1.1", r"\d{1,3}[A-Z]?(?:(?:\.\d{1,3}[A-Z]?){1,4}|(?:-\d{1,4}){2,4})", r"\.?"),
    "hyphened": _Form("1.1", r"\d{1,3}-\d{1,3}", "[.)]"),
    "lettered": _Form("1.1", r"(?:[A-Z]\.?|[A-Z]{2,3}[.\s]?)\d{1,3}[A-Z]?(?:[.-]\d{1,3}){0,4}", r"\.?"),
    "integer": _Form(".", r"\d{1,3}[a-zA-Z]?", r"[.)]"),
    "degree": _Form("°", rf"\d{{1,3}}\s?[°º]{_LATIN}"),
    "wide": _Form(".", r"(?:[０-９]{1,3}|\d{1,2}(?=\s[぀-鿿]))", r"(?=\s)"),
    "bracket": _Form(
        "()", r"(?:\d{1,3}[A-Z]{0,2}|[a-zA-Z]{1,4}|[ア-ン])", "[)）]", before=r"(?:\d{1,3}(?:\([a-z0-9]{1,4}\))*)?[(（]"
    ),
    "raised": _Form("()", "[¹²³⁰⁴-⁹]{1,2}(?:bis)?", r"(?=\s)"),
    "letter": _Form(".", r"(?:[a-z](?=[.)])|[a-z]{2,4}(?=\)))", "[.)]"),
    "kana": _Form("ア", "[ア-ン]", r"(?=\s)"),
    "circled": _Form("①", "[①-⑳]"),
    "item": _Form("一", "[一二三四五六七八九十]{1,3}", r"(?=\s)"),
    "capital": _Form("A.", "(?:[IVXLC]{1,7}|[A-Z])", r"(?:[.)]|(?=\s?[–—-]\s))"),
}
SIGN = re.compile(
    r"""(?:[-•*–]\s(?=[(（]?\w{1,3}[)）]))? (?:\[(?=\d))?
        (?: (?P<word>[^\W\d_]{3,12}\s{1,2}|[^\W\d_]{2,4}\.\s{0,2}|§{1,2}\s{0,2})
            (?P<number>(?P<code>(?:L\.?\s?O|[LRDA])\.?\s?(?:\*\s?){0,2}\d{1,5}(?:-\d{1,4})*(?![\w-])
                (?:\s(?:bis|ter|quater|[a-z]{0,8}(?:qu|ex|pt|oct|non|dec|vic)ies)(?!\w))?)
              |(?:[A-Z]{1,2}[.-]?)?\d{1,4}(?:[.–/-]\d{1,4})*(?:\s?[a-z](?![^\W_])|[A-Z](?![^\W_])|(?i:\s?(?:bis|ter|quater))(?![^\W_]))?|(?:[A-Z]-)?[IVXLC]{1,7}(?=(?i:er|re|ère)?(?![^\W_]))
              |[A-Z](?![^\W_]))
            (?i:er|re|ère)?
          | 第(?P<counted>[0-9０-９〇一二三四五六七八九十百千]{1,8})(?P<kanji>[編部章節款条])
            (?P<branch>の[0-9０-９一二三四五六七八九十]{1,3})?
            (?P<noted>[(（【\[][^()（）【】\[\]]{1,60}[)）】\]](?=\s*\Z))?
          | 第(?P<outlined>[0-9０-９一二三四五六七八九十]{1,3}(?:の[0-9０-９一二三四五六七八九十]{1,3})?)(?=\s)
          | """
    + "|".join(f"{form.before}(?P<{name}>{form.number}){form.behind}" for name, form in _FORMS.items())
    + r"""
        )
        (?P<joint>--(?=\S)|\s?[.:–—-](?=\s|\Z)(?:\s[–—-](?=\s))?|(?<=\.)[–—-](?=[^\W\d_])|[–—](?=[^\W\d_]|[(（])|\s|\Z|(?<=[)）]))
        \s* (?P<rest>.*)\Z""",
    re.VERBOSE | re.DOTALL,
)
_BARE = re.compile(r"(\d{1,3}[a-z]?)\s(?=\S)")  # the number of a heading without a full stop
_SPELLED = re.compile(
    r"(?P<word>[^\W\d_a-zß-ÿ][^\W\d_]{2,11}\s)(?P<number>[^\W\d_]{3,9}(?:-[^\W\d_]{3,5})?)(?=[.:]?(?:\s|\Z))"
)
_NUMBERS = NUMBER_WORDS | {"premier": 1, "première": 1, "unique": 1}
_ROW = re.compile(r"\([a-z0-9]{1,3}\)\s")  # of a table, counted as what is around it is
_ORNAMENTED = re.compile(r"\A(?P<sign>[■□◆◇●○★☆◎▼▲*=~])[■□◆◇●○★☆◎▼▲*=~]*\s*(?P<words>.*?)\s*(?P=sign)+\Z")
_DEGREE = re.compile(r"\s?[°º]\s?")
_UNMARKED = re.compile(r"(?P<number>\d{1,3}(?:\.\d{1,2})?[A-Z]?|[A-Z])\s(?P<rest>[(\[“\"A-ZÀ-Þ].*)", re.DOTALL)
_ENDED = re.compile(r"[.!?;:,。；：，][\"'”’»)\]]*\Z")
BRACKETED = re.compile(r"[(（【\[]([^()（）【】\[\]]{1,60})[)）】\]]")
# What is numbered beside the provisions.
_SHOWN = frozenset(("table", "figure", "fig", "tab", "tabelle", "abbildung", "abb", "tableau"))
SIGNS = {"§": "section", "§§": "section", "条": "article", "art.": "article", "sec.": "section"}
SMALL_WORDS = frozenset(("art", "article", "artikel", "section", "sec", "clause"))  # what is printed so before numbers
_KANJI = {"編": "part", "部": "part", "章": "chapter", "節": "section", "款": "subsection"}
# Behind the articles, called as in published laws: "附則（令和６年条例第１８号）", "別表第１", "様式第２号".
_NOTED = re.compile(r"(?P<note>\([^()]{3,150}\))\s?[.–—-]{1,2}\s(?:[–—-]\s)?(?P<rest>.+)", re.DOTALL)
_LONE_ANNEX = re.compile(
    r"(?P<word>schedule|annex|appendix|anlage|anhang|annexe)(?:\s?\([^()]{1,60}\))?"
    r"(?:\s?[.:–—-]\s?(?:[–—-]\s)?(?P<rest>[^.;]{1,80}))?",
    re.IGNORECASE,
)
_SUPPLEMENTARY = re.compile(r"附\s?則(?:\s?[（(](?P<by>[^（）()]{3,40})[)）])?")
_APPENDED = re.compile(
    r"(?:別記)?(?P<kind>別表|様式)\s?(?:第?(?P<number>[0-9０-９〇一二三四五六七八九十]{1,4}(?:の[0-9０-９一二三四五六七八九十]{1,3})?)号?)?"
    r"\s?(?P<rest>[（(].{1,80}[)）])?"
)
ANNEXES = frozenset(
    ("schedule", "annex", "appendix", "exhibit", "anlage", "anhang", "annexe", "supplementary", "table", "style")
)
# "Appendix A to Part 1187--List of Cabins"
_ANNEX_OF = re.compile(r"(?:to|of|zu[mr]?|à|au|du|de)\s[^.;]{1,30}?(?:--|\s?[:–—-])\s?(?P<rest>.+)")
KANA = "アイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワヲン"
_APPENDED_KINDS = {"別表": "table", "様式": "style"}


@dataclass(slots=True)
class Line:
    """A line with what it is counted by: `word` is empty for a bare number, `number` for a line without any."""

    text: str
    heading: int  # rank of a heading from 1, 0 for other text
    page: int  # where it begins and, below, ends; 0 without pages
    last_page: int
    opens: bool  # begins a paragraph
    alone: bool = False  # is one; of the words behind a number: and a mark parts them from it
    word: str = ""
    number: str = ""
    mark: str = ""  # of a bare one: that of its form in `_FORMS`
    rest: str = ""
    captioned: bool = False  # a mark is between its number and what follows: "Rule 2: Pets. ..."
    caption: str = ""  # a line of its own that belongs to it
    kana: str = ""  # that is its number, whose place in a sequence depends on the order
    outlined: bool = False  # "第３ 対象" of an outline, which has no articles
    note: str = ""  # in brackets between its number and its words: "(Modifié par délibération n° 3) - "
    bare: tuple[str, str] = ("", "")  # a number without a mark, and what follows: "2 (1) This Act", if it counts


# --- reading lines ---------------------------------------------------------------------------------------------------


def lines_of(block: Block, language: str) -> Iterator[Line]:
    """The printed lines of a block, each with what it is counted by; a heading and a table are one line.

    A table whose rows have signs, "(1) Height | 35 ft.", is as many lines as it has rows.
    """
    first, last = (block.pages[0][1], block.pages[-1][1]) if block.pages else (0, 0)
    rows = block.rows and sum(bool(_ROW.match(row)) for row in block.text.split("\n")) < 2
    texts = [block.text] if rows or block.level else block.text.split("\n")
    # The line before is long and ends in no mark; and it is no caption, so that a sentence goes on.
    open_ended = goes_on = False
    for position, text in enumerate(texts):
        line = Line(text, block.level, first, last, opens=not position and not block.tight, alone=len(texts) == 1)
        text = _in_figures(_ORNAMENTED.sub(r"\g<words>", text))
        match = (
            None
            if rows
            else SIGN.match(_BARE.sub(r"\1. ", text, count=1) if line.heading and _BARE.match(text) else text)
        )
        # A printed line may begin with a reference of the sentence that it continues.
        worded = match is not None and (match["word"] or match["kanji"])
        if match is not None and match["capital"] and (line.heading or open_ended):  # a part; a name "A. Martin"
            match = None
        if not (goes_on or rows or worded) and (named := _worded(text, language)):
            line.word, line.number, line.rest = named
        elif match is not None and not (goes_on and (worded or match["decimal"] or match["lettered"])):
            read_sign(line, match)
            if block.indent and line.mark == ".":
                line.mark += "." * block.indent  # a list in an item of a list counts on its own
        if not (line.number or rows or goes_on) and (unmarked := _UNMARKED.match(text)):
            line.bare = unmarked["number"], unmarked["rest"]
        caption = line.number and (not line.word or in_capitals(line.rest))
        open_ended = len(text) > _SHORT and not _ENDED.search(text)
        goes_on = open_ended and not caption
        yield line


def read_sign(line: Line, match: re.Match[str]) -> None:
    """What a line is counted by. "Section 5 applies" is a sentence: behind the number of a caption no small letter."""
    rest = match["rest"].strip()
    if match["word"]:
        line.captioned = bool(match["joint"].strip())
        word = match["word"].strip().casefold()
        if word in ANNEXES and (behind := _ANNEX_OF.match(rest)):
            rest = behind["rest"]
        if rest[:1].islower() and (not line.captioned or ":" in match["joint"]):
            return
        if word.rstrip(".") in _SHOWN or (match["word"][0].islower() and word.rstrip(".") not in SMALL_WORDS):
            return
        line.word, line.number = SIGNS.get(word, word.rstrip(".")), match["number"].replace(" ", "")
        if match["code"]:  # of a French code: "L. 12-3" is numbered as the codes themselves number it
            from rag.jurisdictions.fr.naming import article_number

            line.number = article_number(match["code"])
        if note := _NOTED.fullmatch(rest):
            line.note, rest = note["note"], note["rest"]
    elif match["kanji"] or match["outlined"]:
        from rag.jurisdictions.jp.kanji import kanji_number  # for Japanese documents only

        line.word = _KANJI.get(match["kanji"] or "", "article")
        counted = match["outlined"] or f"{match['counted']}{match['branch'] or ''}"
        line.outlined = bool(match["outlined"])
        numbers = [kanji_number(part) for part in counted.split("の") if part]
        line.number = "-".join(str(number) for number in numbers)
        if caption := BRACKETED.fullmatch(match["noted"] or rest):  # "第1条(名称)"
            line.caption, rest = caption[1], ""
    else:
        name = next(name for name in _FORMS if match[name])
        line.mark = _FORMS[name].mark
        # "（１）", "¹", "4° bis"
        line.number = unicodedata.normalize("NFKC", _DEGREE.sub("-", match[name]).rstrip("-"))
        if name == "lettered":
            line.number = line.number.replace(" ", "")
        if match["item"]:
            from rag.jurisdictions.jp.kanji import kanji_number  # for Japanese documents only

            line.number = str(kanji_number(match["item"]) or match["item"])
        if line.number in KANA:
            from rag.jurisdictions.jp.kanji import designator  # for Japanese documents only

            line.kana = line.number
            line.number = designator(line.number) or line.number
    line.rest = rest


def _worded(text: str, language: str) -> tuple[str, str, str] | None:
    """Word, number and caption of a container whose number is a word: "Part One", "Erster Teil", "Titre premier"."""
    if text[:1].isupper() and (match := _LONE_ANNEX.fullmatch(text)):
        return match["word"].casefold(), "", (match["rest"] or "").strip()
    first, second, rest = (*text.split(maxsplit=2), "", "", "")[:3]
    second, rest = second.rstrip(".:–—-"), rest.lstrip(".:–—- ")
    if language == "ja":
        return _appended(text)
    if not is_caption(text) or not second or rest[:1].islower():
        return None
    if language == "de":
        from rag.jurisdictions.de.naming import read_heading

        named = read_heading(f"{first} {second}")
        return (named.level, named.number, rest) if named.kind == "container" and named.number else None
    if language == "fr":
        from rag.jurisdictions.fr.naming import container_heading

        named = container_heading(text)
        numbered = named.rank is not None and named.number != slug(plain_ascii(named.title), limit=40)
        return (named.level, named.number, named.title) if numbered and not named.title[:1].islower() else None
    return None


def _in_figures(text: str) -> str:
    """A line whose word has a number in words behind it, with figures: "SECTION NINE. LEASES", "Article premier"."""
    match = _SPELLED.match(text)
    if match is None or not (number := _NUMBERS.get(match["number"].casefold())):
        return text
    return f"{match['word']}{number}{text[match.end() :]}"


def _appended(text: str) -> tuple[str, str, str] | None:
    """What follows the articles of a Japanese law: its supplementary provisions, and tables."""
    from rag.jurisdictions.jp.kanji import kanji_number, law_number  # for Japanese documents only

    if match := _SUPPLEMENTARY.fullmatch(text):
        by = match["by"] or ""
        law = law_number(by) if by else None
        return "supplementary", law.slug if law else slug(unicodedata.normalize("NFKC", by)) if by else "original", by
    if match := _APPENDED.fullmatch(text):
        numbers = [kanji_number(part) for part in (match["number"] or "").split("の") if part]
        number = "-".join(map(str, numbers)) or "1"
        return _APPENDED_KINDS[match["kind"]], number, (match["rest"] or "")[1:-1]
    return None


def is_caption(text: str) -> bool:
    """Whether words may be a caption: few, and no sign of a sentence's end behind them."""
    return len(text) <= _MOST_CAPTION and not _ENDED.search(text)


def goes_on(text: str, following: Line | None) -> bool:
    """Whether the words behind a number are no caption, for they go on on the next line: "The tenant shall", "(a) pay".

    An item that begins with a small letter goes on, and so does a paragraph that is broken into lines where it begins
    with more words than a caption has.
    """
    if following is None or not text or (is_title(text) and not text.split()[-1].islower()):
        return False
    small = (following.rest if following.number else following.text)[:1].islower()
    if following.number:
        return small
    return not following.opens and (small or len(text.split()) > MOST_WORDS)
