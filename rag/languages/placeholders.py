"""Placeholders: what a publication prints where a provision was, such as `[Repealed]`, `(weggefallen)` and 削除. Pure.

The words are tables of the languages. What bears nothing else is no law; at ingest it has the tag `status`
(`rag/ingest/reading.py`).
"""

from __future__ import annotations

import re

from rag.languages.registry import language_of

_LONGEST = 300  # characters: `[Repealed by ...]` names the act that did it
_BRACKETS = {"[": "]", "(": ")", "（": "）", "［": "］"}
# The provision's own number before the word: `5.`, `§ 5`, `Section 5.`, 第三条.
_NUMBER = r"(?:(?:[^\W\d_]{1,12}\.?\s{1,2}|§{1,2}\s{0,2})?\d[\w.:-]{0,15}\s{1,2}|第\S{1,12}\s{0,2})?"
_BRACKETED = re.compile(rf"{_NUMBER}([\[(（［])([^\[\]（）［］]+)[\])）］][\s.]*\Z")
_BARE = re.compile(r"(?:\d[\w.:-]{0,15}\s{1,2}|第\S{1,12}\s{0,2})?([^\W\d_]+)[\s.。;]*\Z")
_WORD = re.compile(r"[^\W\d_]+")


def placeholder(text: str, language: str) -> str:
    """What became of a provision whose whole text is a placeholder: `repealed`, `reserved`; empty for any other text.

    The word stands alone, or first within brackets that hold the whole text.
    """
    said = text.strip()
    if not said or len(said) > _LONGEST:
        return ""
    words = language_of(language).placeholders
    if (whole := _BARE.match(said)) is not None:
        return words.get(whole[1].lower(), "")
    if (held := _BRACKETED.match(said)) is not None and said.rstrip(" .")[-1] == _BRACKETS[held[1]]:
        first = _WORD.search(held[2])
        return words.get(first[0].lower(), "") if first is not None and first.start() == 0 else ""
    return ""
