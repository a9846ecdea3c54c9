"""How people ask what a provision says: "What does section 5 say?"."""

from __future__ import annotations

import re


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text, re.IGNORECASE | re.VERBOSE)


# How people ask what a provision says that they name: "What does section 5 say?".
_NAMED = (
    _pattern(
        r"\A\W*(?:please\s)?(?:what\s(?:does|do|did)\s(?P<en>.+?)\s(?:say|state|provide|require|mean|cover|contain)s?"
        r" | (?:what(?:['’]s|\sis)\sin|show\sme|quote|cite|read\sme|tell\sme\swhat\sis\sin)\s(?P<en2>.+?)"
        r" | que\s(?:dit|prévoit|dispose|énonce|stipule|contient)\s(?P<fr>.+?)"
        r" | que\sprévoient\s(?P<fr2>.+?) | qu['’]est-ce\sque\s(?:dit|prévoit)\s(?P<fr3>.+?)"
        r" | (?:citez|montrez)(?:-moi)?\s(?P<fr4>.+?)"
        r" | was\s(?:steht\sin|steht\sim|sagt|regelt|besagt|bestimmt)\s(?P<de>.+?) | wie\slautet\s(?P<de2>.+?)"
        r")\W*\Z"
    ),
    _pattern(
        r"\A(?P<ja>.+?(?:条|項|号)[^、。？?]{0,12}?)"
        r"(?:は何(?:を|と).{0,12}|には何が.{0,12}|の(?:内容|条文).{0,12}|とは.{0,8})[？?。]?\Z"
    ),
)


def provision_asked_for(question: str) -> str:
    """What a question names that only asks what something says; the question itself where it asks anything else."""
    for pattern in _NAMED:
        if (match := pattern.match(question.strip())) is not None:
            return next(one for one in match.groups() if one)
    return question
