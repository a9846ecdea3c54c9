"""What kind of answer a question asks for: an amount, a time, a permission, a duty, a person; and what can give it.

Read from how the question is put, in the languages whose operators are read; in any other nothing is asked for, and
every sentence is as good as another.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum

from rag.languages.en.operators import Kind, Reading
from rag.languages.operators import primary_language, read_in
from rag.languages.tokens import stem
from rag.languages.word_by_word import word_list


class Want(StrEnum):
    """A kind of answer."""

    AMOUNT = "amount"
    TIME = "time"
    PERMISSION = "permission"
    DUTY = "duty"
    PERSON = "person"


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text, re.IGNORECASE | re.VERBOSE)


_START = r"(?:\A|(?<=[,;:–—-]\s))\W*(?:(?:and|but|so|et|mais|und|aber)\s+)?"
_ASKS: dict[str, dict[Want, re.Pattern[str]]] = {
    "en": {
        Want.AMOUNT: _pattern(
            r"\bhow\s(?:much|many|high)\b"
            r" | \bwhat\s(?:is\sthe\s)?(?:maximum|highest|amount|sum|percentage|rate|limit)\b"
        ),
        Want.TIME: _pattern(
            rf"{_START}(?:when|by\swhen|until\swhen)\b | \bhow\s(?:long|soon|late|quickly|often|far\sin\sadvance)\b"
            r" | \bhow\smany\s(?:\w+\s)?(?:hours|days|weeks|months|years)\b | \bhow\smuch\s(?:time|notice)\b"
            r" | \bdeadline\b"
        ),
        Want.PERMISSION: _pattern(
            rf"{_START}(?:may|can|could)\b | \bthe\sright\sto\b"
            r" | \b(?:allowed|permitted|entitled|legal|lawful|free)\sto\b"
        ),
        Want.DUTY: _pattern(
            rf"{_START}(?:must|shall|should)\b"
            r" | \b(?:have|has|had|need|needs|required|obliged|obligated|supposed)\sto\b"
        ),
        Want.PERSON: _pattern(rf"{_START}(?:who|whom|which\s(?:court|agency|office|person|body|authority))\b"),
    },
    "fr": {
        Want.AMOUNT: _pattern(
            r"\bcombien\b(?!\sde\s(?:temps|jours|mois|semaines|ans)) | \bquel(?:le)?\s(?:montant|somme|taux)\b"
        ),
        Want.TIME: _pattern(
            r"\bquand\b.*\? | \bcombien\sde\s(?:temps|jours|mois|semaines|ans)\b | \bquel\s(?:est\sle\s)?délai\b"
        ),
        Want.PERMISSION: _pattern(r"\b(?:peut|puis|pouvons|peux|peuvent|pouvez)\b | \ble\sdroit\sd[e'’]"),
        Want.DUTY: _pattern(r"\b(?:doit|dois|devons|doivent|devez|faut|obligé|tenu)\b"),
        Want.PERSON: _pattern(rf"{_START}(?:qui|quel\stribunal|quelle\sautorité)\b"),
    },
    "de": {
        Want.AMOUNT: _pattern(r"\bwie\s?viel(?!\szeit)e?n?\b | \bwie\shoch\b | \bwelche[rn]?\s(?:betrag|höhe)\b"),
        Want.TIME: _pattern(rf"{_START}(?:bis\s)?wann\b | \bwie\s(?:lange|oft|schnell|viel\szeit)\b | \bfrist\b"),
        Want.PERMISSION: _pattern(r"\b(?:darf|dürfen|kann|können|erlaubt)\b"),
        Want.DUTY: _pattern(r"\b(?:muss|müssen|soll|sollen|verpflichtet)\b"),
        Want.PERSON: _pattern(rf"{_START}(?:wer|wem|wen|welches\sgericht|welche\sbehörde)\b"),
    },
}  # fmt: skip
# Words by which a question asks for an amount, a time, a permission or a duty, and that no answer has to repeat: to
# "May he enter?" the law answers that he shall not.
_ASKING = _pattern(
    r"\bhow\s(?P<en>much|many|high|long|soon|late|quickly|often|far)\b | \b(?P<fr>combien)\b"
    r" | \bwie\s?(?P<de>viele?n?|hoch|lange|oft|schnell)\b"
    r" | \b(?P<who>qui|quoi|quelle?s?|quand|où|pourquoi|wer|wem|wen|wessen|wann|wo|warum|welche[rsmn]?)\b"
    r" | \b(?P<most>highest|maximum|largest|biggest|lowest|smallest|maximale?|höchste[rsn]?)\b"
    r" | \b(?P<may>may|must|shall|should|peut|peuvent|peux|doit|doivent|dois|darf|dürfen|kann|können|muss|müssen)\b"
)
_WHEN = _pattern(r"(?<!by\s)(?<!until\s)\bwhen\b | \bquand\b | (?<!bis\s)\bwann\b")  # asks for conditions as often
_SOON = _pattern(
    r"\b(?:immediate\w*|prompt\w*|forthwith|delay|at\sonce|at\sany\stime|perpetual\w*|for\slife|lifetime)\b"
    r" | \b(?:délai\w*|immédiat\w*|aussitôt|à\stout\smoment|perpétuel\w*|viager|à\svie)\b"
    r" | \b(?:unverzüglich\w*|sofort\w*|umgehend\w*|jederzeit|lebens\w*|unbefristet\w*)\b"
)
# Words that join others or stand for somebody, beside those that search leaves out: nobody asks about them.
FUNCTION_WORDS = {
    "de": frozenset(
        word_list("wegen bei ohne durch gegen mein meine meinem meiner meines unser unsere jemand jemanden jemandem")
    ),
    "fr": frozenset(word_list("contre sous entre près")),
}
# Words by which people ask or are polite; an answer without them lacks nothing.
COURTESY = frozenset(
    word_list(
        "must shall need needs needed right want wants like take takes taking go going come make makes know think ok "
        "okay true wrong allowed allow permitted legal illegal lawful happen happens possible really use "
        "give gives given put puts highest maximum lowest minimum "
        "first last les des une est non que qui pas mon mes son ses peut doit der die das ein eine ist nicht mein "
        "wer wem wen was wann wie warum welche welcher welches quoi quand comment combien pourquoi quel quelle"
    )
)
_AMOUNT_OF = _pattern(r"\bhow\s(?:much|many)\s(?P<first>[a-z]+)(?:\s(?P<second>[a-z]+))?")
_MONEY = frozenset(word_list("money cash dollar euro pound percent"))
_TIMES = frozenset(
    word_list(
        "day week month year hour minute quarter decade jour semaine mois an heure trimestre tag woche monat jahr "
        "stunde"
    )
)
_MOMENTS = frozenset(
    word_list("BEFORE AFTER WITHIN ON_OR_BEFORE ON_OR_AFTER EARLIER LATER SINCE DURING FROM LATEST EARLIEST")
)
# What a sentence is worth that lacks what was asked for. One without a figure hardly says how much or how long; one
# without a modal verb may still say who is free to do what.
_LACKING = {Want.AMOUNT: 0.75, Want.TIME: 0.75, Want.PERMISSION: 0.9, Want.DUTY: 0.9, Want.PERSON: 0.95}


def wants_of(question: str, language: str) -> frozenset[Want]:
    """The kinds of answer that a question asks for; none where it only tells something.

    Args:
        question: one sentence, or more; what is no question among several tells and asks nothing.
        language: of the question.
    """
    asks = _ASKS.get(primary_language(language), {})
    sentences = [one for one in re.findall(r"[^.!?]+[.!?]*", question) if one.strip()]
    asked = [one for one in sentences if one.rstrip().endswith("?")] or sentences[:1]
    found = {want for want, pattern in asks.items() if any(pattern.search(one.strip()) for one in asked)}
    if Want.TIME in found:
        found -= {Want.AMOUNT}  # "how many days"
    return frozenset(found)


def asking_words(question: str) -> frozenset[str]:
    """The words by which a question asks how much, how long, what may and what must be, in lower case."""
    return frozenset(word.lower() for match in _ASKING.finditer(question) for word in match.groups() if word)


def counted_things(question: str) -> list[frozenset[str]]:
    """What an English question asks the amount of, as stems of which an answer has one: "how much notice".

    Times and money are left out: figures give them under any name.
    """
    found = (
        frozenset(stem(word.lower()) for word in match.groups() if word) for match in _AMOUNT_OF.finditer(question)
    )
    return [one for one in found if not one & (_TIMES | _MONEY)]


def worth(sentence: str, wants: frozenset[Want], language: str) -> float:
    """How good a sentence is as an answer of the kinds wanted: 1 where it has them all, less for what it lacks."""
    if not wants:
        return 1.0
    reading = read_in(language, sentence)
    return min((_LACKING[want] for want in wants if not _gives(reading, want)), default=1.0)


def not_given(want: Want, question: str, answer: Sequence[str], language: str) -> bool:
    """Whether a question asks for this kind of answer and none of some sentences gives it."""
    if want not in wants_of(_WHEN.sub("", question), language):
        return False
    if want is Want.TIME:  # "after the tenant leaves" says when, and not how long
        return not any(_SOON.search(one) or _times(read_in(language, one)) for one in answer)
    return not any(_gives(read_in(language, one), want) for one in answer)


def _gives(reading: Reading, want: Want) -> bool:
    if want is Want.AMOUNT:
        return bool(reading.sequence(Kind.NUMBER)) or bool(reading.sequence(Kind.UNIT))
    if want is Want.TIME:
        return _times(reading) or bool(_MOMENTS.intersection(reading.sequence(Kind.COMPARATOR)))
    modal = reading.sequence(Kind.MODALITY) or reading.sequence(Kind.NEGATION)
    if want is Want.PERSON:
        return bool(modal) or bool(reading.sequence(Kind.PARTY))
    return bool(modal)


def _times(reading: Reading) -> bool:
    units = {part for unit in reading.sequence(Kind.UNIT) for part in (unit, *unit.split())}
    return bool(units & _TIMES)
