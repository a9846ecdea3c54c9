"""Japanese: what questions and answers need of it. Rules of annotation are in `rules.py`.

Words are compared by their characters and bigrams (`rag/languages/stems.py`), so there is nothing to stem; operators
are read only to contradict a claim by, so only the law's own sentences are served.
"""

from __future__ import annotations

import re
from functools import partial

from rag.languages.base import (
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
from rag.languages.ja.script import kanji_numeral

_WORDS = WordFile(__name__)

_QUESTIONS = QuestionWords(idle_runs=_WORDS.words("questions", "idle_runs"), names_by_capital=False)


def _numbered(number: int) -> str:
    """How law writes a number with its unit: 第二項."""
    return f"第(?:{number}|{kanji_numeral(number)})[項条号]"


_LIMITS = LimitPhrases(
    against=re.compile(r"\A\W*ただし"),
    takes_back=pattern(r"この限りでない | 適用しない"),
    narrows=pattern(r"に限り、?適用する | 適用しない"),
    precedes=re.compile(r"前[二三]?[項条]"),
    law=re.compile(r"この(?:法律|章|節|政令|省令|規則)|本(?:法|章|節)"),
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
    from rag.languages.ja.rules import Japanese

    return Japanese()


def _marks(text: str) -> tuple[Mark, ...]:
    from rag.languages.ja.operator_words import marks

    return marks(text)


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
