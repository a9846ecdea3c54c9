"""The verdict on one quotation: whether the provision has its words, and whether what was cut turns their meaning."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from rag.citecheck.compare import (
    Found,
    Nearest,
    Passage,
    changes_by_brackets,
    find_in,
    is_exact,
    nearest,
    run_text,
    words_between,
)
from rag.citecheck.limits import Said, said_by
from rag.citecheck.model import DOUBT, TextVerdict
from rag.citecheck.sources import Provision, Sources
from rag.citecheck.words import (
    Element,
    clean_quotation,
    elements_of,
    goes_on_narrowing,
    guess_language,
    narrows,
    weigh,
    weighs,
)
from rag.languages.word_by_word import word_list
from rag.verification.ledger import CITED
from rag.verification.lists import cut_list
from rag.verification.model import Reason
from rag.verification.norm import whole_sentences

NOT_SEARCHED = "NOT_SEARCHED: Whether another provision says this was not looked for: too many in this text."
UNLIKE = "NOT_IN_PROVISION"  # the reason of a quotation of which the provision has neither the words nor any like them
_WHOLE = "QUOTE: The provision has these words, as whole sentences."
_SURE = 0.9  # share of common words from which a passage is what was meant, so that the store is not searched
_SEARCHED_WORDS = 5
_OPENING, _CLOSING = " \"'“‘«„(", " \"'”’»)"
_STEM = 4  # letters that forms of one word share
_PRONOUNS = frozenset(
    word_list(
        """
    he she it they him them his her its their this that these those such er sie es ihm ihn ihr ihnen sein seine seiner
    dieser diese dieses il elle ils elles lui leur celui celle ceux ce cette cet son sa ses
    """
    )
)
_SMALL = frozenset(word_list("a an the der die das den dem des ein eine einer eines le la les l un une des du de of"))


@dataclass(frozen=True, slots=True)
class Judgement:
    """A verdict with its reasons and the provision that was compared; of what is SUPPORTED by a sentence of it, too,
    what it says by that.
    """

    verdict: TextVerdict
    reasons: tuple[str, ...]
    urn: str | None
    said: Said | None = None

    @property
    def is_missing(self) -> bool:
        """Whether the provision was found not to have the words."""
        return self.verdict == "MISQUOTED" or any(reason.startswith("STANDS_ELSEWHERE") for reason in self.reasons)


def speaks_against(
    verdict: TextVerdict, evidence: Sequence[str], urn: str | None, notes: Sequence[str] = ()
) -> Judgement:
    """What some evidence makes of a text: the verdict where one kind of it decides, else a doubt.

    Args:
        evidence: lines `CODE: sentence`, whose codes are in the ledger.
        notes: further lines.
    """
    if any(CITED[line.partition(":")[0]].decides for line in evidence):
        return Judgement(verdict, (*evidence, *notes), urn)
    told = f"{DOUBT}: The law may say otherwise, which code cannot tell for certain; check it."
    return Judgement("UNVERIFIED", (told, *evidence, *notes), urn)


@dataclass(frozen=True, slots=True)
class Quoted:
    """A quotation to be judged: its cleaned words and their elements."""

    words: str
    elements: tuple[Element, ...]


def judge_found(quoted: Quoted, provision: Provision, found: Found) -> Judgement:
    """The verdict on a quotation whose words stand in the provision it is attributed to."""
    passage = provision.own
    touched = [word.node for run in found.runs for word in passage.words[run.first : run.last]]
    urn = passage.urns[touched[0]]
    struck = [passage.urns[number] for number in touched if passage.urns[number] in provision.struck]
    if struck:
        return Judgement("OVERRIDDEN", (f"OVERRIDDEN: A court took {struck[0]} away.",), urn)
    altered = _bracket_changes(passage, found)
    if altered:
        return speaks_against("ALTERED", altered, urn)
    notes: list[str] = []
    if any(element.text for element in found.between) or found.added:
        notes.append("BRACKETS: The words in brackets are the author's; the others are the text's.")
    if len(found.runs) == 1:
        exact, capitals = is_exact(passage, found, quoted.words)
        if not exact:
            reason = (
                f"PUNCTUATION: The words are the text's, the punctuation is not: “{run_text(passage, found.runs[0])}”."
            )
            return speaks_against("MISQUOTED", (reason,), urn)
        if not capitals:
            notes.append("CAPITALS: The text has other capital letters.")
    else:
        notes.append("ELLIPSIS: Words are left out where the quotation says so.")
    spliced = _spliced(provision, found)
    if spliced:
        return speaks_against("ALTERED", (spliced,), urn, notes)
    if _is_term(passage, found):
        return Judgement("SUPPORTED", ("QUOTE: The provision has these words as a term of its own.", *notes), urn)
    judged = _weighed(quoted, provision, found, urn, notes)
    if judged.verdict == "SUPPORTED":
        said = said_by(urn, _own_words(passage, found), provision, whole=judged.reasons[0] == _WHOLE)
        judged = replace(judged, said=said)
    unknown = _unknown_brackets(provision, found) if judged.verdict == "SUPPORTED" else ""
    return Judgement("UNVERIFIED", (unknown, *judged.reasons), urn) if unknown else judged


def _own_words(passage: Passage, found: Found) -> str:
    """The law's words from the first to the last of those found in the first text that has some."""
    first = passage.words[found.runs[0].first]
    last = [word for run in found.runs for word in passage.words[run.first : run.last] if word.node == first.node][-1]
    return passage.texts[first.node][first.start : last.end]


def _is_term(passage: Passage, found: Found) -> bool:
    """Whether the words found are what the provision itself puts between quotation marks: a term, of which no sentence
    was cut.
    """
    first, last = passage.words[found.runs[0].first], passage.words[found.runs[-1].last - 1]
    text = passage.texts[first.node]
    marks = (text[first.start - 1 : first.start], text[last.end : last.end + 1])
    return len(found.runs) == 1 and first.node == last.node and marks in _QUOTED


def _unknown_brackets(provision: Provision, found: Found) -> str:
    """What the author's brackets say that the provision's words do not; empty where they only explain or inflect."""
    edits = [
        (words_between(provision.own, left, right) if element.kind == "edit" else "", element.text)
        for (left, right), element in zip(pairwise(found.runs), found.between, strict=True)
    ]
    for replaced, inserted in (*edits, *(("", word) for word in found.added)):
        # A pronoun is explained by the section around it, other words by nothing but the provision's own.
        explains = any(word in _PRONOUNS for word in _terms(replaced))
        known = {word[:_STEM] for word in (provision.around if explains else provision.own).words.texts}
        kept = {word[:_STEM] for word in _terms(inserted)}
        new = kept - known - {word[:_STEM] for word in _SMALL}
        lost = {word[:_STEM] for word in _terms(replaced) if word not in _SMALL and word not in _PRONOUNS} - kept
        if inserted and (new or lost):
            instead = f"stands where the text has “{replaced}”" if replaced else "is none of the text's words"
            return f"BRACKETS_OPEN: “[{inserted}]” {instead}; whether it says the same was not checked."
    return ""


def _terms(text: str) -> list[str]:
    return re.findall(r"[^\W\d_]+", text.casefold())


def _bracket_changes(passage: Passage, found: Found) -> tuple[str, ...]:
    for (left, right), element in zip(pairwise(found.runs), found.between, strict=True):
        replaced = words_between(passage, left, right)
        # Beside an ellipsis the words in brackets are put in, and stand for nothing.
        stands_for = replaced if element.kind == "edit" else ""
        if changes_by_brackets(stands_for, element.text):
            return (f"BRACKETS_CHANGE: “[{element.text}]” stands where the text has “{replaced}”.",)
    for word in found.added:
        if changes_by_brackets("", word):
            return (f"BRACKETS_CHANGE: The text does not have “[{word}]”.",)
    return ()


def _sentence_spans(provision: Provision, node: int, start: int, end: int) -> tuple[tuple[int, int], ...]:
    return whole_sentences(provision.own.texts[node], start, end, provision.rule.language)


def _spliced(provision: Provision, found: Found) -> str:
    """Why two parts of a quotation may not be read as one sentence; empty where they may."""
    words = provision.own.words
    for left, right in pairwise(found.runs):
        before, after = words[left.last - 1], words[right.first]
        here = _sentence_spans(provision, before.node, before.start, before.end)[-1]
        there = _sentence_spans(provision, after.node, after.start, after.end)[0]
        if before.node == after.node and here == there:
            continue
        last = left.last == len(words) or words[left.last].node != before.node or words[left.last].start >= here[1]
        first = right.first == 0 or words[right.first - 1].node != after.node or words[right.first - 1].end <= there[0]
        listed = before.node != after.node and _is_item(provision, after.node)
        if not (last and first) and not listed:
            return "SPLICED: The ellipsis joins parts of different sentences."
    return ""


def _is_item(provision: Provision, node: int) -> bool:
    return any(version.lead_in for version in provision.evidence.versions(provision.own.urns[node]))


def _whole(provision: Provision, found: Found) -> str:
    """The whole sentences that a quotation touches, with the lead-in and the words after its list."""
    passage = provision.own
    pieces: list[str] = []
    nodes = list(dict.fromkeys(word.node for run in found.runs for word in passage.words[run.first : run.last]))
    touched = {passage.urns[node] for node in nodes}
    leads: dict[str, None] = {}
    for node in nodes:
        spans: dict[tuple[int, int], None] = {}
        for run in found.runs:
            own = [word for word in passage.words[run.first : run.last] if word.node == node]
            if own:
                spans.update(dict.fromkeys(_sentence_spans(provision, node, own[0].start, own[-1].end)))
        text, urn = passage.texts[node], passage.urns[node]
        for block in provision.evidence.versions(urn)[:1]:
            first = not text[: min(spans)[0]].strip()
            lead = _last_sentence(block.lead_in, provision.rule.language)  # what stands before it is said by itself
            if first and lead and urn.rpartition(":")[0] not in touched and lead not in leads:
                leads[lead] = None
                pieces.append(lead)
        pieces += [text[slice(*span)] for span in sorted(spans)]
        for block in provision.evidence.versions(urn)[:1]:
            if block.flush and node == nodes[-1] and not text[max(spans)[1] :].strip() and urn.count(":") > 4:
                pieces.append(block.flush)
    return " ".join(pieces)


def _last_sentence(text: str, language: str) -> str:
    text = text.rstrip()
    return text[whole_sentences(text, len(text) - 1, len(text), language)[-1][0] :] if text else ""


def _is_cut_list(provision: Provision, found: Found) -> bool:
    """Whether a quotation has a lead-in and some items of a list that must be told whole."""
    passage = provision.own
    nodes = dict.fromkeys(word.node for run in found.runs for word in passage.words[run.first : run.last])
    urns = {passage.urns[node] for node in nodes}
    items = [urn for urn in urns if urn.rpartition(":")[0] in urns]
    blocks = provision.evidence.blocks
    return cut_list(sorted(items), blocks, provision.rule.language) is not None if items else False


def _weighed(quoted: Quoted, provision: Provision, found: Found, urn: str, notes: list[str]) -> Judgement:
    """The verdict by what the whole sentences have and the quotation has not."""
    language = provision.rule.language
    whole = _whole(provision, found)
    kept = "; ".join(run_text(provision.own, run) for run in found.runs)
    if _is_cut_list(provision, found):
        reason = f"{Reason.LIST_INCOMPLETE}: The quotation states a part of a list that must be told whole."
        return Judgement("UNVERIFIED", (reason, *notes, f"SENTENCE: “{' '.join(whole.split())}”"), urn)
    if _words_of(whole) == _words_of(kept):
        return Judgement("SUPPORTED", (_WHOLE, *notes), urn)
    notes = ["QUOTE: The provision has these words, as a part of a sentence.", *notes]
    if not weighs(language):
        reason = f"LANGUAGE: Whether the rest of the sentence turns the meaning is not checked in {language}."
        return Judgement("UNVERIFIED", (reason, *notes), urn)
    full, part = (weigh(part, language) for part in (whole, kept))
    sentence = f"SENTENCE: “{' '.join(whole.split())}”"
    if full.turning - part.turning:
        reason = "CUT: The rest of the sentence negates; whether that turns the quoted words is open."
        return speaks_against("ALTERED", (reason,), urn, (*notes, sentence))
    if full.limiting - part.limiting:
        reason = "CUT: The rest of the sentence limits what the quoted part says; whether the author says so is open."
        return Judgement("UNVERIFIED", (reason, *notes, sentence), urn)
    gaps = zip(pairwise(found.runs), found.between, strict=True)
    left_out = [words_between(provision.own, *runs) for runs, element in gaps if element.kind == "gap"]
    if any(narrows(word, language) for word in left_out):
        reason = "CUT: What the ellipsis leaves out may narrow what is quoted; whether the author says so is open."
        return Judgement("UNVERIFIED", (reason, *notes, sentence), urn)
    if _reads_as_whole(quoted, provision, found):
        reason = "CUT: The quotation reads as a whole sentence, and the provision's sentence says more."
        return Judgement("UNVERIFIED", (reason, *notes, sentence), urn)
    return Judgement("SUPPORTED", tuple(notes), urn)


_QUOTED = {("“", "”"), ('"', '"'), ("„", "“"), ("«", "»"), ("‘", "’"), ("'", "'")}


def _reads_as_whole(quoted: Quoted, provision: Provision, found: Found) -> bool:
    """Whether a part of a sentence looks like all of it: from its beginning, or with a capital put there, to a full
    stop or to where the text goes on with what narrows it (`that`, `or`).
    """
    words, texts = provision.own.words, provision.own.texts
    first, last = words[found.runs[0].first], words[found.runs[-1].last - 1]
    begins = _begins_sentence(provision, found)
    if not begins and not (quoted.words.lstrip(_OPENING)[:1].isupper() and texts[first.node][first.start].islower()):
        return False
    end = _sentence_spans(provision, last.node, last.start, last.end)[-1][1]
    rest = texts[last.node][last.end : end]
    if quoted.words.rstrip(_CLOSING).endswith((".", "!", "?")):
        return not begins or re.search(r"\w", rest) is not None
    return goes_on_narrowing(rest, provision.rule.language)


def _begins_sentence(provision: Provision, found: Found) -> bool:
    """Whether a quotation has the beginning of its sentence, its subject: a later part leans on the author's words."""
    word = provision.own.words[found.runs[0].first]
    start = _sentence_spans(provision, word.node, word.start, word.end)[0][0]
    return not provision.own.texts[word.node][start : word.start].strip(' \t\n“”"«»„(')


def _words_of(text: str) -> Counter[str]:
    return Counter(word.strip(".,;:()") for word in text.casefold().split()) - Counter({"": 10**6})


def judge_heading(quoted: Quoted, provision: Provision) -> Judgement | None:
    """SUPPORTED where a quotation is the heading of the provision or of one that contains it; None where it is not."""
    words = [element.text for element in quoted.elements]
    for urn, heading in provision.headings:
        if heading and [element.text for element in elements_of(clean_quotation(heading))] == words:
            return Judgement("SUPPORTED", (f"HEADING: It is the heading of {urn}.",), urn)
    return None


def judge_missing(quoted: Quoted, provision: Provision, others: Sequence[Provision], sources: Sources) -> Judgement:
    """The verdict on a quotation whose words the provision it is attributed to does not have."""
    rule = provision.rule
    elsewhere = _place(provision.around, quoted.elements) or next(
        (place for provision in others if (place := _place(provision.own, quoted.elements))), ""
    )
    if elsewhere:
        told = f"STANDS_ELSEWHERE: {rule.urn} does not say so; {elsewhere} does."
        return speaks_against("MISQUOTED", (told,), elsewhere)
    near = nearest(provision.own, quoted.words)
    spoken = guess_language(quoted.words)
    if near is None and spoken and spoken != rule.language:
        reason = f"TRANSLATION: The quotation is in {spoken}, the store's text in {rule.language}; not compared."
        return Judgement("UNVERIFIED", (reason,), rule.urn)
    told, notes = _differences(near, rule.urn), list[str]()
    if (near is None or near.share < _SURE) and sum(one.kind == "word" for one in quoted.elements) >= _SEARCHED_WORDS:
        places = sources.elsewhere(quoted.elements, quoted.words, rule.language) if sources.searches_left else []
        told += [f"STANDS_ELSEWHERE: The words stand in {', '.join(places[:3])}."] if places else []
        if not sources.searches_left:
            notes.append(NOT_SEARCHED)
    if not told:
        told = [f"{UNLIKE}: {rule.urn} does not have these words, nor any like them."]
    return speaks_against("MISQUOTED", told, near.urn if near else rule.urn, notes)


def _place(passage: Passage, elements: Sequence[Element]) -> str:
    found = find_in(passage, elements)
    return passage.urns[passage.words[found.runs[0].first].node] if found else ""


def _differences(near: Nearest | None, urn: str) -> list[str]:
    if near is None:
        return []
    return [f"DIFFERS: In {near.urn or urn} {'; '.join(near.differences) or 'the words stand in another order'}."]
