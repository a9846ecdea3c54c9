"""The words of a text in the form in which question and law are compared. Pure.

Scripts that do not space words are compared sign by sign and pair by pair: a run of kanji or katakana is a word where
all its pairs stand in the other text. Hiragana, which inflects and joins, is left out.
"""

from __future__ import annotations

import re

from rag.languages.tokens import stem
from rag.languages.word_by_word import word_list

WORD = re.compile(r"\w+")
_SIGNS = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
_RUN = re.compile(r"[\u30a1-\u30fa\u30fc]{2,}|[\u3400-\u9fff\u3005]+")
# Runs by which a question asks, or that say nothing of its matter.
_IDLE_RUNS = frozenset(
    word_list("誰 何 時 方 事 人 者 私 場合 必要 可能 法律 法 規定 教 知 言 思 行 出 中 上 下 前 後 今 本 次")
)


def unspaced(text: str) -> bool:
    """Whether a text has signs of a script that does not space words."""
    return _SIGNS.search(text) is not None


def stems_of(text: str) -> frozenset[str]:
    """The stems of a text's words, in lower case; of a script without spaces the signs and pairs of its runs."""
    found = {stem(word) for word in WORD.findall(text.lower()) if not unspaced(word)}
    for run in _RUN.findall(text):
        found.update(run if len(run) == 1 else (run[at : at + 2] for at in range(len(run) - 1)))
        found.update(run)
    return frozenset(found)


def asked_runs(question: str) -> list[str]:
    """The runs of a question in a script without spaces that say what it is about, each once, as first said."""
    return [run for run in dict.fromkeys(_RUN.findall(question)) if run not in _IDLE_RUNS]
