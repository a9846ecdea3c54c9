"""German: what questions and answers need of it. Rules of annotation are in `rules.py`."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache, partial

from rag.languages.base import (
    Contrasts,
    Families,
    Language,
    LanguageRules,
    LimitPhrases,
    QuestionWords,
    Reading,
    Want,
    WordFile,
    pattern,
    read_examples,
)  # fmt: skip
from rag.languages.stems import stemmer

_WORDS = WordFile(__name__)
_START = r"(?:\A|(?<=[,;:–—-]\s))\W*(?:(?:und|aber)\s+)?"
_THIS = r"\bdiese[rsnm]?\s"

_QUESTIONS = QuestionWords(
    asks={
        Want.AMOUNT: pattern(r"\bwie\s?viel(?!\szeit)e?n?\b | \bwie\shoch\b | \bwelche[rn]?\s(?:betrag|höhe)\b"),
        Want.TIME: pattern(rf"{_START}(?:bis\s)?wann\b | \bwie\s(?:lange|oft|schnell|viel\szeit)\b | \bfrist\b"),
        Want.PERMISSION: pattern(r"\b(?:darf|dürfen|kann|können|erlaubt)\b"),
        Want.DUTY: pattern(r"\b(?:muss|müssen|soll|sollen|verpflichtet)\b"),
        Want.PERSON: pattern(rf"{_START}(?:wer|wem|wen|welches\sgericht|welche\sbehörde)\b"),
    },
    asking=pattern(
        r"\bwie\s?(viele?n?|hoch|lange|oft|schnell)\b | \b(wer|wem|wen|wessen|wann|wo|warum|welche[rsmn]?)\b"
        r" | \b(maximum|maximale?[rsn]?|höchste[rsn]?)\b | \b(darf|dürfen|kann|können|muss|müssen)\b"
    ),
    function=_WORDS.words("questions", "function"),
    courtesy=_WORDS.words("questions", "courtesy"),
    when=pattern(r"(?<!bis\s)\bwann\b"),
    soon=pattern(r"\b(?:unverzüglich\w*|sofort\w*|umgehend\w*|jederzeit|lebens\w*|unbefristet\w*)\b"),
    times=_WORDS.words("questions", "times"),
    joined=pattern(r"[,;]?\sund\s(?=(?:wer|wem|wen|was|wann|wie|wo)\b)"),
    openers=_WORDS.words("questions", "openers"),
    within=_WORDS.words("questions", "within"),
    names_by_capital=False,
)

_LIMITS = LimitPhrases(
    against=pattern(r"\A\W*(?:jedoch|dennoch)\b"),
    opens=pattern(r"\A\W*(?:abweichend|ausgenommen|es\ssei\sdenn)\b"),
    takes_back=pattern(
        r"""\b(?:gilt|gelten)\b[^.;]{0,60}\bnicht\b | \b(?:findet|finden)\b[^.;]{0,60}\bkeine\sanwendung\b
          | \b(?:ist|sind)\b[^.;]{0,60}\bnicht\s(?:anzuwenden|anwendbar|erforderlich)\b
          | \b(?:entfällt|entfallen)\b"""
    ),
    narrows=pattern(r"\b(?:gilt|gelten)\snur\b | \b(?:ist|sind|findet|finden)\snur\b[^.;]{0,80}\banw"),
    prevails=pattern(r"\A\W*(?:abweichend|ungeachtet)\b[^,:;—]*"),
    precedes=pattern(r"\b(?:vorstehende|vorhergehende|vorige)[nrms]?\s(?:absatz|artikel|paragraph|vorschrift)"),
    law=pattern(rf"{_THIS}(?:gesetz(?:es|buch)?|abschnitts?|kapitels?|titels?|teils?|verordnung)\b"),
    section=pattern(rf"{_THIS}(?:paragraph(?:en)?|artikels?|vorschrift|bestimmung)\b"),
    part=pattern(rf"{_THIS}(?:absatz(?:es)?|satz(?:es)?)\b"),
    units=(r"abs\.", r"(?:artikel[sn]?|absatz(?:es)?|absätzen?|paragraph(?:en)?)\b"),
    joints=("und", "oder", "sowie"),
    to=("bis",),
    placed=r"(?:des|dieses|dieser)\s(?:gesetzes|kapitels|titels|abschnitts)",
    conditions=pattern(
        r"""\b(?:wenn | sofern | falls | soweit | unter\sder\s(?:bedingung|voraussetzung)
            | folgende\svoraussetzungen)\b"""
    ),
    exceptions=pattern(r"\b(?:es\ssei\sdenn | ausgenommen | außer)\b"),
    together=pattern(
        r"""\bder\s(?:höhere|höchste|niedrigere|niedrigste|geringere|größere)\b | \b(?:alle|sämtliche)\sfolgenden?\b"""
    ),
    cumulative=pattern(r"\b(?:und|sowie)\W*\Z"),
    leans=pattern(
        r"\A\W*(?:jedoch | dies(?=\s(?:gilt|ist)\b) | das\sgleiche | in\sdiesem\sfall | in\sdiesen\sfällen"
        r" | andernfalls)\b"
    ),
    changes=pattern(r"\b(?:verlängert|verkürzt|erhöht|vermindert|ermäßigt|verringert)\s(?:und\s\w+\s)?sich\b"),
    amending=pattern(
        r"\bwird\swie\sfolgt\sgefasst\b"
        r' | \b(?:wird|werden)\b.{0,200}["„“].{0,400}\b(?:eingefügt|ersetzt|gestrichen)\b'
    ),
    reference=pattern(
        r"(?:§+|\b(?:artikel[sn]?|arts?|absatz(?:es)?|absätzen?|abs|satz(?:es)?|nummern?|nr|kapitels?|titels?|teils?)"
        r"\b\.?)\s*\(?\d[\w.()\[\]–-]*(?:\s?(?:,|und|oder|bis)\s\(?\d[\w.()–-]*)*|\(\w{1,4}\)"
    ),
    words=_WORDS.words("limits", "words"),
)


def _rules() -> LanguageRules:
    from rag.languages.de.rules import German

    return German()


def _read(text: str, terms: Iterable[str]) -> Reading:
    from rag.languages.de.operator_words import GERMAN
    from rag.languages.word_by_word import read_plain

    return read_plain(text, GERMAN)


_STEM = stemmer("german")


def _stem(word: str) -> str:
    """The stem of the stem: "Zinsen" has the stem "zins", and "Zins" has "zin"."""
    return _STEM(_STEM(word))


@cache
def _contrasts() -> Contrasts:
    return _WORDS.contrasts(_stem)


LANGUAGE = Language(
    code="de",
    stem=_stem,
    examples=partial(read_examples, __name__),
    search=_WORDS.search(),
    sentences=_WORDS.sentences(ordinals=True),
    questions=_QUESTIONS,
    limits=_LIMITS,
    families=Families(_WORDS.endings(), prefix="ge"),
    rules=_rules,
    read=_read,
    parts=_WORDS.parts("oder"),
    contrasts=_contrasts,
)
