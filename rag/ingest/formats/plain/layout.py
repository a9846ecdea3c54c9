"""Tables that only place numbers and captions beside the words of a law, and the numbers that lists show."""

from __future__ import annotations

import re
from collections.abc import Sequence
from string import ascii_lowercase

from rag.ingest.formats.plain.blocks import Block
from rag.ingest.formats.plain.signs import SIGN, SMALL_WORDS, is_caption
from retrieval.roman import to_roman

LONGEST_SIGN = 24  # characters
_BARE_SIGN = re.compile(r"[0-9]{1,3}[A-Z]?")
_SENTENCE = 40  # characters
_OPENING = "([“„«\"'（「*_"
_TELLS = re.compile(r"[^\W\d_].*[.;:,。；、—-]\s*\Z", re.DOTALL)  # words that end as a sentence or an item does


def is_sign(text: str, *, bare: bool = True) -> bool:
    """Whether words are only what numbers a provision: "§ 5", "(a)", "1.—(1)", "第一条"; `bare`: "5" as well."""
    text = text.strip()
    match = SIGN.match(f"{marked(text) if bare else text} ") if 0 < len(text) <= LONGEST_SIGN else None
    if match is None or ((word := match["word"]) and word[0].islower() and word.strip(" .") not in SMALL_WORDS):
        return False
    rest = match["rest"].strip()
    return not rest or (len(rest) < len(text) and is_sign(rest, bare=False))


def marked(sign: str) -> str:
    """What is in a cell for a number, as it counts: "5." of "5"."""
    sign = sign.strip()
    return f"{sign}." if _BARE_SIGN.fullmatch(sign) else sign


def places_numbers(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the cells of a table only place numbers, and captions before these, beside the words of a law.

    Each row has one cell of words at the most and before it nothing but numbers, and perhaps a caption before them: a
    row of captions of columns has no number. Two rows, or the only one, have a number. Most of what is numbered begins
    with a word, not with a figure, and most of what has a caption is a sentence.
    """
    numbered = worded = sentences = captions = 0
    used = [cells for row in rows if (cells := [cell.strip() for cell in row if cell.strip()])]
    for *signs, words in used:
        opens = (match := SIGN.match(words)) is not None and bool(match["rest"])
        if signs and not is_sign(signs[0]) and is_caption(signs[0].rstrip(".")):
            if not (signs[1:] or opens):
                return False
            captions += 1
            del signs[0]
        if not all(map(is_sign, signs)):
            return False
        numbered += bool(signs) or opens
        worded += words[0].isalpha() or opens or words[0] in _OPENING
        sentences += len(words) > _SENTENCE or _TELLS.search(words) is not None
    enough = numbered > 1 or (numbered == len(used) == 1 and len(used[0][-1]) > _SENTENCE)
    return enough and 2 * worded >= len(used) and 2 * sentences >= captions


def without_layout(blocks: Sequence[Block]) -> list[Block]:
    """The blocks, where a table that only places numbers beside their words is paragraphs, one a row: "5 | Fees"."""
    found: list[Block] = []
    for block in blocks:
        rows = [row.split(" | ") for row in block.text.split("\n")] if block.rows else []
        if not places_numbers(rows):
            found.append(block)
            continue
        for row in rows:
            cells = [stripped for cell in row if (stripped := cell.strip(" |"))]
            captions = [cells.pop(0)] if len(cells) > 1 and not is_sign(cells[0]) else []
            texts = [*captions, *([" ".join((*map(marked, cells[:-1]), cells[-1]))] if cells else [])]
            found += (Block(text, indent=block.indent, pages=block.pages[:1]) for text in texts)
    return found


# --- numbers of lists ------------------------------------------------------------------------------------------------

_KANA = "アイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワヲン"
_IROHA = "イロハニホヘトチリヌルヲワカヨタレソツネナラムウヰノオクヤマケフコエテアサキユメミシヱヒモセス"
_GREEK = "αβγδεζηθικλμνξοπρστυφχψω"
_CYRILLIC = "абвгдежзиклмнопрстуфхцчшщэюя"
_DIGITS = "〇一二三四五六七八九"
_FULL_WIDTH = str.maketrans("0123456789", "０１２３４５６７８９")
_ALPHABETS = {
    "lowerLetter": ascii_lowercase,
    "aiueo": _KANA,
    "aiueoFullWidth": _KANA,
    "iroha": _IROHA,
    "irohaFullWidth": _IROHA,
    "lowerGreek": _GREEK,
    "russianLower": _CYRILLIC,
    "decimalEnclosedCircle": "".join(map(chr, range(0x2460, 0x2474))),
    "ideographEnclosedCircle": "".join(map(chr, range(0x3280, 0x328A))),
    "ideographTraditional": "甲乙丙丁戊己庚辛壬癸",
    "ideographZodiac": "子丑寅卯辰巳午未申酉戌亥",
}
_AS_OTHERS = {
    "upperLetter": "lowerLetter", "upperRoman": "lowerRoman", "russianUpper": "russianLower",
    "decimalEnclosedCircleChinese": "decimalEnclosedCircle", "decimalFullWidth2": "decimalFullWidth",
    "decimalHalfWidth": "decimal", "japaneseDigitalTenThousand": "ideographDigital",
    **dict.fromkeys(
        ("japaneseLegal", "chineseCounting", "chineseCountingThousand", "taiwaneseCounting",
         "taiwaneseCountingThousand"), "japaneseCounting",
    ),
}  # fmt: skip
_ENCLOSED = {"decimalEnclosedParen": "({})", "decimalEnclosedFullstop": "{}.", "numberInDash": "- {} -"}
_ORDINALS = [
    "first",
    "second",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
    "eleventh",
    "twelfth",
    "thirteenth",
    "fourteenth",
    "fifteenth",
    "sixteenth",
    "seventeenth",
    "eighteenth",
    "nineteenth",
]


def list_number(count: int, form: str) -> str | None:
    """A number as a list shows it.

    Args:
        form: as Word calls it (ST_NumberFormat), and `lowerGreek`.

    Returns:
        The number; its figures where the form has no sign for it; None for a form that is not known.
    """
    like = _AS_OTHERS.get(form, form)
    shown = str(count)
    if like in _ALPHABETS:
        signs = _ALPHABETS[like]
        # Letters are doubled behind the last; other signs end with it.
        again = (count - 1) // len(signs) + 1 if like == "lowerLetter" else 1
        if 0 < count <= (len(signs) if like != "lowerLetter" else 26 * 30):
            shown = signs[(count - 1) % len(signs)] * again
    elif like == "lowerRoman":
        shown = to_roman(count) if 0 < count < 4000 else shown
    elif like == "decimalZero":
        shown = f"{count:02d}"
    elif like == "decimalFullWidth":
        shown = shown.translate(_FULL_WIDTH)
    elif like == "ideographDigital":
        shown = "".join(_DIGITS[int(digit)] for digit in str(abs(count)))
    elif like == "japaneseCounting":
        shown = _kanji(count) if 0 < count < 10_000 else shown
    elif like in _ENCLOSED:
        shown = _ENCLOSED[like].format(count)
    elif like in ("ordinal", "cardinalText", "ordinalText"):
        shown = _in_words(count, like)
    elif like != "decimal":
        return None
    return shown.upper() if form.startswith("upper") or form.endswith("Upper") else shown


def _kanji(count: int) -> str:
    shown = ""
    for worth, sign in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
        digit, count = divmod(count, worth)
        shown += (_DIGITS[digit] if digit > 1 or worth == 1 else "") + sign if digit else ""
    return shown


def _in_words(count: int, form: str) -> str:
    """1st, One, First: in English, up to 99."""
    from rag.law.numerals import NUMBER_WORDS  # few documents have them

    if form == "ordinal":
        behind = "th" if 10 < count % 100 < 14 else {1: "st", 2: "nd", 3: "rd"}.get(count % 10, "th")
        return f"{count}{behind}"
    names = {number: word for word, number in NUMBER_WORDS.items()}
    if count not in names:
        return str(count)
    if form == "cardinalText":
        return names[count].capitalize()
    if count <= len(_ORDINALS):
        return _ORDINALS[count - 1].capitalize()
    ten, one = count - count % 10, count % 10
    word = f"{names[ten]}-{_ORDINALS[one - 1]}" if one else f"{names[ten][:-1]}ieth"
    return word.capitalize()
