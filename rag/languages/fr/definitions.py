"""Finding what a French provision defines, and where the definition holds.

Accepted: "on entend par" with its lists, "sont considérés comme X, au sens de", "l'expression X s'entend de", the
copula at an alinéa's start ("Le prêt est le contrat ..."), "s'appelle", "ci-après dénommé". "au sens de l'article N"
fetches a definition by reference. Fictions and presumptions ("est réputé", "est présumé") define nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from rag.law.jurisdiction import DocumentIndex
from rag.law.nodes import CONTAINER_TYPES, Definition, ParsedNode
from rag.law.openings import prepared
from rag.law.passages import Citation, Passage, after_number, clause_end, clause_start
from rag.law.term_uses import TermRules

# What the French words of a definition look like: "on entend par X", "X s'entend de", "est qualifié de X", items.

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
# "Pour l'application du présent décret, ": a scope phrase that opens a sentence.
_LED = rf"{_START}(?:Dans|Pour|Au sens|Aux fins)\s(?:[^,;.]|(?<=[LRDA])\.){{3,80}},\s"
_NO_LINK = r"(?<!\sà)(?<!\sde)(?<!\spour)(?<!\sdans)(?<!\spar)(?<!\ssur)(?<!\set)(?<!\sou)(?<!\sen)(?<!\sau)(?<!\saux)"
# "considérés comme", and what may be before it.
_COUNTED = r"(?:considérée?s?|regardée?s?) comme"
_IS_COUNTED = rf"(?<!pas )\b(?:est|sont) (?:également |aussi )?{_COUNTED}"
# "Sont soumis au code les marchés au sens de": what has a subject of its own is a predicate and no term.
_NO_SUBJECT_INSIDE = (
    r"(?![^,;.]{0,80}?[^\W\d_]\s(?:les?\s|la\s|l['’]|une?\s|ceux\s|celui\s|celles?\s|toute?\s)[^,;.]{0,80}?"
    r"\s(?:au sens|pour l['’]application)\s)"
)
_NO_SENSE = r"(?![^,;.]{0,80}\s(?:au sens|pour l['’]application)\s)"

Form = Literal["named", "law", "inline", "onwards", "reference"]


@dataclass(frozen=True, slots=True)
class _Pattern:
    """A way to define. `form` decides the scope of a definition without a phrase."""

    form: Form
    relation: str
    pattern: re.Pattern[str]
    fiction: bool = False  # "est réputé foreur", which counts where it says for what


_PATTERNS = (
    _Pattern("named", "means", re.compile(
        rf"\b(?:on entend|il (?:faut|convient d['’])\s?entendre|il y a lieu d['’]entendre|s['’]entend(?:ent)?)"
        rf"(?: également)? par\s{{1,3}}{_DETERMINER}?(?:(?P<quoted>{_QUOTES})|{_BARE}{_MEANING})", _I)),
    _Pattern("named", "means", re.compile(
        rf"\bpar\s{{1,2}}{_DETERMINER}?(?P<quoted>{_QUOTES})(?:,[^,;.]{{1,80}})?,?\s{{1,2}}(?:on entend|il (?:faut"
        rf"|convient d['’])\s?entendre)",
        _I)),
    _Pattern("named", "excludes", re.compile(
        rf"\bne (?:sont|constituent|constitue"
        rf"|est) pas (?:considérée?s? )?(?:comme )?{_DETERMINER}?{_BARE}{_SENSE}", _I)),
    # "Dans la présente loi, céder s'entend de tout transfert".
    _Pattern("named", "means", re.compile(
        r"(?:\A|(?<=[.;]\s))(?:Dans|Pour|Au sens|Aux fins)\s[^,;.]{3,80},\s(?P<bare>[a-zéèêà]{3,30}(?:er|ir|re|oir))\s"
        r"s['’]entend(?:ent)?\s(?!par\b)", _I)),
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
    # "Pour l'application du présent décret, le lavoir désigne tout bassin ; la fontaine désigne tout ouvrage".
    _Pattern("named", "means", re.compile(
        rf"(?:{_LED}|(?<=\s;\s)|(?<=\w;\s))"
        r"(?:les?\s|la\s|l['’]|une?\s)(?P<bare>[\w-]{2,40}(?: [\w'’-]{1,40}){0,5}?)\s"
        rf"(?:désigne(?:nt)?|signifie(?:nt)?|recouvre(?:nt)?)\s{_THING}", _I)),
    _Pattern("named", "includes", re.compile(
        rf"{_LED}(?:les?\s|la\s|l['’]|une?\s)(?P<bare>[\w-]{{2,40}}(?: [\w'’-]{{1,40}}){{0,5}}?)\s"
        rf"(?:compren(?:d|nent)|inclu(?:t|ent))\s{_THING}", _I)),
    _Pattern("named", "includes", re.compile(
        rf"{_LED}(?:est|sont)\sassimilée?s?\s(?:à|aux?)\s(?:une?\s|la\s|l['’])?{_BARE}"
        r"(?=\s(?:les?|la|une?|toute?s?|tous|des)\s|\sl['’])", _I)),
    _Pattern("named", "means", re.compile(
        rf"{_LED}(?:est|sont)\s{_COUNTED} {_DETERMINER}?(?!n['’]|ayant\b){_BARE}{_NO_LINK}(?=,?\s{_THING})", _I)),
    # "Est dénommé exposant le commerçant qui", "est dit guide celui qui".
    _Pattern("named", "means", re.compile(
        rf"(?:{_LED}|{_START})(?:est|sont)\s(?:dénommée?s?|appelée?s?|dite?s?|nommée?s?)\s{_DETERMINER}?(?:(?P<quoted>{_QUOTED})|{_BARE})"
        rf"{_NO_LINK}(?=,?\s{_THING})", _I)),
    _Pattern("named", "excludes", re.compile(
        rf"(?:(?:termes?|mots?|expressions?|notion d['e]\s?)\s?)?(?P<quoted>{_QUOTED})\s{{0,2}}(?:ne\s"
        rf"(?:comprend|comprennent|désigne(?:nt)?"
        r"|vise(?:nt)?|recouvre(?:nt)?|s['’]étend(?:ent)?)|n['’](?:inclu(?:t|ent)|englobe(?:nt)?))\s(?:pas|ni)\b", _I)),
    _Pattern("named", "means", re.compile(
        rf"\b(?:est|sont) (?:considérée?s?|regardée?s?), (?:au sens|pour l['’]application) [^,;.]{{3,80}}, comme "
        rf"(?!ayant|étant|n['’]|en\b){_DETERMINER}?{_BARE}"
        rf"(?=[.,;:]|\s(?:de la|du|des|dans|par|lorsqu\w*|si|dès|relati\w+)\b|\sde l['’]|\s*\Z)", _I)),
    _Pattern("named", "means", re.compile(
        rf"{_START}(?:Est\sune?|Sont\sdes)\s{_NO_SENSE}(?!délit|crime|contravention|infraction){_BARE}{_NO_LINK}(?=\s{_THING})")),
    # Without "au sens de" the words add to what is known under the name: "est considéré comme du travail de nuit".
    _Pattern("named", "includes", re.compile(
        rf"{_IS_COUNTED} (?P<bare>(?!ayant|étant|non|nulle?)[\w-]{{3,40}}"
        r"(?: (?!lorsqu|si\b|dès\b)[\w'’-]{1,40}){1,5}?)(?=\s(?:lorsqu\w*|si|dès lors que?)\b)", _I)),
    _Pattern("named", "means", re.compile(
        rf"\b(?:est|sont) qualifiée?s? (?:de |d['’]|des ){_BARE}{_NO_LINK}(?=,?\s{_THING}|[.,;:]|\s*\Z)", _I)),
    _Pattern("named", "means", re.compile(
        rf"{_START}Par\s{{1,2}}{_DETERMINER}?{_BARE},?\s(?:on entend|il faut entendre)\b")),
    # "Pour l'application de l'article 4, constitue également un gîte la chambre louée à la nuit".
    _Pattern("named", "includes", re.compile(
        rf"(?:Pour l['’]application|Au sens|Aux fins)\s[^;.]{{3,80}},\sconstitue(?:nt)?\s(?:également|aussi)\s"
        rf"{_DETERMINER}{_BARE}(?=,?\s{_THING})")),
    _Pattern("named", "includes", re.compile(
        rf"{_START}(?:Est|Sont)\sréputée?s?\s(?!n['’]|avoir\b){_BARE},\s(?:pour l['’]application|au sens)\s"),
        fiction=True),
    # "le mot « loueur » désigne celui qui remet, et le mot « client » celui qui reçoit".
    _Pattern("named", "means", re.compile(
        rf"\bet,? (?:par )?(?:les? (?:mots?|termes?)|l['’]expression) (?P<quoted>{_QUOTED})\s"
        r"(?=(?:celui|celle|ceux|celles|les?|la|une?|toute?)\s|l['’])", _I)),
    _Pattern("named", "reference", re.compile(
        rf"(?P<quoted>{_QUOTES})\s{{0,2}}(?:a|ont)\s(?:(?:le|la)\s)?(?:même\s)?(?:sens|signification)\b", _I)),
    _Pattern("named", "reference", re.compile(
        rf"(?P<quoted>{_QUOTES})\s{{0,2}}(?:y\s|ont\s|a\s)?(?:y\s)?(?:ont?|a)\s(?:(?:le|la)\s)(?:même\s)?"
        rf"(?:sens|signification|définition)\b", _I)),
    _Pattern("named", "reference", re.compile(
        rf"\bdéfinitions?\s(?:de(?:s termes)?\s|d['’]|des\s)?(?P<quoted>{_QUOTES})[^.;]{{3,160}}?\s"
        rf"(?:s['’]appliquent?|est applicable|sont applicables)\b", _I)),
    _Pattern("named", "means", re.compile(
        rf"\bpar\s{{1,2}}{_DETERMINER}?(?P<quoted>{_QUOTES}),?\son\s(?:désigne|comprend)\b", _I)),
    # Without marks: "Le navire a le sens que lui donne l'article 5 du code".
    _Pattern("named", "reference", re.compile(
        rf"{_START}{_DETERMINER}{_BARE}\s(?:a|ont)\s(?:le|la)\s(?:même\s)?(?:sens|signification|définition)\b", _I)),
    _Pattern("law", "reference", re.compile(
        rf"{_START}(?:Les?|La|L['’]|Une?)\s?(?P<bare>[\w-]{{2,40}}(?: [\w'’-]{{1,40}}){{0,5}}?)"
        r" (?:est|sont) définie?s? (?:à|aux?|par)(?=\s(?:l['’]|la\s|les\s)?(?:articles?|alinéas?)\b)")),
    _Pattern("named", "means", re.compile(
        rf"{_START}(?:Les?|La|L['’]|Une?)\s?(?P<bare>[\w-]{{2,40}}(?: [\w'’-]{{1,40}}){{0,3}}?),"
        r" au sens (?:d(?:e|u|es)|d['’])[^;.]{3,60}?, (?:est|sont) "
        r"(?=(?:une?|les?|la|des|toute?s?|tous|celui|ceux|celles?)\s|l['’])")),
    _Pattern("named", "means", re.compile(
        rf"(?:\b(?:l['’]expression|(?:les? )?(?:termes?|mots?|expressions|vocables?)|la (?:notion"
        rf"|locution) (?:de|d['’]))"
        rf"\s{{0,2}}(?:suivants?\s)?)?(?P<quoted>{_QUOTES})\s{{0,2}}(?:,[^,;.]{{1,90}},)?\s{{0,2}}"
        rf"(?:s['’]entend(?:ent)?|désigne(?:nt)?|signifie(?:nt)?|recouvre(?:nt)?|vise(?:nt)?)\b", _I)),
    _Pattern("named", "means", re.compile(
        r"(?:\A|(?<=[.;,]\s)|(?<=\n))(?:Les?|La|L['’]|Une?|les?|la|l['’]|une?)\s?(?P<bare>(?!expression|termes?|mots?)[\w-]{2,40}"
        r"(?: [\w'’-]{1,40}){0,5}?) s['’]entend(?:ent)? (?:également |aussi )?(?!au sens|sur|pour)(?:d|comme|par)")),
    _Pattern("law", "means", re.compile(
        rf"\b(?:s['’]appelle(?:nt)?|on appelle|est appelée?|sont appelée?s|est dite?|sont dite?s)(?: alors"
        rf"| ici)?\s{{1,2}}"
        rf"{_DETERMINER}?(?P<quoted>{_QUOTED}(?:,? (?:et|ou)(?: simplement)? {_QUOTED})?)", _I)),
    _Pattern("law", "means", re.compile(
        rf"\bon appelle\s{{1,2}}{_DETERMINER}?{_BARE}(?=\s(?:les?|la|l['’]|celles?|celui|ceux|toute?)\s?)", _I)),
    _Pattern("law", "means", re.compile(
        r"\bs['’]appelle(?:nt)?\s{1,2}(?:une?|le|la|des"
        r"|les)\s{1,2}(?P<bare>[\w-]{3,40}(?: [\w-]{2,40}){0,2})(?=[.,;])", _I)),
    _Pattern("onwards", "means", re.compile(
        rf"\b(?:ci-(?:après|dessous)|dans (?:la|le) présente?\s\w{{3,14}})[ ,:]{{0,3}}(?:dénommée?s?|désignée?s?"
        rf"|appelée?s?"
        rf"|nommée?s?|qualifiée?s?|dite?s?)?(?: (?:par|sous)(?: le (?:terme|nom)| l['’]appellation)?(?: de)?)?\s{{0,2}}"
        rf"{_DETERMINER}?(?P<quoted>{_QUOTES})", _I)),
    _Pattern("inline", "means", re.compile(
        rf"\b(?:dénommée?s?|désignée?s? (?:par|sous) (?:le (?:terme|nom)|l['’]appellation)(?: de)?)"
        rf"(?: ci-(?:après|dessous))?\s{{1,2}}{_DETERMINER}?(?P<quoted>{_QUOTES})", _I)),
    _Pattern("inline", "means", re.compile(rf"[,(]\s?dite?s?\s{{1,2}}{_DETERMINER}?(?P<quoted>{_QUOTES})", _I)),
)  # fmt: skip
_WRITTEN = tuple(pattern.pattern for pattern in _PATTERNS)
# "Le terme « cabane » s'entend également des tentes" adds to what the term means.
_ADDS = re.compile(r"\b(?:également|aussi|en outre)\b|\bassimilée?s?\b", _I)
_ADVERB = 16  # characters behind a verb in which an adverb stands that goes with it
# Every pattern above needs one of these; most alinéas have none.
_CUES = (
    "entend", "au sens", "application d", "appel", '"', "«", "“", "”", "constitue", " comme ", "qualifié", " ceux ",
    " celui ", " celle", " défini", " le sens ", " signification ",
    "dénomm", "personne", "est un", "sont des", "consiste", "désigne", "assimil", " comprend", " comprenn", " inclu",
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
    r" (?:(?:est|sont) (?:(?:une?|les?|la|des|celui|celles?|ceux|toute?s?|tous)\s|l['’])|(?:a|ont) pour objet\b)"
)
# After words that say where it holds, any copula defines: "Pour l'application du présent titre, l'équipe est un ...".
_LED_COPULA = re.compile(
    r"(?:\A|(?<=[.;]\s)|(?<=\n))(?:Pour l['’](?:application|exécution)|Au sens|Aux fins)\s"
    r"(?:[^,;.]|(?<=[LRDA])\.){3,100},\s(?:les?\s|la\s|l['’]|une?\s)(?P<bare>[\w-]{3,40}"
    r"(?: (?!(?:qui|que|dont|il|elle|est|sont|ne|a|ont|si|tel|telle|régie?s)\b|[nsm]['’])[\w'’-]{1,40}){0,5}?)"
    r" (?:est|sont) (?:(?:une?|les?|la|des|celui|celles?|ceux|toute?s?|tous|chacune?|chaque|quiconque)\s|l['’])"
)
# "Le guide mentionné au I est celui défini à l'article 5": which one is meant is said elsewhere.
_SAME_AS = re.compile(
    r"(?:\A|(?<=[.;]\s)|(?<=\n))(?:Les?\s|La\s|L['’])(?P<bare>[\w'’-]{3,40}(?: [\w'’-]{1,40}){0,5}?)"
    r"(?: (?:mentionnée?s?|visée?s?|prévue?s?|désignée?s?) (?:à|aux?) [^,;.]{1,60}?)? (?:est|sont)"
    r" (?=(?:celui|celles?|ceux) (?:définie?s?|mentionnée?s?|visée?s?|prévue?s?|désignée?s?|régie?s?) (?:à|aux?|par)\b)"
)
# "Gardien : toute personne qui ...", all that an article says; "Un gîte est un logement loué à la semaine".
_CAPTION = re.compile(r"(?P<bare>[A-ZÀ-Ý][\w-]{2,40}(?: [\w'’-]{1,40}){0,3})\s?:\s(?=[a-zà-ÿ][^:;\n]{10,400}\.\s*\Z)")
# "L'emplacement est la portion du domaine public attribuée à ...": all that an article says.
_DEFINITE = re.compile(
    r"(?:Le |La |L['’])(?P<bare>[\w-]{3,40}(?: (?:de |d['’]|à )?[\w-]{3,40}){0,2}?) est (?:le |la |l['’])[\w-]{3,40}"
    r"(?: (?:de|du|des|à|au|aux|en)\b| d['’])[^.;]{3,200}?"
    r"\s(?:[\w-]{2,30}(?:ée?s?|ie?s?|ue?s?)\s(?:à|aux?|par|pour|dans|en)\b|qui\s|que\s|dont\s|où\s|lequel|laquelle)"
    r"[^.;]{3,300}\.\s*\Z"
)
# "Le pêcheur de loisir est toute personne qui", where other provisions speak of one; it opens a provision.
_NAMES = re.compile(
    r"(?:Le |La |L['’])(?P<bare>[\w-]{3,40}(?: (?:(?:de|à)(?: la)? |du |d['’])?[\w-]{3,40}){0,3}?)"
    r"(?:,? au sens [^,;.]{3,60},?)? est "
    r"(?:(?:le |la |l['’])[\w-]{3,40}(?:,|\s(?:de|du|des|à|au|aux|en|qui|que|dont|où|chargée?|[\w-]{3,30}"
    r"(?:ée?s?|ie?s?|ue?s?|ique|elle?|al|aire))\b| d['’])"
    r"|(?:toute?\s|celui\s|celle\s))"
)
# "Est exploitant le titulaire", "Est un bateau-logement le bateau": the term stands before what it means.
_VERB_FIRST = re.compile(
    r"(?:\A|(?<=[.;]\s)|(?<=\n)|(?:Hors|Sauf|Dans|Pour|Au sens)\s[^;]{3,80}?,\s)(?:[Ee]st|[Ss]ont)\s(?:une?\s"
    r"|des\s)?(?P<bare>[\w-]{3,40}"
    r"(?: (?:de |d['’]|à )?[\w-]{3,40}){0,2}?)\s(?=(?:les?|la|toute?|tous|ceux|celui|celle|quiconque)\s|l['’])"
)
# A participle or an adjective there is what the law makes of the thing: "est interdit le dépôt".
_NO_NOUN = re.compile(
    r"\A(?:\w+(?:ée?s?|ite?s?|ise?s?|ue?s?|bles?|nul(?:le)?s?|oires?|quis\w*|ert\w*|clus\w*|mis\w*|cluse?s?)|\w*(?:considéré|regardé|réputé|assimilé|présumé)\w*)\b"
)
_INDEFINITE = re.compile(
    r"Une? (?P<bare>[\w-]{3,40}(?: (?:de |d['’]|à )?[\w-]{3,40}){0,2}?) est une? (?=[\w-]{3,40}\s[^.;]{5,400}\.\s*\Z)"
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
    r"\bdéfinitions? (?:qui suivent|suivantes?|ci-après) s['’]appliquent\b[^.;:]{0,80}[.:]\s*\Z"
    r"|\b(?:il y a lieu d['’]entendre(?: par)?|on entend(?: par)?"
    r"|s['’]entend(?:ent)?(?: comme)?|il (?:faut|convient d['’])\s?entendre(?: par)?"
    r"|définitions? (?:suivantes?|ci-après)|(?:termes?|expressions?|mots?)[^.;]{0,60}(?:suivants?|ci-après)"
    r"|(?:sont|est) (?:considérée?s?|regardée?s?|définie?s?) comme"
    r"|\A(?:Pour l['’]application|Au sens|Aux fins|Dans|Au titre) [^.;:]{3,80}(?=:\s*\Z)"
    r"|(?:définie?s?|désignée?s?) comme suit|ont (?:la|le) (?:signification|sens) suivante?)[^.;]{0,60}:\s*\Z", _I
)  # fmt: skip
_NUMBERED = re.compile(r"\s*(?:\d{1,3}°(?:\s(?:bis|ter|quater))?|[a-z]{1,2}\)|\d{1,3}[.)])\s")
_ITEM = re.compile(
    rf"\s*(?:-\s?)?(?:(?:l['’]expression|le terme|les termes|les? mots?)\s{{0,2}}:?\s{{0,2}})?{_DETERMINER}?"
    rf"(?:(?P<quoted>{_QUOTES})\s{{0,2}}(?:[:,]|désigne(?:nt)?|signifie(?:nt)?|s['’]entend(?:ent)?|(?-i:(?=[A-ZÀ-Ý])))"
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
    number = _NUMBERED.match(text)
    item = _ITEM.match(text, number.end() if number else 0)
    if item is None:
        return None
    terms = _terms(item)
    first, joint, second = terms[0].partition(" ou ")
    # "Emprunteur ou consommateur": two names of one thing.
    both = joint and " " not in first and " " not in second
    return Hit((first, second) if both else terms, 0, item.end(), "named")


def listed_lines(text: str) -> Iterator[Hit]:
    """The terms of a list of definitions that is in the lines of one text, each with the span of its lead-in."""
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
            led, closed = (start, end), False
        start = end + 1


def listing(text: str, items: Sequence[str]) -> Iterator[Hit]:
    """The term of "Les acheteurs sont :" among definitions, where the items name things.

    Args:
        text: what is before the list.
        items: the texts of its items.
    """
    match = _LISTING.match(text)
    if match is not None and items and _THINGS.match(items[0]):
        yield Hit((match["bare"],), 0, match.end(), "law")


def hits(words: str, *, among: bool = False, is_used: Callable[[str], bool] = lambda _: False) -> Iterator[Hit]:
    """The terms that a text defines, but for items of lists.

    Args:
        words: a node's text.
        among: the text is among definitions, as the headings above it or the words that introduce it say.
        is_used: whether other provisions of a law speak of a thing.
    """
    first = after_number(words)
    text = "\n".rjust(first) + words[first:] if first else words  # a provision's own number, with its length
    copula = _COPULA.match(text, first) or (_AMONG.match(text, first) if among else None)
    copula = copula or _CAPTION.match(text, first) or _INDEFINITE.match(text, first) or _DEFINITE.match(text, first)
    for way in (_NAMES, _VERB_FIRST) if copula is None else ():
        named = way.match(text, first)
        if named is not None and not _NO_NOUN.match(named["bare"]) and is_used(named["bare"]):
            copula = named
            break
    if copula is not None and not _NO_SUBJECT.match(copula["bare"]):
        yield Hit((copula["bare"],), first, copula.end(), "law")
    for led in _LED_COPULA.finditer(text):
        if not _NO_SUBJECT.match(led["bare"]):
            yield Hit((led["bare"],), led.start("bare"), led.end(), "named")
    for same in _SAME_AS.finditer(text):
        yield Hit((same["bare"],), same.start("bare"), same.end(), "law")
    low = text.lower()
    if not any(cue in low for cue in _CUES):
        return
    for number, match in prepared(_WRITTEN).matches(text):
        pattern = _PATTERNS[number]
        if not pattern.fiction and _FICTION.search(text, match.start(), match.end()):
            continue
        terms = _terms(match)
        if "quoted" not in match.groupdict() and " est " in terms[0]:  # "Un produit est défectueux au sens"
            terms = (terms[0].replace(" est ", " "),)
        relation = pattern.relation
        if relation == "means" and _ADDS.search(text, match.start(), match.end() + _ADVERB):
            relation = "includes"
        yield Hit(terms, match.start(), match.end(), pattern.form, relation)


def _terms(match: re.Match[str]) -> tuple[str, ...]:
    groups = match.groupdict()
    quoted = groups.get("quoted")
    if quoted:
        return tuple(" ".join(match["term"].split()) for match in _QUOTE.finditer(quoted))
    return (" ".join((groups.get("bare") or "").split()),)


_BY_REFERENCE = re.compile(r",?\s{1,2}au sens (?:et pour l['’]application )?(?:d(?:e|es|u)\b|d['’])", _I)
# The noun before "au sens de l'article 5": from its article on; "consentement des époux" goes with its complement.
_HEAD = re.compile(
    r"(?:\b(?:(?:une? ou )?plusieurs|une?|les?|la|aux?|aucune?|toute?|ces?|cette|leurs?|son|sa)\s(?:mêmes?\s)?|\bl['’]"
    r"|\ben matière (?:de\s|d['’]))(?=\S)",
    _I,
)
_WORDS = re.compile(r"(?:[\w-]+(?:['’]|\s|\Z)){1,6}\Z")
_BARE_HEAD = re.compile(
    r"(?:\bdes\s|\bdu\s|\bd['’]|\bcomme\s)?((?:[\w-]+\s(?:de\s|d['’]))?[\w-]+(?:\s[\w-]+){0,1})\Z", _I
)
_POINTS = re.compile(
    r"\s?(?:(?:une?|le|la|les|l['’]|celui|celles?|ceux)\s?)?(?:[\w-]{3,40}\s){0,2}(?:mentionnée?s?|définie?s?|visée?s?|prévue?s?|désignée?s?|régie?s?)"
    r"\s(?:à|aux?|par)\s(?:l['’]|les?\s|la\s)?", _I
)  # fmt: skip
_ENDS = re.compile(r"\s?[.;]|\s*\Z")
_NO_END = re.compile(r"\b(?:et|ou|de|par|que|qui|comme|à|en|est|sont)\Z", _I)
_SCOPE_LEAD = re.compile(
    r"\b(?:au sens(?: et pour l['’]application)?|(?:et )?pour l['’](?:application|exécution|interprétation)"
    r"|pour (?:la mise en (?:oe|œ)uvre|les besoins)|aux fins(?: de l['’]application)?|dans le cadre)\s{1,2}"
    r"(?:des (?:dispositions|règles|prescriptions)\s)?"
    r"(?:d(?:e|u|es)\s)?(?:la\s|l['’]|les?\s)?\Z|(?:\A|[.;]\s|\n)(?:dans|en|au|à)\s(?:la\s|les?\s)?\Z"
    r"|\bdéfinitions? [^.;:]{0,50}(?:applicables?|s['’]appliquent) (?:à|aux?)\s(?:la\s|l['’]|les?\s)?\Z", _I
)  # fmt: skip
_SENTENCE = re.compile(r"(?<=[.;])(?<!\b[LRDA]\.)(?<!\bart\.)(?<!\bal\.)\s+(?=[A-ZÀ-Ý«“\"])|\n")
_JOINED = re.compile(
    r"\s{0,3}(?:,|,?\s?(?:et|ou))\s(?:(?:pour l['’]application )?(?:de\s|d['’]|du\s|des\s|à\s|aux?\s))?"
    r"(?:l['’]|la\s|les\s)?\Z"
)
# After the units of a scope one more, which no grammar could read.
_GOES_ON = re.compile(
    r",?\s(?:et|ou)\s(?:pour l['’]application\s)?(?:de la\s|de l['’]|des?\s|du\s|d['’])"
    r"(?:articles?|chapitres?|titres?|sections?|livres?|parties?|paragraphes?|alinéas?|lois?|présente?)\b",
    _I,
)
_CONTAINER = re.compile(r"\b(?:livre|titre|chapitre|section|partie|loi|code|ordonnance|décret|règlement|arrêté)\b", _I)
_MAX_WORDS = 10
_FEW_NODES = 400
_GENERAL = re.compile(r"\bdispositions? (?:générales?|communes?|préliminaires?)\b", _I)  # in a container's heading
_DEFINITIONS = re.compile(r"\bdéfinitions?\b", _I)  # in a heading


class FrenchDefinitions:
    """Finds the definitions of one document in French, node by node in document order."""

    def __init__(self, index: DocumentIndex, terms: TermRules, passage_of: Callable[[str], Passage]) -> None:
        self._index = index
        self._terms = terms
        self._passage_of = passage_of

    def definitions(self, passage: Passage) -> list[Definition]:
        """The definitions that this node makes, each with its scope."""
        if passage.node.structure_type in ("NOTE", "TABLE") or not passage.text:
            return []
        found: list[Definition] = []
        known: set[str] = set()
        taken: set[int] = set()  # where a definition's "au sens de" begins: no second one is read there
        for hit in self._hits(passage):
            taken.add(hit.end)
            urns, phrase, inferred = self._scope(passage, hit)
            for term in hit.terms:
                plain = self._terms.normalise(term)
                if plain in known or not _is_term(plain):
                    continue
                known.add(plain)
                relation, target = hit.relation, ""
                if pointed := self._pointed(passage, hit):
                    relation, target = "reference", pointed.urn
                elif hit.relation == "reference":
                    target = self._meaning(passage, hit)
                passing = hit.form in ("inline", "onwards")
                start = clause_start(passage.text, hit.start, ";:.()") if passing else hit.start
                found.extend(
                    Definition(
                        term, passage.node.urn, urn, relation, inferred, phrase, target,
                        words=(start, clause_end(passage.text, hit.end) if passing else None),
                    )
                    for urn in urns
                )  # fmt: skip
        found.extend(self._by_reference(passage, known, taken))
        return found

    def scope_said(self, passage: Passage, start: int, end: int) -> tuple[tuple[str, ...], str, bool]:
        """See `DefinitionFinder`."""
        return self._in_text(passage, start, end, end) or ((), "", True)

    def _hits(self, passage: Passage) -> Iterator[Hit]:
        parent = self._index.tree.parent(passage.node)
        led = parent is not None and LIST_LEAD.search(self._passage_of(parent.urn).text[-240:]) is not None
        item = list_item(passage.text) if led else None
        if item is not None:
            yield item
            return
        among = led or any(_DEFINITIONS.search(unit.heading) for unit in self._index.chain(passage.node))
        if among:
            yield from listing(passage.text, [child.text for child in self._index.tree.children(passage.node.urn)])
        if "\n" in passage.text:
            yield from listed_lines(passage.text)
        yield from hits(passage.text, among=among, is_used=lambda term: self._is_used(term, passage.node))

    def _is_used(self, term: str, node: ParsedNode) -> bool:
        """Whether other sections speak of a thing, in a law of few provisions: in a code they mean any such thing."""
        if len(self._index.tree.nodes) > _FEW_NODES:
            return False
        section = self._index.section(node)
        plain = term.casefold()
        return any(
            plain in one.text.casefold() for one in self._index.tree.nodes if self._index.section(one) is not section
        )

    def _by_reference(self, passage: Passage, known: set[str], taken: set[int]) -> Iterator[Definition]:
        """ "les associations cultuelles au sens de l'article 18": the meaning is given there."""
        text = passage.text
        for match in _BY_REFERENCE.finditer(text):
            cited = next((citation for citation in passage.citations if citation.whole_start >= match.end() - 1), None)
            if cited is None or cited.whole_start - match.end() > 12 or self._is_scope(cited):
                continue
            before = text[max(0, match.start() - 80) : match.start()]
            term = _head(before)
            plain = self._terms.normalise(term)
            section = self._index.section(passage.node)
            if not _is_term(plain) or plain in known or section is None or match.start() in taken:
                continue
            known.add(plain)
            words = text[match.start() : cited.whole_end].strip(" ,")
            yield Definition(term, passage.node.urn, section.urn, "reference", False, words, cited.urn)

    def _meaning(self, passage: Passage, hit: Hit) -> str:
        """The provision that gives the meaning, of a sentence that only says which: the first that it cites."""
        _, end = _sentence(passage.text, hit.start)
        return next((citation.urn for citation in passage.citations if hit.end <= citation.whole_start < end), "")

    @staticmethod
    def _pointed(passage: Passage, hit: Hit) -> Citation | None:
        """The provision that alone gives a meaning: "L'autorité est celle mentionnée à l'article L. 5 du code"."""
        if hit.relation != "means":
            return None
        for citation in passage.citations:
            if citation.whole_start >= hit.end:
                alone = _POINTS.fullmatch(passage.text, hit.end, citation.whole_start)
                return citation if alone and _ENDS.match(passage.text, citation.whole_end) else None
        return None

    def _is_scope(self, cited: Citation) -> bool:
        """Whether "au sens du présent titre" tells where a definition holds, and not what gives it."""
        node = self._index.node(cited.urn) if cited.urn else None
        return node is not None and node.structure_type in CONTAINER_TYPES

    # Scope

    def _scope(self, passage: Passage, hit: Hit) -> tuple[tuple[str, ...], str, bool]:
        """The nodes governed, the words that say so, and whether position says it instead."""
        section = self._index.section(passage.node)
        start, end = _sentence(passage.text, hit.start)
        # "au sens de l'article 5" further on says what another word of the sentence means.
        near = hit.end if hit.form == "law" else hit.end + 3
        found = self._in_text(passage, start, end, near)
        if found is None and hit.form not in ("inline", "onwards"):
            for unit in self._index.chain(passage.node)[1:]:
                lead = self._passage_of(unit.urn)
                found = self._in_text(lead, 0, len(lead.text), len(lead.text)) if unit.intro_text else None
                if (found is not None and found[0]) or unit is section:
                    break
        if found is not None and found[0]:
            return found
        words = found[1] if found is not None else ""
        if section is None:
            return (passage.node.urn,), words, True
        if hit.form == "law":
            return (self._index.root.urn,), words, True
        if hit.form == "onwards" and not self._index.title.casefold().startswith("code"):
            return (self._index.root.urn,), words, True  # a code's articles rarely lean on one another
        if words and not _CONTAINER.search(words):
            return (section.urn,), words, True  # "pour l'application du 3° du II", which was not found
        container = self._opened(section)
        return (container.urn if hit.form == "named" and container is not None else section.urn,), words, True

    def _opened(self, section: ParsedNode) -> ParsedNode | None:
        """The container of an article; of one among definitions or general provisions, what these open."""
        above = list(self._index.chain(section)[1:])
        defining = [place for place, one in enumerate(above) if _DEFINITIONS.search(one.heading)]
        place = defining[-1] + 1 if defining else 0
        while defining and place < len(above) - 1 and _GENERAL.search(above[place].heading):
            place += 1
        return above[min(place, len(above) - 1)] if above else None

    def _in_text(self, passage: Passage, start: int, end: int, near: int) -> tuple[tuple[str, ...], str, bool] | None:
        """What a phrase names that opens a sentence or begins before `near`; offsets into the passage's text.

        Returns:
            The nodes, the words, and whether these are doubtful; no nodes where the law does not have what is named.
        """
        missing: tuple[tuple[str, ...], str, bool] | None = None
        for place, cited in enumerate(passage.citations):
            if not start <= cited.whole_start < end:
                continue
            lead = _SCOPE_LEAD.search(passage.text[max(start, cited.whole_start - 80) : cited.whole_start])
            offset = max(start, cited.whole_start - 80) + (lead.start() if lead is not None else 0)
            if lead is None or (offset >= near and passage.text[start:offset].strip()):
                continue
            members = self._members(passage, place)
            urns = tuple(dict.fromkeys(node.urn for node in self._nodes(members)))
            words = " ".join(passage.text[offset : cited.whole_end].split()).lstrip(".; ")
            if urns:
                more = _GOES_ON.match(passage.text, members[-1].whole_end) is not None
                return urns, words, more or not all(member.confident for member in members)
            missing = missing or ((), words, True)
        return missing

    @staticmethod
    def _members(passage: Passage, place: int) -> list[Citation]:
        """The citation at a place and those that its list goes on with: "du présent titre et de l'article 5"."""
        members = [passage.citations[place]]
        for citation in passage.citations[place + 1 :]:
            last = members[-1]
            if citation.whole_start != last.whole_start and not _JOINED.match(
                passage.text[last.whole_end : citation.whole_start]
            ):
                break
            members.append(citation)
        return members

    def _nodes(self, members: list[Citation]) -> Iterator[ParsedNode]:
        """The nodes of one list of citations in this document; ranges by the order of the nodes."""
        previous: ParsedNode | None = None
        for member in members:
            node = self._index.node(member.urn) if member.urn else None
            if node is not None and member.range == "end" and previous is not None:
                siblings = self._index.tree.children(node.parent_urn or "")
                places = {sibling.urn: place for place, sibling in enumerate(siblings)}
                if previous.urn in places:
                    yield from siblings[places[previous.urn] + 1 : places[node.urn]]
            if node is not None:
                yield node
            previous = node


def _head(before: str) -> str:
    """The noun phrase that a text ends with: from its last article, else its last words."""
    starts = [match.end() for match in _HEAD.finditer(before)]
    near = before[starts[-1] :].rstrip(" ,") if starts else ""
    if near and _WORDS.fullmatch(near) and not _NO_END.search(near):
        return " ".join(near.split())
    bare = _BARE_HEAD.search(before.rstrip(" ,"))
    return " ".join(bare[1].split()) if bare is not None and not _NO_END.search(bare[1]) else ""


def _is_term(plain: str) -> bool:
    return len(plain) > 1 and any(char.isalpha() for char in plain) and len(plain.split()) <= _MAX_WORDS


def _sentence(text: str, position: int) -> tuple[int, int]:
    start, end = 0, len(text)
    for match in _SENTENCE.finditer(text):
        if match.end() <= position:
            start = match.end()
        elif match.start() > position:
            end = match.start()
            break
    return start, end
