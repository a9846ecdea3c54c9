"""Finding what a French provision defines, and where the definition holds.

Accepted: "on entend par" with its lists, "sont considérés comme X, au sens de", "l'expression X s'entend de", the
copula at an alinéa's start ("Le prêt est le contrat ..."), "s'appelle", "ci-après dénommé". "au sens de l'article N"
fetches a definition by reference. Fictions and presumptions ("est réputé", "est présumé") define nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from rag.languages.fr.forms import LIST_LEAD, Hit, hits, list_item, listed_lines, listing
from rag.law.jurisdiction import DocumentIndex
from rag.law.nodes import CONTAINER_TYPES, Definition, ParsedNode
from rag.law.passages import Citation, Passage
from rag.law.term_uses import TermRules

_I = re.IGNORECASE
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
                target = self._meaning(passage, hit) if hit.relation == "reference" else ""
                found.extend(
                    Definition(term, passage.node.urn, urn, hit.relation, inferred, phrase, target) for urn in urns
                )
        found.extend(self._by_reference(passage, known, taken))
        return found

    def _hits(self, passage: Passage) -> Iterator[Hit]:
        parent = self._index.tree.parent(passage.node)
        if parent is not None and LIST_LEAD.search(self._passage_of(parent.urn).text[-240:]):
            item = list_item(passage.text)
            if item is not None:
                yield item
                return
        among = any(_DEFINITIONS.search(unit.heading) for unit in self._index.chain(passage.node))
        if among:
            yield from listing(passage.text, [child.text for child in self._index.tree.children(passage.node.urn)])
        if "\n" in passage.text:
            yield from listed_lines(passage.text)
        yield from hits(passage.text, among=among)

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
        if found is None and hit.form != "inline":
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
