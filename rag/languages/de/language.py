"""German: what questions and answers need of it. Rules of annotation are in `rules.py`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache, partial

from rag.languages.base import (
    Contrasts,
    Families,
    Language,
    LanguageRules,
    Lexicon,
    LimitPhrases,
    ListWords,
    QuestionWords,
    Reading,
    StatementWords,
    Want,
    WordFile,
    pattern,
    read_defining,
    read_examples,
)  # fmt: skip
from rag.languages.stems import stemmer

_WORDS = WordFile(__name__)
_START = r"(?:\A|(?<=[,;:–—-]\s))[^\w,;:–—-]*(?:(?:und|aber)\s+)?"
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
    lasts=pattern(r"\bwie\s(?:lange|schnell|viel\szeit)\b"),
    recurs=pattern(r"\b(?:täglich|wöchentlich|monatlich|vierteljährlich|halbjährlich|jährlich)\w*\b"),
    times=_WORDS.words("questions", "times"),
    joined=pattern(r"[,;]?\sund\s(?=(?:wer|wem|wen|was|wann|wie|wo)\b)"),
    openers=_WORDS.words("questions", "openers"),
    within=_WORDS.words("questions", "within"),
    names_by_capital=False,
    meaning=pattern(
        r"""\A\W*(?:(?:und|aber|bitte|genau)\s)*(?:
              was\s(?:genau\s)?(?:bedeute[nt]|heißt|heißen|meint|bezeichnet)\s
                (?:(?:der\s)?(?:begriff|ausdruck)\s|das\swort\s)?(?P<means>.+)
            | was\s(?:versteht\s(?:man|das\sgesetz|das\srecht)|ist|sind|wird)\sunter\s
                (?P<under>.+?)(?P<where>(?:\s(?:im|in|nach|gemäß)\s.+?)?)(?:\s(?:zu\sverstehen|verstanden|gemeint))?
            | wie\s(?:ist|sind|wird|werden)\s(?:der\sbegriff\s)?
                (?P<defined>.+?)(?P<where2>(?:\s(?:im|in|nach)\s.+?)?)\sdefiniert
            | (?:(?:was|wie)\s(?:ist|lautet)\s)?(?:die\s)?(?:legal)?(?:definition|bedeutung)\s
                (?:von|vo[mn]|des|der|eine[sr])\s(?:begriffs\s)?(?P<of>.+)
            | (?:was|wer)\s(?:ist|sind|gilt\sals|gelten\sals)\s(?!(?:der|die|das|mein|dein|sein|ihr|unser)\b)(?P<is>.+)
        )\W*\Z"""
    ),
    under=pattern(r"\s(?:im\ssinne|in|im|nach|gemäß|laut)\b(?:\s(?:de[mrs]|von)\b)?(?:\s(?:gesetz(?:es)?|recht)\b)?"),
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
    law=pattern(
        rf"{_THIS}(?:gesetz(?:es|buch)?|abschnitts?|kapitels?|titels?|teils?|verordnung|satzung|ordnung"
        r"|richtlinie|vertrag(?:e?s)?|vereinbarung|(?:geschäfts)?bedingungen)\b"
    ),
    section=pattern(rf"{_THIS}(?:paragraph(?:en)?|artikels?|vorschrift|bestimmung)\b"),
    part=pattern(rf"{_THIS}(?:absatz(?:es)?|satz(?:es)?)\b"),
    units=(r"abs\.", r"(?:artikel[sn]?|absatz(?:es)?|absätzen?|paragraph(?:en)?)\b"),
    joints=("und", "oder", "sowie"),
    to=("bis",),
    placed=r"(?:des|dieses|dieser)\s(?:gesetzes|kapitels|titels|abschnitts)",
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

_LISTS = ListWords(
    either=r"oder|und/oder|beziehungsweise",
    both=r"und|sowie",
    any_of=pattern(r"\b(?:eine[rsmn]?\s(?:oder\smehrere\s)?der\sfolgenden | mindestens\seine[rsmn]?)\b"),
    whole=pattern(
        r"""\b(?:nur | lediglich | ausschließlich | allein | erst | alle[rn]?\sfolgenden? | sämtliche | jeweils | sowohl
            | beide[rn]? | voraussetzung(?:en)? | im\ssinne | bedeute[tn]? | (?:sind|ist)\W*\Z | versteht
            | (?:gilt|gelten)\sals
            | bestehend? | summe | insbesondere\szu\sberücksichtigen | berücksichtig(?:en|t)
            | der\s(?:höhere|höchste|niedrigere|niedrigste|geringere|größere|frühere|spätere))\b | ["“”«»„]"""
    ),
    exception=pattern(r"\b(?:es\ssei\sdenn | ausgenommen | außer | mit\sausnahme)\b"),
    ban=pattern(
        r"""\b(?:(?:darf|dürfen|kann|können)\s(?:[\w§]+\s){0,6}nicht
            | (?:ist|sind)\b[^,;:]{0,120}\bnicht\s(?:berechtigt|befugt))\W*\Z"""
    ),
    power=pattern(
        r"""\b(?:(?:darf|dürfen|kann|können)(?:\s(?!nicht|kein)[\w§]+){0,4}
            | (?:ist|sind)\b(?:(?!\bnicht\b)[^,;:]){0,120}\b(?:berechtigt|befugt|ermächtigt))\W*\Z"""
    ),
    duty=pattern(
        r"""\b(?:(?:hat|haben|muss|müssen|soll|sollen)(?:\s(?!nicht|kein)[\w§]+){0,4}
            | (?:ist|sind)\b(?:(?!\bnicht\b)[^,;:]){0,120}\bverpflichtet)\W*\Z"""
    ),
    modal_ban=pattern(r"\b(?:darf|dürfen)\b[^,;:]*\b(?:nicht|kein\w*)\b"),
    modal_power=pattern(r"\b(?:darf | dürfen | kann | können | berechtigt | befugt)\b"),
    modal_duty=pattern(r"\b(?:muss | müssen | soll | sollen | hat | haben | verpflichtet)\b"),
    opens=pattern(r"\b(?:wenn | falls | sofern | soweit | solange | sobald)\b"),
    denies=pattern(r"\b(?:nicht | kein\w* | ohne | weder | unterlässt)\b"),
    includes=pattern(r"\b(?:insbesondere)\W*\Z"),
    case=pattern(r"\A\W*(?:wenn | falls | sofern | soweit | im\sfalle?)\b"),
    act=pattern(r"\bzu\b|\w+zu\w+en\b"),
    leans=pattern(
        r"\b(?:im\sübrigen | sonstige\w* | andere\w* | solche\w* | dies(?:e[rnms]?|er)\b\s(?:gebühr|anzeige|mitteilung)"
        r" | nummern?\s\d | buchstaben?\s[a-z])(?!\w)"
    ),
    compares=pattern(r"\bsonst\W*\Z | \b(?:je\snachdem | falls\s(?:früher|später|höher|niedriger))\b"),
    rules=pattern(r"\bfolgende\s(?:\w+\s){0,2}(?:vorschriften|bestimmungen|regeln|maßgaben|begriffsbestimmungen)\b"),
    defines=pattern(r"""\A\W*?["„“»][^"“”«]{1,90}["“”«].{0,120}?\b(?:bedeutet|ist|sind|bezeichnet|umfasst)\b"""),
)


def _rules() -> LanguageRules:
    from rag.languages.de.rules import GERMAN

    return GERMAN


def _read(text: str, terms: Iterable[str]) -> Reading:
    from rag.languages.word_by_word import read_plain

    return read_plain(text, lexicon())


@cache
def lexicon() -> Lexicon:
    """The words of the operator reading."""
    from rag.languages.word_by_word import read_lexicon

    return read_lexicon(__name__, _more_numbers, _ordinals)


def _more_numbers(numbers: dict[str, int]) -> None:
    """Numbers in one word, as German writes them: up to 99, and round hundreds and thousands."""
    ones = {value: word for word, value in numbers.items() if 1 < value < 10} | {1: "ein"}
    tens = {word: value for word, value in numbers.items() if value >= 20}
    for word, value in tens.items():
        numbers |= {f"{ones[more]}und{word}": value + more for more in range(1, 10)}
    for name, scale in (("hundert", 100), ("tausend", 1_000)):
        numbers[name] = numbers[f"ein{name}"] = scale
        numbers |= {f"{word}{name}": value * scale for word, value in list(numbers.items()) if 1 < value < 100}


_IRREGULAR = {"eins": "ers", "drei": "drit", "acht": "ach"}


def _ordinals(numbers: Mapping[str, int]) -> dict[str, int]:
    """Ordinals up to 99 with their endings: "das siebte", "des zwanzigsten"; "siebente" is the older form of one."""
    stems = {
        f"{_IRREGULAR.get(word, word)}{'t' if value < 20 else 'st'}": value
        for word, value in numbers.items()
        if 0 < value < 100 and word not in {"ein", "eine"}
    }
    stems["siebt"] = 7
    return {f"{stem}{ending}": value for stem, value in stems.items() for ending in ("e", "en", "er", "es", "em")}


_STEM = stemmer("german")


def _stem(word: str) -> str:
    """The stem of the stem: "Zinsen" has the stem "zins", and "Zins" has "zin"."""
    return _STEM(_STEM(word))


@cache
def _contrasts() -> Contrasts:
    return _WORDS.contrasts(_stem)


_STATEMENTS = StatementWords(
    forbids=r"\b(?:verboten|untersagt|unzulässig|ausgeschlossen)",
    purpose=r"\b(?:zum zwecke?|zu dem zweck|zwecks|zur erfüllung|in der absicht|um(?=[^,;.]{3,80}\bzu\b))",
    without=r"\bohne\b",
    either=r"\boder\snicht(?=\s?(?:[,;.)]|\Z))",
    relative=r",\s(?:der|die|das|dem|den|deren|dessen|welche[rsmn]?)\b",
    alternative=r"oder",
    common=_WORDS.words("statements", "common"),
    matter=r"\b(?:hier|vorliegend|im vorliegenden fall|in unserem fall)\b",
    happened=r"\b(?:war|waren|hatten?|wurden?|(?:ist|sind|hat|haben) (?:\w+ ){0,6}(?:ge|be|ver)\w+(?:t|en))\b",
    joins=r"und|aber|doch",
    months=r"januar|februar|märz|april|mai|juni|juli|august|september|oktober|november|dezember",
    same_provision=(
        r"(?:die(?:se|selbe)?|der(?:selbe)?)\s(?:gleiche\s)?(?:vorschrift|bestimmung|norm|paragraph|"
        r"absatz|artikel)\b"
    ),
    author=_WORDS.words("statements", "author"),
)

LANGUAGE = Language(
    code="de",
    stem=_stem,
    examples=partial(read_examples, __name__),
    placeholders=_WORDS.placeholders(),
    search=_WORDS.search(),
    sentences=_WORDS.sentences(ordinals=True),
    questions=_QUESTIONS,
    limits=_LIMITS,
    lists=_LISTS,
    statements=_STATEMENTS,
    families=Families(
        _WORDS.endings(),
        prefix="ge",
        # "zurückzugeben", "zurückgegeben"; most words that begin with "zu" and "ge" have them for good.
        inside=re.compile(
            rf"(?:{'|'.join(f'(?<=^{word})' for word in _WORDS.listed('search', 'separable'))})"
            r"(?:zu(?=\w{3})|ge(?=\w{4}))"
        ),
        **_WORDS.roots("(?:ge)?", "(?:e?t|st)?"),
    ),
    rules=_rules,
    defining=partial(read_defining, __name__),
    read=_read,
    lexicon=lexicon,
    parts=_WORDS.parts("oder"),
    roles=_WORDS.roles(
        nouns_by_capital=True,
        verb_last=True,
        inner_infinitive=re.compile(rf"(?:{'|'.join(_WORDS.listed('search', 'separable'))})zu\w+n"),
    ),
    contrasts=_contrasts,
)
