"""What the French words of a definition look like: "on entend par X", "X s'entend de", "est qualifié de X", items.

Fictions and presumptions ("est réputé", "est présumé") define nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

_I = re.IGNORECASE
_OPEN, _CLOSE = r"[\"«“”]\s{0,2}", r"\s{0,2}[\"»”“]"
# Atomic: where the spaces belong must not be tried anew for each of a run of quotations.
_QUOTED = rf"(?>{_OPEN}[^\"«»“”\n]{{1,100}}?{_CLOSE})"
_QUOTE = re.compile(rf"{_OPEN}(?P<term>[^\"«»“”\n]{{1,100}}?){_CLOSE}")
_QUOTES = rf"{_QUOTED}(?:\s{{0,2}}(?:,|et|ou)\s{{1,2}}(?:(?:par|d['’]|de|les?|la)\s{{0,2}})?{_QUOTED}){{0,9}}"
_DETERMINER = r"(?:(?:l['’])|(?:les?|la|une?|des|du|d['’]|tout|toute|tous|toutes|ces?|cette)\s{1,2})"
# A term written without marks: a few words up to what introduces its meaning.
_BARE = r"(?P<bare>[^\s,;:.()\"«»“”]{2,40}(?: [^\s,;:.()\"«»“”]{1,40}){0,6}?)"
_MEANING = (
    r"(?=\s{0,2}[,:]|\s(?:les?|la|l['’]\w+|une?|des|tout|toute|tous|toutes|celles?|celui|ceux|ce qui|l['’]ensemble)\s"
    r"|\sl['’])"
)
_SENSE = r"(?=,? (?:au sens (?:d|et)|pour l['’]application d))"

# What is defined, after its name: "toute personne qui", "celui qui", "l'acte par lequel".
_THING = r"(?=(?:toute?s?|tous|les?|la|une?|celui|ceux|celles?|chacune?|ce qui)\s|l['’])"
_START = r"(?:\A|(?<=[.;°]\s)|(?<=\n))"
_NO_LINK = r"(?<!\sà)(?<!\sde)(?<!\spour)(?<!\sdans)(?<!\spar)(?<!\ssur)(?<!\set)(?<!\sou)(?<!\sen)(?<!\sau)(?<!\saux)"
# "considérés comme", and what may stand before it.
_COUNTED = r"(?:considérée?s?|regardée?s?) comme"
_IS_COUNTED = rf"(?<!pas )\b(?:est|sont) (?:également |aussi )?{_COUNTED}"
# "Sont soumis au code les marchés au sens de": what has a subject of its own is a predicate and no term.
_NO_SUBJECT_INSIDE = (
    r"(?![^,;.]{0,80}?[^\W\d_]\s(?:les?\s|la\s|l['’]|une?\s|ceux\s|celui\s|celles?\s|toute?\s)[^,;.]{0,80}?"
    r"\s(?:au sens|pour l['’]application)\s)"
)
_NO_SENSE = r"(?![^,;.]{0,80}\s(?:au sens|pour l['’]application)\s)"

Form = Literal["named", "law", "inline", "reference"]


@dataclass(frozen=True, slots=True)
class _Pattern:
    """A way to define. `form` decides the scope of a definition without a phrase."""

    form: Form
    relation: str
    pattern: re.Pattern[str]


_PATTERNS = (
    _Pattern("named", "means", re.compile(
        rf"\b(?:on entend|il (?:faut|convient d['’])\s?entendre|il y a lieu d['’]entendre|s['’]entend(?:ent)?)"
        rf"(?: également)? par\s{{1,3}}{_DETERMINER}?(?:(?P<quoted>{_QUOTES})|{_BARE}{_MEANING})", _I)),
    _Pattern("named", "means", re.compile(
        rf"\bpar\s{{1,2}}{_DETERMINER}?(?P<quoted>{_QUOTES}),?\s{{1,2}}(?:on entend|il (?:faut"
        rf"|convient d['’])\s?entendre)",
        _I)),
    _Pattern("named", "excludes", re.compile(
        rf"\bne (?:sont|constituent|constitue"
        rf"|est) pas (?:considérée?s? )?(?:comme )?{_DETERMINER}?{_BARE}{_SENSE}", _I)),
    _Pattern("named", "means", re.compile(
        rf"{_IS_COUNTED} (?:étant )?(?!ayant\b|n['’]|en\b){_DETERMINER}?"
        rf"(?:(?P<quoted>{_QUOTED})|{_BARE}){_SENSE}", _I)),
    _Pattern("named", "means", re.compile(
        rf"{_START}(?:Constitue(?:nt)?|Forme(?:nt)?|(?:Sont|Est)(?=\s{_NO_SUBJECT_INSIDE}))\s(?:de\s)?{_DETERMINER}?"
        rf"(?:(?P<quoted>{_QUOTED})|(?!considéré|regardé|réputé|présumé|assimilé|nulle?|applicable){_BARE}){_SENSE}")),
    _Pattern("named", "means", re.compile(
        r"(?:\A|(?<=[.;]\s))(?:Une?|Le|La)\s(?P<bare>[\w-]{3,40} est [\w-]{3,40})(?= au sens d)")),
    _Pattern("named", "means", re.compile(
        rf"{_START}Constitue(?:nt)?\s{_DETERMINER}{_NO_SENSE}(?!délit|crime|contravention|infraction|circonstance|motif)"
        rf"{_BARE}{_NO_LINK}(?=,?\s{_THING})")),
    _Pattern("named", "means", re.compile(
        rf"{_START}(?:Est|Sont)\s{_COUNTED} (?:étant )?{_DETERMINER}?{_NO_SENSE}"
        rf"(?!n['’]|ayant\b(?! la qualité))(?:ayant la qualité (?:de\s|d['’]))?{_BARE}{_NO_LINK}"
        rf"(?=,?\s{_THING}|,\s[^,;.]{{1,60}},\s{_THING}|\s?:|\spour\s)")),
    _Pattern("named", "includes", re.compile(
        rf"{_START}(?:Est|Sont)\s(?:également|aussi|en outre)\s{_COUNTED} {_DETERMINER}?{_NO_SENSE}(?!n['’]|ayant\b)"
        rf"{_BARE}{_NO_LINK}(?=,|\s{_THING})")),
    _Pattern("named", "means", re.compile(
        rf"{_START}(?:Les?|La|L['’])\s?{_BARE} consiste(?:nt)? dans (?:les?\s|la\s|l['’]|tout)")),
    _Pattern("named", "means", re.compile(
        rf"\b(?:est|sont) (?:considérée?s?|regardée?s?), (?:au sens|pour l['’]application) [^,;.]{{3,80}}, comme "
        rf"(?!ayant|étant|n['’]|en\b){_DETERMINER}?{_BARE}"
        rf"(?=[.,;:]|\s(?:de la|du|des|dans|par|lorsqu\w*|si|dès|relati\w+)\b|\sde l['’]|\s*\Z)", _I)),
    _Pattern("named", "means", re.compile(
        rf"{_START}(?:Est\sune?|Sont\sdes)\s{_NO_SENSE}(?!délit|crime|contravention|infraction){_BARE}{_NO_LINK}(?=\s{_THING})")),
    # Without "au sens de" the words add to what is known under the name: "est considéré comme du travail de nuit".
    _Pattern("named", "includes", re.compile(
        rf"{_IS_COUNTED} (?:du |de la |de l['’]|des ){_BARE}"
        rf"(?=[.;:]|\s*\Z|\s(?:lorsqu\w*|si|dès)\b)", _I)),
    _Pattern("named", "includes", re.compile(
        rf"{_IS_COUNTED} (?P<bare>(?!ayant|étant|non|nulle?)[\w-]{{3,40}}"
        r"(?: (?!lorsqu|si\b|dès\b)[\w'’-]{1,40}){1,5}?)(?=\s(?:lorsqu\w*|si|dès lors que?)\b)", _I)),
    _Pattern("named", "means", re.compile(
        rf"\b(?:est|sont) qualifiée?s? (?:de |d['’]|des ){_BARE}{_NO_LINK}(?=,?\s{_THING}|[.,;:]|\s*\Z)", _I)),
    _Pattern("named", "means", re.compile(
        rf"{_START}(?:Est|Sont)\s(?P<bare>[\w-]{{3,40}}(?:eur|euse|trice|çant|çante|iste|cien|cienne|ier|ière)s?)"
        r"(?=\s(?:ceux|celles?|celui|toute personne|les personnes)\b)")),
    _Pattern("named", "means", re.compile(
        rf"\bon désigne (?:par|sous le nom de)\s{{1,2}}{_DETERMINER}?(?P<quoted>{_QUOTES})", _I)),
    _Pattern("named", "means", re.compile(
        rf"{_START}Par\s{{1,2}}{_DETERMINER}?{_BARE},?\s(?:on entend|il faut entendre)\b")),
    _Pattern("named", "reference", re.compile(
        rf"(?P<quoted>{_QUOTES})\s{{0,2}}(?:a|ont)\s(?:(?:le|la)\s)?(?:même\s)?(?:sens|signification)\b", _I)),
    _Pattern("law", "means", re.compile(
        rf"{_START}(?:Les?|La|L['’]|Une?)\s?(?P<bare>[\w-]{{2,40}}(?: [\w'’-]{{1,40}}){{0,5}}?)"
        r" (?:est|sont) (?:définie?s?|entendue?s?|comprise?s?) comme\b")),
    _Pattern("named", "means", re.compile(
        rf"(?:\b(?:l['’]expression|(?:les? )?(?:termes?|mots?|expressions|vocables?)|la (?:notion"
        rf"|locution) (?:de|d['’]))"
        rf"\s{{0,2}}(?:suivants?\s)?)?(?P<quoted>{_QUOTES})\s{{0,2}}(?:,[^,;.]{{1,90}},)?\s{{0,2}}"
        rf"(?:s['’]entend(?:ent)?|désigne(?:nt)?|signifie(?:nt)?|recouvre(?:nt)?|vise(?:nt)?)\b", _I)),
    _Pattern("named", "includes", re.compile(
        rf"(?P<quoted>{_QUOTES})\s{{0,2}}(?:compren(?:d|nent)|inclu(?:t|ent)|s['’]étend(?:ent)?)\b", _I)),
    _Pattern("named", "means", re.compile(
        r"(?:\A|(?<=[.;,]\s))(?:Les?|La|L['’]|Une?|les?|la|l['’]|une?)\s?(?P<bare>(?!expression|termes?|mots?)[\w-]{2,40}"
        r"(?: [\w'’-]{1,40}){0,5}?) s['’]entend(?:ent)? (?!au sens|sur|pour)(?:d|comme|par)")),
    _Pattern("law", "means", re.compile(
        rf"\b(?:s['’]appelle(?:nt)?|on appelle|est appelée?|sont appelée?s|est dite?|sont dite?s)(?: alors"
        rf"| ici)?\s{{1,2}}"
        rf"{_DETERMINER}?(?P<quoted>{_QUOTED}(?:,? (?:et|ou)(?: simplement)? {_QUOTED})?)", _I)),
    _Pattern("law", "means", re.compile(
        rf"\bon appelle\s{{1,2}}{_DETERMINER}?{_BARE}(?=\s(?:les?|la|l['’]|celles?|celui|ceux|toute?)\s?)", _I)),
    _Pattern("law", "means", re.compile(
        r"\bs['’]appelle(?:nt)?\s{1,2}(?:une?|le|la|des"
        r"|les)\s{1,2}(?P<bare>[\w-]{3,40}(?: [\w-]{2,40}){0,2})(?=[.,;])", _I)),
    _Pattern("inline", "means", re.compile(
        rf"\b(?:ci-(?:après|dessous)|dans (?:la|le) présente?\s\w{{3,14}})[ ,:]{{0,3}}(?:dénommée?s?|désignée?s?"
        rf"|appelée?s?"
        rf"|nommée?s?|qualifiée?s?|dite?s?)?(?: (?:par|sous)(?: le (?:terme|nom)| l['’]appellation)?(?: de)?)?\s{{0,2}}"
        rf"{_DETERMINER}?(?P<quoted>{_QUOTES})", _I)),
    _Pattern("inline", "means", re.compile(
        rf"\b(?:dénommée?s?|désignée?s? (?:par|sous) (?:le (?:terme|nom)|l['’]appellation)(?: de)?)"
        rf"(?: ci-(?:après|dessous))?\s{{1,2}}{_DETERMINER}?(?P<quoted>{_QUOTES})", _I)),
    _Pattern("inline", "means", re.compile(rf"[,(]\s?dite?s?\s{{1,2}}{_DETERMINER}?(?P<quoted>{_QUOTES})", _I)),
    _Pattern("inline", "means", re.compile(rf"(?<=[\w»”])\s\(\s?{_DETERMINER}?(?P<quoted>{_QUOTED})\s?\)", _I)),
)  # fmt: skip
# Every pattern above needs one of these; most alinéas have none.
_CUES = (
    "entend", "au sens", "application d", "appel", '"', "«", "“", "”", "constitue", " comme ", "qualifié", " ceux ",
    " celui ", " celle", "personne", "est un", "sont des", "consiste",
)  # fmt: skip
_GENUS = (
    "accords? actes? action affectation aliénation appropriation attribution autorisation avantages? bail biens? "
    "choses? communication compensation condition contestation contrats? conventions? créances? dessaisissement "
    "disposition dispositions donation droits? déclaration délai dépôt détention engagement ensemble état "
    "événement exercice "
    "extinction faculté faits? fiction garanties? individus? intérêt jouissance juridiction lien libéralité "
    "mandats? manifestations? manière mesures? mission mode moyens? "
    "obligations? offre opérations? organisme pacte part permission personne? possibilité pouvoir procédés? "
    "procédure prêt "
    "qualité quotité rapport reconnaissance règle remise renonciation retrait réunion situation somme stipulation "
    "soustraction altération falsification écrits? surfaces? "
    "sûretés? technique temps traité transfert transport union valeur vente êtres?"
)
_COPULA = re.compile(
    r"(?:Le|La|L['’]|Les|Une?)\s?(?P<bare>(?P<head>[\w-]{3,40})"
    r"(?: (?!(?:qui|que|dont|il|elle|est|sont|ne|a|ont|si|tel|telle|régie?s)\b|[nsm]['’])[\w'’-]{1,40}){0,5}?),?"
    r" (?:est|sont) (?:une?|le|la|l['’]|des|les|celui|celles?|ceux)\s?(?:(?:simple|seule?|véritable) )?"
    rf"(?:(?<=celui)|(?<=celle)|(?<=ceux)|(?<=celui )|(?<=celle )|(?<=celles )|(?<=ceux )"
    rf"|(?:{'|'.join(_GENUS.split())}|(?P=head)s?)\b)"
)
# The same among definitions, where any noun says what a thing is: "Un candidat est un opérateur qui ...".
_AMONG = re.compile(
    r"(?:Les?|La|L['’]|Une?)\s?(?P<bare>[\w-]{3,40}"
    r"(?: (?!(?:qui|que|dont|il|elle|est|sont|ne|a|ont|si|tel|telle|régie?s)\b|[nsm]['’])[\w'’-]{1,40}){0,5}?)"
    r" (?:(?:est|sont) (?:(?:une?|les?|la|des|celui|celles?|ceux)\s|l['’])|(?:a|ont) pour objet\b)"
)
# After words that say where it holds, any copula defines: "Pour l'application du présent titre, l'équipe est un ...".
_LED_COPULA = re.compile(
    r"(?:\A|(?<=[.;]\s)|(?<=\n))(?:Pour l['’](?:application|exécution)|Au sens|Aux fins)\s"
    r"(?:[^,;.]|(?<=[LRDA])\.){3,100},\s(?:les?\s|la\s|l['’]|une?\s)(?P<bare>[\w-]{3,40}"
    r"(?: (?!(?:qui|que|dont|il|elle|est|sont|ne|a|ont|si|tel|telle|régie?s)\b|[nsm]['’])[\w'’-]{1,40}){0,5}?)"
    r" (?:est|sont) (?:(?:une?|les?|la|des|celui|celles?|ceux)\s|l['’])"
)
_LISTING = re.compile(r"(?:Les?|La|L['’]|Une?)\s?(?P<bare>[\w-]{3,40}(?: [\w'’-]{1,40}){0,4}?) (?:est|sont)\s?:\s*\Z")
_THINGS = re.compile(r"\s*(?:-\s?)?(?:(?:les?|la|une?|des|toute?s?|tous|ceux|celles?|celui)\s|l['’])", _I)
# A subject of its own ("le présent", "ce"), or a fact told and not a term.
_NO_SUBJECT = re.compile(
    r"\A(?:présente?|même|juge|tribunal|délai|demande|dispositions?|créancier|débiteur|père|président|preuve"
    r"|charge|loi)\b",
    _I,
)
_FICTION = re.compile(r"\b(?:réputée?s?|présumée?s?|censée?s?|regardée?s? comme (?:n['’]|non))\b", _I)
LIST_LEAD = re.compile(
    r"\b(?:on entend(?: par)?|s['’]entend(?:ent)?(?: comme)?|il (?:faut|convient d['’])\s?entendre(?: par)?"
    r"|définitions? (?:suivantes?|ci-après)|(?:termes?|expressions?|mots?)[^.;]{0,60}(?:suivants?|ci-après)"
    r"|(?:sont|est) (?:considérée?s?|regardée?s?|définie?s?) comme"
    r"|(?:définie?s?|désignée?s?) comme suit|ont (?:la|le) (?:signification|sens) suivante?)[^.;]{0,60}:\s*\Z", _I
)  # fmt: skip
_NUMBERED = re.compile(r"\s*(?:\d{1,3}°(?:\s(?:bis|ter|quater))?|[a-z]{1,2}\)|\d{1,3}[.)])\s")
_ITEM = re.compile(
    rf"\s*(?:-\s?)?(?:(?:l['’]expression|le terme|les termes|les? mots?)\s{{0,2}}:?\s{{0,2}})?{_DETERMINER}?"
    rf"(?:(?P<quoted>{_QUOTES})\s{{0,2}}(?:[:,]|désigne(?:nt)?|signifie(?:nt)?|s['’]entend(?:ent)?)"
    rf"|(?P<bare>[^\s:;.\"«»“”][^:;.\"«»“”\n]{{1,90}}?)(?:\s{{0,2}}:(?:\s|\Z)|,\s{_THING}))", _I
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Hit:
    """A place where a text defines terms; `end` is where the words of the definition end."""

    terms: tuple[str, ...]
    start: int
    end: int
    form: Form
    relation: str = "means"


def list_item(text: str) -> Hit | None:
    """The term that an item of a list of definitions begins with; None where it begins with none."""
    item = _ITEM.match(text)
    if item is None:
        return None
    terms = _terms(item)
    first, joint, second = terms[0].partition(" ou ")
    # "Emprunteur ou consommateur": two names of one thing.
    both = joint and " " not in first and " " not in second
    return Hit((first, second) if both else terms, 0, item.end(), "named")


def listed_lines(text: str) -> Iterator[Hit]:
    """The terms of a list of definitions that stands in the lines of one text, each with the span of its lead-in."""
    start, led, closed = 0, None, False
    for line in text.split("\n"):
        end = start + len(line)
        numbered = _NUMBERED.match(line)
        if closed and numbered is None:
            led = None  # a sentence has ended the list; its numbers would go on with it
        item = list_item(line[numbered.end() if numbered else 0 :]) if led is not None else None
        if led is not None and item is not None:
            yield Hit(item.terms, *led, "named")
        closed = line.rstrip()[-1:] == "."
        if LIST_LEAD.search(line[-240:]):
            led = (start, end)
        start = end + 1


def listing(text: str, items: Sequence[str]) -> Iterator[Hit]:
    """The term of "Les acheteurs sont :" among definitions, where the items name things.

    Args:
        text: what stands before the list.
        items: the texts of its items.
    """
    match = _LISTING.match(text)
    if match is not None and items and _THINGS.match(items[0]):
        yield Hit((match["bare"],), 0, match.end(), "law")


def hits(text: str, *, among: bool = False) -> Iterator[Hit]:
    """The terms that a text defines, but for items of lists.

    Args:
        text: a node's text.
        among: the text stands among definitions, as the headings above it say.
    """
    copula = _COPULA.match(text) or (_AMONG.match(text) if among else None)
    if copula is not None and not _NO_SUBJECT.match(copula["bare"]):
        yield Hit((copula["bare"],), 0, copula.end(), "law")
    for led in _LED_COPULA.finditer(text):
        if not _NO_SUBJECT.match(led["bare"]):
            yield Hit((led["bare"],), led.start("bare"), led.end(), "named")
    low = text.lower()
    if not any(cue in low for cue in _CUES):
        return
    for one in _PATTERNS:
        for match in one.pattern.finditer(text):
            if _FICTION.search(text, match.start(), match.end()):
                continue
            terms = _terms(match)
            if "quoted" not in match.groupdict() and " est " in terms[0]:  # "Un produit est défectueux au sens"
                terms = (terms[0].replace(" est ", " "),)
            yield Hit(terms, match.start(), match.end(), one.form, one.relation)


def _terms(match: re.Match[str]) -> tuple[str, ...]:
    groups = match.groupdict()
    quoted = groups.get("quoted")
    if quoted:
        return tuple(" ".join(one["term"].split()) for one in _QUOTE.finditer(quoted))
    return (" ".join((groups.get("bare") or "").split()),)
