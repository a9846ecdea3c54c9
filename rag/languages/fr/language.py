"""French: what questions and answers need of it. Rules of annotation are in `rules.py`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
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
from rag.languages.fr.singular import singular
from rag.languages.stems import stemmer

_WORDS = WordFile(__name__)
_START = r"(?:\A|(?<=[,;:–—-]\s))[^\w,;:–—-]*(?:(?:et|mais)\s+)?"
_THIS = r"\b(?:cet(?:te)?|ce|(?:du|le|la|au)\sprésent(?:e)?)\s"

_QUESTIONS = QuestionWords(
    asks={
        Want.AMOUNT: pattern(
            r"\bcombien\b(?!\sde\s(?:temps|jours|mois|semaines|ans)) | \bquel(?:le)?\s(?:montant|somme|taux)\b"
        ),
        Want.TIME: pattern(
            r"\bquand\b.*\? | \bcombien\sde\s(?:temps|jours|mois|semaines|ans)\b | \bquel\s(?:est\sle\s)?délai\b"
        ),
        Want.PERMISSION: pattern(r"\b(?:peut|puis|pouvons|peux|peuvent|pouvez)\b | \ble\sdroit\sd[e'’]"),
        Want.DUTY: pattern(r"\b(?:doit|dois|devons|doivent|devez|faut|obligé|tenu)\b"),
        Want.PERSON: pattern(rf"{_START}(?:qui|quel\stribunal|quelle\sautorité)\b"),
    },
    asking=pattern(
        r"\b(combien)\b | \b(qui|quoi|quelle?s?|quand|où|pourquoi)\b | \b(maximum|maximale?)\b"
        r" | \b(peut|peuvent|peux|doit|doivent|dois)\b"
    ),
    function=_WORDS.words("questions", "function"),
    courtesy=_WORDS.words("questions", "courtesy"),
    when=pattern(r"\bquand\b"),
    soon=pattern(
        r"\b(?:délai\w*|immédiat\w*|aussitôt|à\stout\smoment|perpétuel\w*|viager|à\svie)\b"
    ),
    lasts=pattern(r"\bcombien\sde\stemps\b"),
    recurs=pattern(r"\b(?:quotidien|hebdomadaire|mensuel|trimestriel|semestriel|annuel)\w*\b"),
    times=_WORDS.words("questions", "times"),
    joined=pattern(r"[,;]?\set\s(?=(?:qui|que|quel\w*|quand|combien|comment)\b)"),
    openers=_WORDS.words("questions", "openers"),
    within=_WORDS.words("questions", "within"),
    meaning=pattern(
        r"""\A\W*(?:(?:et|mais|donc)\s)*(?:
              qu['’]est-ce\s(?:que\sc['’]est\s)?(?:que\s|qu['’]\s?)(?:veut\sdire\s|signifie\s)?(?P<is>.+)
            | que\s(?:signifie(?:nt)?|veu(?:t|lent)\sdire|désigne(?:nt)?)\s(?:le\sterme\s)?(?P<means>.+)
            | (?:qu['’]entend-on|que\sfaut-il\sentendre|que\sdoit-on\sentendre)\spar\s(?P<by>.+)
            | (?:quelle\sest\s)?(?:la\s)?(?:définition|signification)\s(?:légale\s)?
                (?:de\sla\s|de\sl['’]|des\s|du\s|de\s|d['’])(?P<of>.+)
            | comment\s(?:est|sont)\sdéfini(?:e?s?)\s(?P<defined>.+)
        )\Z"""
    ),
    under=pattern(
        r"\s(?:au\ssens|dans|selon|en|d['’]après|aux\sfins|pour\sl['’]application)\b(?:\s(?:de|du|des|la|le|l['’]))*"
        r"(?:\s?(?:droit|loi|code)\b)?"
    ),
)  # fmt: skip

_LIMITS = LimitPhrases(
    against=pattern(r"\A\W*(?:toutefois|cependant|néanmoins|mais)\b"),
    opens=pattern(r"\A\W*(?:sauf|par\sdérogation|par\sexception)\b"),
    takes_back=pattern(
        r"""\bne\ss['’]applique(?:nt)?\s(?:pas|point)\b
          | \bn['’]est\s(?:pas|point)\s(?:applicable|requis|exig|nécessaire)
          | \bne\ssont\s(?:pas|point)\s(?:applicables|requis|exig|nécessaires)"""
    ),
    narrows=pattern(r"\b(?:ne\ss['’]applique(?:nt)?|n['’]est\sapplicable|ne\ssont\sapplicables)\squ(?:e\b|['’])"),
    prevails=pattern(r"\A\W*(?:nonobstant|par\sdérogation)\b[^,:;—]*"),
    precedes=pattern(r"\b(?:alinéa|article|paragraphe)\s(?:précédent|qui\sprécède)\b"),
    law=pattern(
        rf"{_THIS}(?:loi|code|règlement|chapitre|titre|livre|partie|section|division|décret|arrêté|convention"
        r"|contrat|accord)\b"
    ),
    section=pattern(rf"{_THIS}(?:article|disposition)\b"),
    part=pattern(rf"{_THIS}(?:paragraphe|alinéa)\b"),
    units=(r"(?:articles?|sections?|paragraphes?|alinéas?|parts?)\b",),
    joints=("et", "ou"),
    to=("à", "au"),
    placed=r"(?:du|de\sla|des)\sprésente?",
    leans=pattern(
        r"\A\W*(?:toutefois | cependant | néanmoins | ils?(?!\s(?:est|y|peut|ne\speut)\b) | elles? | celui-ci"
        r" | celle-ci | dans\sce\scas | à\sdéfaut)\b"
    ),
    changes=pattern(
        r"\b(?:est|sont|être|sera|seront)\s(?:alors\s)?"
        r"(?:prolongé|prorogé|réduit|majoré|diminué|augmenté|doublé)e?s?\b"
    ),
    amending=pattern(
        r"""\b(?:est|sont)\s(?:ainsi\s)?(?:remplacée?s?|insérée?s?|rédigée?s?|complétée?s?)\b(?=.{0,400}[«“"])"""
    ),
    reference=pattern(
        r"(?:§+|\b(?:articles?|arts?|paragraphes?|alinéas?|chapitres?|titres?|parts?|sections?)\b\.?)"
        r"\s*(?:[lrd]\.\s?)?\(?\d[\w.()\[\]–-]*(?:\s?(?:,|et|ou|à)\s\(?\d[\w.()–-]*)*|\(\w{1,4}\)"
    ),
    words=_WORDS.words("limits", "words"),
)

_ASIDE = r"(?:,\s(?:et\s)?(?:par|sans|même|avec|en|dans|sous|après|avant|sur|pour|selon|au|à)\b[^,:;]{1,120}){0,3},?"
_LISTS = ListWords(
    either=r"ou(?:\sbien)?|et/ou|soit",
    both=r"et",
    any_of=pattern(r"\b(?:une?\s(?:ou\splusieurs\s)?des[^:;]{1,60}\ssuivant(?:e?s)?)\W*\Z"),
    whole=pattern(
        r"""\b(?:seulement | uniquement | exclusivement | seuls? | seules? | chacun | chacune | ensemble | cumulative\w*
            | tou(?:s|tes)\sles | conditions? | désigne(?:nt)? | entend(?:ent)? | constitu\w+ | consiste(?:nt)?
            | compren(?:d|nent)
            | réputée?s? | critères? | compte | somme | total
            | plus\s(?:faible|élevée?|petite?|grande?|tôt|tard))\b
          | \bn(?:e\s|['’])[^.:;]{0,160}\bqu(?:e\b|['’]) | ["“”«»„]"""
    ),
    exception=pattern(r"\b(?:sauf | excepté | exception | exclusion | à\smoins\sque? | hormis | sous\sréserve)\b"),
    ban=pattern(
        rf"""\b(?:n(?:e\s|['’])(?:peut|peuvent|doit|doivent|pourra|saurait)(?:\s(?:pas|jamais|en\saucun\scas))?
            | il\sest\s(?:interdit|défendu)[^:;]{{0,80}}\bd[e'’]){_ASIDE}\W*\Z"""
    ),
    power=pattern(
        rf"""(?<!\bne\s)\b(?:peut | peuvent | pourra | pourront | (?:est|sont)\s(?:autorisé|habilité)e?s?\sà
            | a\sle\sdroit\sd[e'’]){_ASIDE}\W*\Z"""
    ),
    duty=pattern(
        rf"""(?<!\bne\s)\b(?:doit | doivent | (?:est|sont)\s(?:tenu|obligé)e?s?(?:\s(?:d[e'’]|à))?
            | a\sl['’]obligation\sde | (?:est|sont)\schargée?s?(?:\sd[e'’])?){_ASIDE}\W*\Z"""
    ),
    modal_ban=pattern(r"\bn(?:e\s|['’])(?:peut|peuvent|doit|doivent|pourra|saurait)\b"),
    modal_power=pattern(r"(?<!\bne\s)\b(?:peut | peuvent | pourra | pourront)\b"),
    modal_duty=pattern(r"(?<!\bne\s)\b(?:doit | doivent | tenue?s? | obligée?s?)\b"),
    opens=pattern(
        r"""\b(?:si | s['’]ils? | lorsque | lorsqu['’] | quand | (?:dans\sle|au|en)\scas\s(?:où|de) | qui | dont
            | que)(?!\w)"""
    ),
    relative=pattern(r"(?:qui|dont|que)\Z"),
    denies=pattern(r"\b(?:ne\b | n['’] | sans\b | aucune?\b | ni\b)"),
    includes=pattern(r"\bnotamment\W*\Z"),
    case=pattern(
        r"""\A\W*(?:si\b | s['’]il | lorsqu | quand\b | en\scas\b | dans\sles?\scas\b | au\scas\b | dès\b | par\b
            | à\sdéfaut\b)"""
    ),
    leans=pattern(
        r"\b(?:autres?\scas | ce(?:tte|t)?\s(?:taxe|somme|avis|notification|délai) | ces\sderni\w+ | ledit | ladite"
        r" | au\s\d+° | du\s\d+°)(?!\w)"
    ),
    compares=pattern(r"\bs['’]ils?\s(?:est|sont)\splus\b"),
    rules=pattern(r"\b(?:dispositions|règles|définitions)\ssuivantes\b"),
    defines=pattern(r"""\A\W*?["“«][^"”»]{1,90}["”»].{0,120}?\b(?:désigne|signifie|est|sont|s['’]entend)\b"""),
)


def _rules() -> LanguageRules:
    from rag.languages.fr.rules import FRENCH

    return FRENCH


def _read(text: str, terms: Iterable[str]) -> Reading:
    from rag.languages.word_by_word import read_plain

    return read_plain(text, lexicon())


@cache
def lexicon() -> Lexicon:
    """The words of the operator reading."""
    from rag.languages.word_by_word import read_lexicon

    return read_lexicon(__name__, _more_numbers)


def _more_numbers(numbers: dict[str, int]) -> None:
    """Numbers up to 99, with the words that multiply; hyphens are written out by the reader."""
    tens = {word: value for word, value in numbers.items() if value >= 20}
    ones = {value: word for word, value in numbers.items() if value < 20}
    ones |= {value: f"dix-{ones[value - 10]}" for value in (17, 18, 19)}
    numbers |= {ones[value]: value for value in (17, 18, 19)}
    for word, value in tens.items():
        most = 20 if value in {60, 80} else 10  # "soixante-douze", "quatre-vingt-treize"
        numbers |= {f"{word}-{ones[more]}": value + more for more in range(1, most)}
        numbers[f"{word} et un"] = numbers[f"{word}-et-un"] = value + 1
    numbers["soixante et onze"] = numbers["soixante-et-onze"] = 71


_STEM = stemmer("french")
_KEPT = _WORDS.words("stems", "kept")


def _stem(word: str) -> str:
    """The stem of the singular: the stemmer would part "travaux" and "travail", "loyers" and "loyer"."""
    plain = singular(word)
    return plain if plain in _KEPT else _STEM(plain)


@cache
def _contrasts() -> Contrasts:
    # After `que` and a preposition `ne` denies nothing: "ne pourra disposer que par testament".
    restricts = re.compile(
        r"\bn(?:e\s|['’])(?P<kept>(?:(?!pas\b|point\b|jamais\b|plus\b)[^\W\d_]+\s){1,3})qu(?:e\s|['’])"
        r"(?=(?:par|pour|si|s['’]|jusqu|à|au|aux|après|sur|dans|en|lorsqu|de|du|des|avec|sous|contre|à\spartir)(?:\b|['’]))",
        re.IGNORECASE,
    )
    return replace(_WORDS.contrasts(_stem), restricts=restricts, only="seulement")


_STATEMENTS = StatementWords(
    forbids=r"\b(?:interdit|défendu|prohibé|null?e?s?\b)",
    purpose=r"\b(?:afin (?:de|d'|que|qu')|aux fins d|à des fins|en vue d|dans le but d|à seule fin)",
    without=r"\bsans\b",
    either=r"\bou\snon\b",
    relative=r"\b(?:qui|que|qu'|dont|lequel|laquelle|lesquel(?:le)?s)\b",
    alternative=r"ou",
    common=_WORDS.words("statements", "common"),
    matter=r"\b(?:ici|en l['’]espèce|dans notre cas|pour notre client)\b",
    happened=(
        r"\b(?:était|étaient|avait|avaient|(?:a|ont|n['’]a|n['’]ont)(?: pas| jamais| rien)? (?:été|fait|"
        r"\w+é))\b"
    ),
    joins=r"et|mais",
    months=r"janvier|février|mars|avril|mai|juin|juillet|août|septembre|octobre|novembre|décembre",
    same_provision=r"(?:le|la|l['’]|ce|cet|cette)\s?(?:même\s)?(?:texte|article|alinéa|disposition)\b",
    author=_WORDS.words("statements", "author"),
)

LANGUAGE = Language(
    code="fr",
    stem=_stem,
    examples=partial(read_examples, __name__),
    placeholders=_WORDS.placeholders(),
    search=_WORDS.search(
        # "doit-il", "puis-je", "y a-t-il": full-text search would take each for a word of its own.
        joined=(
            re.compile(
                r"(?<=\w)-(?:t-)?(?:je|tu|ils?|elles?|on|nous|vous|ce|moi|toi|lui|leur|les?|la|y|en|ci|là)\b",
                re.IGNORECASE,
            ),
            re.compile(r"\b(?:[cdjlmnst]|(?:jus|lors|puis|quoi)?qu)['’](?=\w)", re.IGNORECASE),
        ),
        splits=((re.compile(r"\A([cdjlmnst]|(?:jus|lors|puis|quoi)?qu)'(?=\w)"), r"\1 "),),
    ),
    sentences=_WORDS.sentences(),
    questions=_QUESTIONS,
    limits=_LIMITS,
    lists=_LISTS,
    statements=_STATEMENTS,
    families=Families(_WORDS.endings(), **_WORDS.roots(behind="(?:ent)?")),
    rules=_rules,
    defining=partial(read_defining, __name__),
    read=_read,
    lexicon=lexicon,
    parts=_WORDS.parts("ou"),
    roles=_WORDS.roles(unaccented={"A": "à"}),
    contrasts=_contrasts,
)
