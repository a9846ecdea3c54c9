"""The words of a text in the form in which question and law are compared, each language by its own stemmer. Pure.

Scripts that do not space words are compared by characters and character bigrams: a run of kanji or katakana is a word
where all its bigrams are in the other text. Hiragana, which inflects and joins, is left out.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from functools import cache, lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rag.languages.base import Language

WORD = re.compile(r"\w+")
_SIGNS = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
_POINTED = re.compile(r"\b[^\W\d_](?:\.[^\W\d_])+\b")  # "p.m", with or without a last point
_RUN = re.compile(r"[\u30a1-\u30fa\u30fc]{2,}|[\u3400-\u9fff\u3005]+")


@cache
def snowball(algorithm: str) -> Callable[[str], str] | None:
    """Snowball's stemmer by the name of its algorithm, which PostgreSQL's configurations bear too.

    The function takes a word in lower case; a stem of it costs some 50 microseconds once. None for `simple`, and where
    there is no such algorithm.
    """
    # Loaded at the first word of a language that needs it.
    library: Any = import_module("snowballstemmer")
    try:
        stemmer: Any = library.stemmer(algorithm)
    except KeyError:
        return None
    one_at_a_time = threading.Lock()  # a stemmer keeps its word

    @lru_cache(maxsize=65536)
    def stem(word: str) -> str:
        with one_at_a_time:
            return str(stemmer.stemWord(word))

    return stem


def stemmer(algorithm: str) -> Callable[[str], str]:
    """Snowball's stemmer by the name of its algorithm, loaded at the first word; KeyError where there is none."""

    def stem(word: str) -> str:
        known = snowball(algorithm)
        if known is None:
            raise KeyError(algorithm)
        return known(word)

    return stem


def unspaced(text: str) -> bool:
    """Whether a text has signs of a script that does not space words."""
    return _SIGNS.search(text) is not None


def stems_of(text: str, language: Language) -> frozenset[str]:
    """The stems of a text's words; of a script without spaces the characters and bigrams of its runs.

    An abbreviation with points counts as one without them, too: "9 p.m." has "pm".
    """
    pointed = (match[0].replace(".", "") for match in _POINTED.finditer(text.lower()))
    return _stems(text, language, frozenset()).union(map(language.stem, pointed))


def telling_stems(text: str, language: Language) -> frozenset[str]:
    """The same without the words that say nothing about the matter."""
    return _stems(text, language, language.idle)


def _stems(text: str, language: Language, idle: frozenset[str]) -> frozenset[str]:
    found = {language.stem(word) for word in WORD.findall(text.lower()) if word not in idle and not unspaced(word)}
    for run in _RUN.findall(text):
        found.update(run if len(run) == 1 else (run[at : at + 2] for at in range(len(run) - 1)))
        found.update(run)
    return frozenset(found)


def asked_runs(question: str, language: Language) -> list[str]:
    """The runs of a question in a script without spaces that say what it is about, each once, as first said."""
    return [run for run in dict.fromkeys(_RUN.findall(question)) if run not in language.questions.idle_runs]


SHORTEST = 4  # characters that remain; shorter remains are shared by words that have nothing in common
_WITHOUT_ACCENTS = str.maketrans("äöüéèêàâîïôûç", "aoueeeaaiiouc")


def family(stem: str, language: Language) -> str:
    """What a word shares with its family: the stem without its longest known ending; the stem where none is known."""
    known = language.families
    rest = known.inside.sub("", stem.translate(_WITHOUT_ACCENTS))
    if (verb := known.form.search(rest)) is not None:
        return f"{rest[: verb.start()]}{known.roots[verb['form']]}"
    if known.prefix and len(rest) > SHORTEST + 2:
        rest = rest.removeprefix(known.prefix)
    for ending in known.endings:
        if rest.endswith(ending) and len(rest) - len(ending) >= SHORTEST:
            rest = rest[: -len(ending)]
            break
    return rest[:-1] if len(rest) > SHORTEST and rest[-1] in "yie" else rest  # employ, employer


def families(stems: frozenset[str], language: Language) -> frozenset[str]:
    """The families of some stems."""
    return frozenset(family(stem, language) for stem in stems)
