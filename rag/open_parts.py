"""What a model says that the context does not settle: its only words that no check holds against the law. Pure.

A reader sees such a part where it repeats words of the question as they stand there, or asks (`whether ...`) in words
of question and law, so that it tells nothing. Any other part is counted, in fixed words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from rag.operators import is_neutral
from rag.operators_plain import word_list
from rag.verification_text import fold, is_plain

_MOST_CHARACTERS = 300
_MOST_SHOWN = 6
_WORD = re.compile(r"[^\W_]+")
_SIGNS = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
_SECOND_SENTENCE = re.compile(r"[.;:!?。！？](?=\s*\S)|\n")
# What opens a part that asks, and what else may stand in one, in the languages of prompts.
_ASKS = frozenset(
    word_list(
        "whether if who whom whose which what when where why how ob wer wem wen wann wo wie si qui quel quelle quand "
        "combien"
    )
)
_ASKING = _ASKS | frozenset(
    word_list(
        """
        much many long far often other any and or not viel und oder nicht quels quelles où comment et ou
        """
    )
)


def open_parts(parts: Sequence[str], scenario: str, law: Iterable[str]) -> tuple[str, ...]:
    """The parts of a question that a model left open, as a reader may see them.

    Args:
        parts: as the model wrote them.
        scenario: the question.
        law: the texts of the context.

    Returns:
        At most six parts, then one sentence that counts what is not shown.
    """
    if not parts:
        return ()
    question = fold(scenario).casefold()
    source = f"{question} {fold(' '.join(law)).casefold()}"
    known = frozenset(_WORD.findall(source))
    shown: list[str] = []
    named = list(dict.fromkeys(one.strip() for one in parts))
    for part in named:
        if len(shown) < _MOST_SHOWN and _is_plain_part(part) and _tells_nothing(part, question, known, source):
            shown.append(part)
    hidden = len(named) - len(shown)
    if hidden == 1:
        shown.append("A part that the model named in words of its own; they are not shown, for nothing verifies them.")
    elif hidden:
        shown.append(
            f"{hidden} parts that the model named in words of its own; they are not shown, for nothing verifies them."
        )
    return tuple(shown)


def _is_plain_part(part: str) -> bool:
    plain = len(part) <= _MOST_CHARACTERS and is_plain(part)
    return plain and not _SECOND_SENTENCE.search(part) and _WORD.search(part) is not None


def _tells_nothing(part: str, question: str, known: frozenset[str], source: str) -> bool:
    text = fold(part).casefold().strip(" .?!。？")
    if re.search(rf"(?<!\w){re.escape(text)}(?!\w)", question) or (_SIGNS.search(text) and text in question):
        return True
    words = _WORD.findall(text)
    return words[0] in _ASKS and all(
        word in known or word in _ASKING or is_neutral(word) or _is_written(word, source) for word in words
    )


def _is_written(word: str, source: str) -> bool:
    """Whether a run of signs without spaces has all its pairs in the question or the law."""
    return _SIGNS.search(word) is not None and all(word[at : at + 2] in source for at in range(max(1, len(word) - 1)))
