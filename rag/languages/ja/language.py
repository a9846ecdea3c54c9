"""Japanese: what questions and answers need of it. Rules of annotation are in `rules.py`.

Words are compared by their characters and bigrams (`rag/languages/stems.py`), so there is nothing to stem; operators
are read only to contradict a claim by, so only the law's own sentences are served.
"""

from __future__ import annotations

import re
from functools import partial

from rag.languages.base import (
    Kind,
    Language,
    LanguageRules,
    LimitPhrases,
    ListWords,
    Mark,
    QuestionWords,
    StatementWords,
    WordFile,
    pattern,
    read_defining,
    read_examples,
)
from rag.languages.ja.script import fold, kanji_numeral

_WORDS = WordFile(__name__)

_QUESTIONS = QuestionWords(
    idle_runs=_WORDS.words("questions", "idle_runs"),
    names_by_capital=False,
    meaning=pattern(
        r"""\A(?P<where>(?:[^、。？?]*?(?:における|において|で(?:いう|の)|に(?:いう|おいて)|上の))?)、?[「『]?
            (?:(?P<is>[^、。？?「」『』]+?)[」』]?(?:とは)(?:何(?:です)?か?|なん(?:です)?か|どういう(?:意味|もの)(?:です)?か?
                |どのような(?:意味|もの)(?:です)?か?)?
             |(?P<of>[^、。？?「」『』]+?)[」』]?の(?:定義|意味)(?:は|とは)?(?:何(?:です)?か?)?)[。？?\s]*\Z"""
    ),
    under=pattern(r"における|において|で(?:いう|の)|に(?:いう|おいて)|上の"),
)


def _numbered(number: int) -> str:
    """How law writes a number with its unit: 第二項."""
    return f"第(?:{number}|{kanji_numeral(number)})[項条号]"


_LIMITS = LimitPhrases(
    against=re.compile(r"\A\W*ただし"),
    takes_back=pattern(r"この限りでない | 適用しない"),
    narrows=pattern(r"に限り、?適用する | 適用しない"),
    precedes=re.compile(r"前[二三]?[項条]"),
    law=re.compile(
        r"この(?:法律|章|節|政令|省令|規則|条例|規程|規約|約款|要綱|契約)|本(?:法|章|節|条例|規程|規約|約款|要綱|契約)"
    ),
    section=re.compile(r"この条|本条"),
    part=re.compile(r"この項|本項"),
    number=_numbered,
    leans=re.compile(r"\A(?:ただし|この場合)"),
    amending=re.compile(r"「[^」]{1,200}」を「[^」]{1,200}」に改め"),
)

_LISTS = ListWords(
    any_of=re.compile(r"いずれか"),
    whole=re.compile(r"いずれにも|すべて|全て|限り|のみ|除く|除き|とは|をいう"),
    refers=re.compile(r"(?:次|左)(?:の各号|に掲げる|のいずれ|のとおり|の事項|の要件|の基準)"),
)


def _rules() -> LanguageRules:
    from rag.languages.ja.rules import JAPANESE

    return JAPANESE


_DIGITS = {sign: value for value, sign in enumerate("〇一二三四五六七八九")}
_SCALES = {"十": 10, "百": 100, "千": 1_000}
_TOKEN = re.compile(
    r"""第(?P<reference>[0-9〇一二三四五六七八九十百千]+)(?:条|項|号)(?:の[0-9一二三四五六七八九十]+)?
      | (?P<number>[0-9][0-9,]*(?:\.[0-9]+)?|[〇一二三四五六七八九十百千]+)(?P<scale>[万億])?
        (?P<unit>か月|箇月|ヶ月|カ月|月|日|週間|年|時間|円|歳|分の|パーセント|割|人|回)
      | (?P<obligation>なければならない|なくてはならない|ねばならない|ものとする)
      | (?P<prohibition>てはならない|ことができない|することを得ない|できない)
      | (?P<permission>ことができる|できる)
      | (?P<negation>(?:し|さ|ら|ら?れ|き|え|か|わ|た|ま|ば|が|では|で)?ない(?!し)|(?<=[しせらか])ず|ません)
      | (?P<word>[一-鿿々]+|[ァ-ヶー]{2,})""",
    re.VERBOSE,
)
_UNITS = {"箇月": "か月", "ヶ月": "か月", "カ月": "か月"}
_MOST_DIGITS = 20


def _marks(text: str) -> tuple[Mark, ...]:
    """Numbers, units, negations and duties in text order: enough to contradict a claim by, and not to prove one.

    Words are runs of kanji and katakana; hiragana inflects and joins, and is read only where it denies, allows or
    obliges. Never raises; linear time.
    """
    found: list[Mark] = []
    for match in _TOKEN.finditer(fold(text)):
        kind = match.lastgroup
        if match["reference"]:
            found.append(Mark(Kind.REFERENCE, _value(match["reference"])))
        elif match["number"]:
            scale = {"万": "0000", "億": "00000000"}.get(match["scale"] or "", "")
            found.append(Mark(Kind.NUMBER, _value(match["number"]) + scale))
            found.append(Mark(Kind.UNIT, _UNITS.get(match["unit"], match["unit"])))
        elif kind == "word":
            found.append(Mark(None, match[0]))
        elif kind == "negation":
            found.append(Mark(Kind.NEGATION, "NOT"))
        elif kind is not None:
            found.append(Mark(Kind.MODALITY, kind.upper()))
    return tuple(found)


def _value(number: str) -> str:
    """A number in digits, whether it is written so or in kanji with units."""
    if number[0].isascii():
        return number.replace(",", "")
    if not any(sign in _SCALES for sign in number):
        return "".join(str(_DIGITS[sign]) for sign in number[:_MOST_DIGITS]).lstrip("0") or "0"
    total, digit = 0, 0
    for sign in number[:_MOST_DIGITS]:
        if sign in _SCALES:
            total, digit = total + (digit or 1) * _SCALES[sign], 0
        else:
            digit = _DIGITS[sign]
    return str(total + digit)


def _stem(word: str) -> str:
    return word


_STATEMENTS = StatementWords(
    forbids=r"禁止|な[いくけしらりるれろ]|ません|ず、|ぬ",
    limits=r"ただし|但し|除[くき]|場合|限[りる]|のみ|とき|際",
)

LANGUAGE = Language(
    code="ja",
    stem=_stem,
    examples=partial(read_examples, __name__),
    placeholders=_WORDS.placeholders(),
    search=_WORDS.search(grammar=re.compile(r"[ぁ-ゟー]+")),
    sentences=_WORDS.sentences(),
    questions=_QUESTIONS,
    limits=_LIMITS,
    lists=_LISTS,
    statements=_STATEMENTS,
    rules=_rules,
    defining=partial(read_defining, __name__),
    marks=_marks,
)
