"""Text of law that speaks to a language model: data all the same, but its reader has to know whom it is written for.

What keeps such text harmless is that a model's draft is checked by code. This only says of a source that somebody may
have tampered with it. It goes by marks of chat formats and by words of prompts in English; orders without either are
not noticed.
"""

from __future__ import annotations

import re

from rag.law.openings import prepared

_MARKS = re.compile(
    r"""
      <\|\w{1,30}\|> | \[/?INST\] | <</?SYS>>             # tokens of chat templates
    | "role"\s?:\s?"(?:system|user|assistant)"            # a message of an API
    | (?<!\S)===\ [0-9a-f]{8,}\b                          # the fence of our own prompts
    """,
    re.VERBOSE | re.IGNORECASE,
)
_WORDS = re.compile(
    r"""\b(?:
      (?:ignore|disregard|forget|override)\s[^.\n]{0,30}?\b(?:instructions?|prompts?)
    | system\sprompts?
    | (?:note|message|instructions?)\s(?:to|for)\s(?:any\s|all\s|the\s)?(?:AI|LLMs?|language\smodels?|assistants?)\b
    | you\sare\s(?:now\s)?an?\s(?:AI|LLM|assistant|language\smodel)\b
    )""",
    re.VERBOSE | re.IGNORECASE,
)


def orders_machines(text: str) -> bool:
    """Whether a text has marks of a chat format, or words in which prompts speak to a language model."""
    return next(prepared((_MARKS, _WORDS)).matches(text), None) is not None
