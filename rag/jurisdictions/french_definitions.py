"""Finding what a French provision defines, and where the definition holds.

Accepted: "on entend par" with its lists, "sont considérés comme X, au sens de", "l'expression X s'entend de", the
copula at an alinéa's start ("Le prêt est le contrat ..."), "s'appelle", "ci-après dénommé". "au sens de l'article N"
fetches a definition by reference. Fictions and presumptions ("est réputé", "est présumé") define nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from rag.ingest.citations import Citation, Passage
from rag.ingest.nodes import CONTAINER_TYPES, Definition, ParsedNode
from rag.ingest.term_uses import TermRules
from rag.jurisdictions.base import DocumentIndex

_I = re.IGNORECASE
_OPEN, _CLOSE = r"[\"«“”]\s{0,2}", r"\s{0,2}[\"»”“]"
_QUOTED = rf"{_OPEN}[^\"«»“”\n]{{1,100}}?{_CLOSE}"
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

Form = Literal["named", "law", "inline", "reference"]


@dataclass(frozen=True, slots=True)
class _Pattern:
    """A way to define. `form` decides the scope of a definition without a phrase."""

    form: Form
    relation: str
    pattern: re.Pattern[str]


_PATTERNS = (
    _Pattern("named", "means", re.compile(
        rf"\b(?:on entend|il (?:faut|convient d['’])\s?entendre|il y a lieu d['’]entendre|s['’]entendent?)"
        rf"(?: également)? par\s{{1,3}}{_DETERMINER}?(?:(?P<quoted>{_QUOTES})|{_BARE}{_MEANING})", _I)),
    _Pattern("named", "means", re.compile(
        rf"\bpar\s{{1,2}}{_DETERMINER}?(?P<quoted>{_QUOTES}),?\s{{1,2}}(?:on entend|il (?:faut"
        rf"|convient d['’])\s?entendre)",
        _I)),
    _Pattern("named", "excludes", re.compile(
        rf"\bne (?:sont|constituent|constitue"
        rf"|est) pas (?:considérée?s? )?(?:comme )?{_DETERMINER}?{_BARE}{_SENSE}", _I)),
    _Pattern("named", "means", re.compile(
        rf"(?<!pas )\b(?:sont|est) (?:également |aussi )?(?:considérée?s?|regardée?s?) comme (?:étant )?{_DETERMINER}?"
        rf"(?:(?P<quoted>{_QUOTED})|{_BARE}){_SENSE}", _I)),
    _Pattern("named", "means", re.compile(
        rf"(?:\A|(?<=[.;]\s)|(?<=\n))(?:Constituent?|Sont|Est|Forment?)\s(?:de\s)?{_DETERMINER}?"
        rf"(?:(?P<quoted>{_QUOTED})|(?!considéré|regardé|réputé|présumé|assimilé|nulle?|applicable){_BARE}){_SENSE}")),
    _Pattern("named", "means", re.compile(
        r"(?:\A|(?<=[.;]\s))(?:Une?|Le|La)\s(?P<bare>[\w-]{3,40} est [\w-]{3,40})(?= au sens d)")),
    _Pattern("named", "means", re.compile(
        rf"(?:\b(?:l['’]expression|(?:les? )?(?:termes?|mots?|expressions|vocables?)|la (?:notion"
        rf"|locution) (?:de|d['’]))"
        rf"\s{{0,2}}(?:suivants?\s)?)?(?P<quoted>{_QUOTES})\s{{0,2}}(?:,[^,;.]{{1,90}},)?\s{{0,2}}"
        rf"(?:s['’]entend(?:ent)?|désignent?|signifient?|recouvr(?:e|ent)|visent?)\b", _I)),
    _Pattern("named", "means", re.compile(
        r"(?:\A|(?<=[.;,]\s))(?:Les?|La|L['’]|les?|la|l['’])\s?(?P<bare>(?!expression|termes?|mots?)[\w-]{2,40}"
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
        rf"\b(?:ci-(?:après|dessous)|dans (?:la|le) présente?\s\w{{3,14}})[ ,]{{0,2}}(?:dénommée?s?|désignée?s?"
        rf"|appelée?s?"
        rf"|nommée?s?|qualifiée?s?|dite?s?)?(?: (?:par|sous)(?: le (?:terme|nom)| l['’]appellation)?(?: de)?)?\s{{0,2}}"
        rf"{_DETERMINER}?(?P<quoted>{_QUOTES})", _I)),
    _Pattern("inline", "means", re.compile(
        rf"\b(?:dénommée?s?|désignée?s? (?:par|sous) (?:le (?:terme|nom)|l['’]appellation)(?: de)?)"
        rf"(?: ci-(?:après|dessous))?\s{{1,2}}{_DETERMINER}?(?P<quoted>{_QUOTES})", _I)),
)  # fmt: skip
# Every pattern above needs one of these; most alinéas have none.
_CUES = ("entend", "au sens", "application d", "appel", '"', "«", "“", "”")
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
    "sûretés? technique temps traité transfert transport union valeur vente êtres?"
)
_COPULA = re.compile(
    r"(?:Le|La|L['’]|Les)\s?(?P<bare>[\w-]{3,40}(?: (?!(?:qui|que|dont|il|elle|est|sont|ne|a|ont|si|tel|telle"
    r"|régie?s)\b|[nsm]['’])[\w'’-]{1,40}){0,5}?),?"
    r" (?:est|sont) (?:une?|le|la|l['’]|des|les|celui|celles?|ceux)\s?(?:(?:simple|seule?|véritable) )?"
    rf"(?:(?<=celui)|(?<=celle)|(?<=ceux)|(?<=celui )|(?<=celle )|(?<=celles )|(?<=ceux )"
    rf"|(?:{'|'.join(_GENUS.split())})\b)"
)
# A subject of its own ("le présent", "ce"), or a fact told and not a term.
_NO_SUBJECT = re.compile(
    r"\A(?:présente?|même|juge|tribunal|délai|demande|dispositions?|créancier|débiteur|père|président|preuve"
    r"|charge|loi)\b",
    _I,
)
_FICTION = re.compile(r"\b(?:réputée?s?|présumée?s?|censée?s?|regardée?s? comme (?:n['’]|non))\b", _I)
_LIST_LEAD = re.compile(
    r"\b(?:on entend(?: par)?|s['’]entend(?:ent)?(?: comme)?|il (?:faut|convient d['’])\s?entendre(?: par)?"
    r"|définitions? (?:suivantes?|ci-après)|(?:termes?|expressions?|mots?)[^.;]{0,60}(?:suivants?|ci-après)"
    r"|(?:définie?s?|désignée?s?) comme suit|ont (?:la|le) (?:signification|sens) suivante?)[^.;]{0,60}:\s*\Z", _I
)  # fmt: skip
_ITEM = re.compile(
    rf"\s*(?:-\s?)?(?:(?:l['’]expression|le terme|les termes|les? mots?)\s)?{_DETERMINER}?"
    rf"(?:(?P<quoted>{_QUOTES})\s{{0,2}}(?:[:,]|désignent?|s['’]entend(?:ent)?)"
    rf"|(?P<bare>[^\s:;.\"«»“”][^:;.\"«»“”\n]{{1,90}}?)\s{{0,2}}:(?:\s|\Z))", _I
)  # fmt: skip
_BY_REFERENCE = re.compile(r",?\s{1,2}au sens (?:et pour l['’]application )?(?:d(?:e|es|u)\b|d['’])", _I)
# The noun before "au sens de l'article 5": from its article on; "consentement des époux" goes with its complement.
_HEAD = re.compile(r"(?:\b(?:une?|les?|la|aux?|aucune?|toute?|ces?|cette|leurs?|son|sa)\s|\bl['’])(?=\S)", _I)
_WORDS = re.compile(r"(?:[\w-]+(?:['’]|\s|\Z)){1,6}\Z")
_BARE_HEAD = re.compile(
    r"(?:\bdes\s|\bdu\s|\bd['’]|\bcomme\s)?((?:[\w-]+\s(?:de\s|d['’]))?[\w-]+(?:\s[\w-]+){0,1})\Z", _I
)
_NO_END = re.compile(r"\b(?:et|ou|de|par|que|qui|comme|à|en|est|sont)\Z", _I)
_SCOPE_LEAD = re.compile(
    r"\b(?:au sens(?: et pour l['’]application)?|(?:et )?pour l['’](?:application|exécution|interprétation)"
    r"|aux fins(?: de l['’]application)?|dans le cadre)\s{1,2}(?:des (?:dispositions|règles|prescriptions)\s)?"
    r"(?:d(?:e|u|es)\s)?(?:la\s|l['’]|les?\s)?\Z|(?:\A|[.;]\s|\n)(?:dans|en|au|à)\s(?:la\s|les?\s)?\Z", _I
)  # fmt: skip
_SENTENCE = re.compile(r"(?<=[.;])(?<!\b[LRDA]\.)(?<!\bart\.)(?<!\bal\.)\s+(?=[A-ZÀ-Ý«“\"])|\n")
_MAX_WORDS = 10


@dataclass(frozen=True, slots=True)
class _Hit:
    terms: tuple[str, ...]
    start: int
    end: int
    form: Form
    relation: str = "means"


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
                found.extend(Definition(term, passage.node.urn, urn, hit.relation, inferred, phrase) for urn in urns)
        found.extend(self._by_reference(passage, known, taken))
        return found

    # Hits

    def _hits(self, passage: Passage) -> Iterator[_Hit]:
        node, text = passage.node, passage.text
        parent = self._index.tree.parent(node)
        if parent is not None and _LIST_LEAD.search(self._passage_of(parent.urn).text[-240:]):
            item = _ITEM.match(text)
            if item is not None:
                yield _Hit(_terms(item), 0, item.end(), "named")
                return
        copula = _COPULA.match(text)
        if copula is not None and not _NO_SUBJECT.match(copula["bare"]):
            yield _Hit((copula["bare"],), 0, copula.end(), "law")
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
                yield _Hit(terms, match.start(), match.end(), one.form, one.relation)

    def _by_reference(self, passage: Passage, known: set[str], taken: set[int]) -> Iterator[Definition]:
        """ "les associations cultuelles au sens de l'article 18": the meaning is given there."""
        text = passage.text
        for match in _BY_REFERENCE.finditer(text):
            cited = next((one for one in passage.citations if one.whole_start >= match.end() - 1), None)
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

    def _is_scope(self, cited: Citation) -> bool:
        """Whether "au sens du présent titre" tells where a definition holds, and not what gives it."""
        node = self._index.node(cited.urn) if cited.urn else None
        return node is not None and node.structure_type in CONTAINER_TYPES

    # Scope

    def _scope(self, passage: Passage, hit: _Hit) -> tuple[tuple[str, ...], str, bool]:
        """The nodes governed, the words that say so, and whether position says it instead."""
        section = self._index.section(passage.node)
        start, end = _sentence(passage.text, hit.start)
        found = self._in_text(passage, start, end)
        if found is None and hit.form != "inline":
            for one in self._index.chain(passage.node)[1:]:
                lead = self._passage_of(one.urn)
                found = self._in_text(lead, 0, len(lead.text)) if one.intro_text else None
                if found is not None or one is section:
                    break
        if found is not None:
            return found
        if section is None:
            return (passage.node.urn,), "", True
        if hit.form == "law":
            return (self._index.root.urn,), "", True
        container = self._index.tree.parent(section)
        wide = hit.form == "named" and container is not None
        return ((container.urn if wide and container is not None else section.urn),), "", True

    def _in_text(self, passage: Passage, start: int, end: int) -> tuple[tuple[str, ...], str, bool] | None:
        for place, cited in enumerate(passage.citations):
            if not start <= cited.whole_start < end:
                continue
            lead = _SCOPE_LEAD.search(passage.text[max(start, cited.whole_start - 80) : cited.whole_start])
            if lead is None:
                continue
            members = [one for one in passage.citations[place:] if one.whole_start == cited.whole_start]
            nodes = list(self._nodes(members))
            if nodes:
                offset = max(start, cited.whole_start - 80) + lead.start()
                words = " ".join(passage.text[offset : cited.whole_end].split()).lstrip(".; ")
                unsure = not all(one.confident for one in members)
                return tuple(dict.fromkeys(one.urn for one in nodes)), words, unsure
        return None

    def _nodes(self, members: list[Citation]) -> Iterator[ParsedNode]:
        """The nodes of one list of citations in this document; ranges by the order of the nodes."""
        previous: ParsedNode | None = None
        for one in members:
            node = self._index.node(one.urn) if one.urn else None
            if node is not None and one.range == "end" and previous is not None:
                siblings = self._index.tree.children(node.parent_urn or "")
                places = {sibling.urn: place for place, sibling in enumerate(siblings)}
                if previous.urn in places:
                    yield from siblings[places[previous.urn] + 1 : places[node.urn]]
            if node is not None:
                yield node
            previous = node


def _terms(match: re.Match[str]) -> tuple[str, ...]:
    groups = match.groupdict()
    quoted = groups.get("quoted")
    if quoted:
        return tuple(" ".join(one["term"].split()) for one in _QUOTE.finditer(quoted))
    return (" ".join((groups.get("bare") or "").split()),)


def _head(before: str) -> str:
    """The noun phrase that a text ends with: from its last article, else its last words."""
    starts = [one.end() for one in _HEAD.finditer(before)]
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
