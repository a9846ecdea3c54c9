"""Text search configurations: one per language, the same when a node is stored and when a question is asked."""

from __future__ import annotations

import re

from retrieval.errors import InputError

_LANGUAGE = re.compile(r"[a-z]{2,3}\Z", re.ASCII)

_CONFIGS = {
    "da": "danish", "de": "german", "en": "english", "es": "spanish", "fi": "finnish", "fr": "french",
    "hu": "hungarian", "it": "italian", "nl": "dutch", "no": "norwegian", "pt": "portuguese", "ro": "romanian",
    "ru": "russian", "sv": "swedish", "tr": "turkish",
}  # fmt: skip


def text_search_config(language: str) -> str:
    """PostgreSQL's configuration for an ISO 639-1 code; `simple` where it has no stemmer for the language."""
    return _CONFIGS.get(language, "simple")


# Words of English questions that say nothing of the matter asked about, beyond those that full-text search ignores.
_IDLE_ENGLISH = """
a about above after all also am an and any are as at be been being but by can could did do does doing don for from get
gets got had has have having he her here him his how i if in into is it its just let me my never no not of on one only
or our out own please she should so some still such t tell than that the their them then there they this to too told up
us was we were what when where whether which while who whom whose why will with without would you your yours ever
even though although mr mrs ms dr asked ask say said says
"""
IDLE_WORDS = frozenset(_IDLE_ENGLISH.split())

# Words by which English questions ask rather than say what about. They are searched, for law uses them too, and count
# little.
_FAINT_ENGLISH = """
clarification clarify context describe detail details elaborate especially example examples expect expected explain
might outline particular particularly per regard regarding specific specifically
"""
FAINT_WORDS = frozenset(_FAINT_ENGLISH.split())


def checked_language(language: str | None) -> str | None:
    """The code of a language in lower case, None where none is given: it stands in prompts and in stored traces.

    Raises:
        InputError: not two or three letters.
    """
    if language is None:
        return None
    code = language.strip().lower()
    if not _LANGUAGE.match(code):
        raise InputError("The language is not a code of two or three letters, such as en or fr.")
    return code
