"""What a sentence of a decision does to a reference in it: held unconstitutional, overruled, followed ...

Pure code over a language's table. The sentence is rewritten first: the reference, with what belongs to it, becomes one
character, every other reference another, quoted words a third. What the table has (verbs with their voice, predicates,
phrases before and after) then needs no knowledge of citations, and must be directly at the reference or at a noun that
carries it ("the rule in R"). What an argument, a condition, a question, a wish, a denial or a dissent says is no
treatment. Precision goes before recall: what is not plain gives None.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, Literal

TreatmentKind = Literal[
    "held_unconstitutional", "void", "enjoined", "overruled", "reversed", "affirmed", "distinguished", "followed",
    "interpreted",
]  # fmt: skip
Actor = Literal["this decision", "another decision"]
On = Literal["any", "case", "law"]  # what a phrase is said of

NAMED, COMPLEMENT = "{named}", "{complement}"  # places in the sources of patterns
REFERENCE, OTHER, QUOTED = "\ue000", "\ue001", "\ue002"
_QUOTES = re.compile(r"“[^“”]*”|\"[^\"]*\"|(?<!\w)[`‘][^`‘’']*[’'](?!\w)")

_LONGEST = 4_000  # characters of a sentence that is read; what is longer is a list or not cut rightly
_SHORT = 6  # spaces in a quotation that is a word or a phrase of law; a longer one is read as the rest is


@dataclass(frozen=True, slots=True)
class Treatment:
    """What a sentence does to a reference; `start` and `end` are the words that say so, offsets into the sentence."""

    kind: TreatmentKind
    by: Actor
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Said:
    """One way of saying a treatment, with `NAMED` where the reference is, and `COMPLEMENT` after it."""

    kind: TreatmentKind
    on: On
    source: str
    needs: bool = False  # says it only where a court's verb precedes


@dataclass(frozen=True)
class TreatmentWords:
    """How decisions of a language say what they do to others; every text is the source of a pattern.

    Attributes:
        said: every way of saying a treatment.
        declares, declared: verbs by which a court says that something is so: `held`, active and as a participle.
        be: the auxiliaries of the passive and of predicates, without those of a wish.
        to_be: between a verb of declaring and what it declares.
        by: what follows the participle of a history: `reversed by`, `affirmed this day`.
        adverbs: what may be between an auxiliary and its verb.
        case_heads, law_heads: nouns with their preposition that carry a reference: `the rule laid down in`.
        asides: what may follow a reference before its verb: `, relied on by counsel,`.
        complements: what begins the rest of a noun phrase after a reference to law: `a statute requiring ...`.
        joint: between the members of a list.
        constitutional: grounds of the constitution, by which what is void is unconstitutional.
        instruments: references that are orders and the like, which are void and never unconstitutional.
        argues, decides: verbs and nouns by which a party, and a court, says what follows.
        continues: what goes on with the clause before it after a semicolon: `; and that`.
        argued: what opens an aside that says whose words went before: `, as counsel contends`.
        supposes: conditions, questions, other opinions: what follows is not said to be so.
        wishes: modals of a wish or a possibility, directly before.
        performs: words by which a court does what it says, whatever precedes.
        denies: negations directly before.
        dissents: what only a separate opinion says.
        separate: how the paragraph begins from which on an opinion is a separate one.
        other, own: the subject of a sentence about another decision, and of one of this decision.
        case: how a reference to a decision is told from one to law.
        citations: every citation in a running text.
        tail: what belongs to a reference after it: a year, a page.
        name: the name of a case, at the end of the text before its citation.
    """

    said: tuple[Said, ...]
    declares: str
    declared: str
    be: str
    to_be: str
    by: str
    adverbs: str
    case_heads: str
    law_heads: str
    asides: str
    complements: str
    joint: str
    constitutional: str
    instruments: str
    argues: str
    continues: str
    argued: str
    decides: str
    supposes: str
    wishes: str
    performs: str
    denies: str
    dissents: str
    separate: str
    other: str
    own: str
    case: str
    citations: str
    tail: str
    name: str

    @classmethod
    def read(cls, table: Mapping[str, Any], *, case: str, citations: str, tail: str, name: str) -> TreatmentWords:
        """The words of a language's table (`treatments.toml`); how it cites is given by its code.

        Raises:
            KeyError: the table lacks an entry.
        """
        either: dict[str, str] = {
            key: words if isinstance(words, str) else "|".join(words)
            for group in ("court", "grammar", "heads", "no_treatment")
            for key, words in table[group].items()
        }
        heads = rf"{either.pop('words')}(?:{either.pop('case')})(?:,? (?:{either.pop('case_links')}))"
        laws = either.pop("law")
        for key in ("laws", "decisions"):
            either.pop(key)
        said: list[Said] = []
        is_ = rf"(?:{either['be']}) (?:(?:{either['adverbs']}),? ){{0,2}}"
        for kind, verbs in table["verbs"].items():
            for active, acting, participle in verbs:
                on = table["of"].get(kind, "any")
                said.append(Said(kind, on, rf"\b(?:{active}|{acting}) {NAMED}"))
                said.append(Said(kind, on, rf"{NAMED},? {is_}(?:{participle})\b"))
                said.append(Said(kind, on, rf"{NAMED},? (?:{participle}),? (?:{either['by']})\b"))
        for kind, predicates in table["predicates"].items():
            words = "|".join(predicates)
            to_be = rf"(?:{either['to_be']})?(?:{words})\b"
            said.append(Said(kind, "any", rf"\b(?:{either['declares']}) {NAMED} {to_be}"))
            for predicate in (rf"(?:{either['declared']}) {to_be}", rf"(?:{words})\b"):
                said.append(Said(kind, "any", rf"{NAMED},? {is_}{predicate}"))
                said.append(Said(kind, "law", rf"{NAMED}{COMPLEMENT},? {is_}{predicate}"))
        for row in table["said"]:
            kind, on, needs = row["treatment"], row.get("of", "any"), row.get("needs", False)
            said += [Said(kind, on, rf"\b(?:{'|'.join(row['before'])}) {NAMED}", needs)] if "before" in row else []
            said += [Said(kind, on, rf"{NAMED},? (?:{'|'.join(row['after'])})", needs)] if "after" in row else []
        return cls(
            tuple(said),
            case_heads=heads,
            law_heads=laws,
            case=case,
            citations=citations,
            tail=tail,
            name=name,
            **either,
        )

    @cached_property
    def forms(self) -> tuple[tuple[Said, re.Pattern[str]], ...]:
        """Every way of saying a treatment as a pattern, with the reference in its place."""
        return tuple((said, _compiled(self._with_phrase(said.source, said.on), re.IGNORECASE)) for said in self.said)

    def _with_phrase(self, source: str, on: On) -> str:
        heads = {"case": self.case_heads, "law": self.law_heads, "any": f"{self.case_heads}|{self.law_heads}"}[on]
        members = rf"(?:[{REFERENCE}{OTHER}](?:{self.asides})?(?:{self.joint}))"
        rest = rf"(?:(?:{self.joint})[{OTHER}](?:{self.asides})?)"
        phrase = rf"(?:(?:{heads}) ){{0,2}}{members}*{REFERENCE}(?:{self.asides})?{rest}*"
        return source.replace(NAMED, phrase).replace(COMPLEMENT, rf"(?:,? (?:{self.complements}) [^;:.]{{1,400}}?)?")


def treatment_of(
    sentence: str, start: int, end: int, words: TreatmentWords, *, separate: bool = False
) -> Treatment | None:
    """What a sentence does to the reference that is in it.

    Args:
        sentence: one sentence of a decision.
        start: where the reference begins, as an offset into the sentence.
        separate: whether it is in a dissenting or concurring opinion, which decides nothing.

    Returns:
        The treatment; None where the sentence says none, or not plainly.
    """
    if separate or len(sentence) > _LONGEST or _words(words.dissents).search(sentence):
        return None
    marked = _Marked.of(sentence, start, end, words)
    is_case = bool(_compiled(words.case).search(marked.reference))
    for form, pattern in words.forms:
        if form.on != "any" and (form.on == "case") != is_case:
            continue
        match = pattern.search(marked.text)
        if match is None or not _is_decided(marked.text, match, words, needs=form.needs):
            continue
        named = _ground(form.kind, marked, words)
        low, high = marked.place(match.start()), marked.place(match.end())
        return Treatment(named, _actor(marked.text, match, words), low, high)
    return None


def begins_separate(paragraph: str, words: TreatmentWords) -> bool:
    """Whether a separate opinion begins with a paragraph of a decision, and goes on to the decision's end."""
    return _compiled(words.separate).match(paragraph) is not None


def _ground(kind: TreatmentKind, marked: _Marked, words: TreatmentWords) -> TreatmentKind:
    """What is void for reasons of the constitution is unconstitutional; orders and judgments are void."""
    if kind != "void" or _words(words.instruments).search(marked.reference):
        return kind
    return "held_unconstitutional" if _words(words.constitutional).search(marked.text) else kind


def _is_decided(text: str, match: re.Match[str], words: TreatmentWords, *, needs: bool) -> bool:
    """Whether a court says so, and says that it is so."""
    before = _clause(text[: match.start()], words)
    with_head = (
        before + match[0].partition(REFERENCE)[0]
    )  # nouns that carry the reference may take in more than they are
    argued = _last(_words(words.argues), with_head)
    decided = _last(_words(words.decides), before)
    if argued > decided or (needs and decided < 0):
        return False
    performed = _words(words.performs).search(match[0])
    supposed = _last(_words(words.supposes), with_head)
    if supposed > decided and not performed:
        return False
    near = " ".join(before.rpartition(",")[2].split()[-5:])
    if _words(f"{words.denies}|{words.wishes}").search(near):
        return False
    return not _compiled(rf"\A,? (?:{words.argued}) [^.;,]{{0,30}}?\b(?:{words.argues})\b", re.IGNORECASE).search(
        text[match.end() :]
    )


def _clause(before: str, words: TreatmentWords) -> str:
    """What precedes in the same sentence, from the semicolon on after which another one begins."""
    start = 0
    for match in re.finditer(r"[;:]\s*", before):
        if not _compiled(rf"(?:{words.continues})\b", re.IGNORECASE).match(before, match.end()):
            start = match.end()
    return before[start:]


def _actor(text: str, match: re.Match[str], words: TreatmentWords) -> Actor:
    other = _last(_words(words.other), text[: match.end()])
    own = _last(_words(words.own), text[: match.end()])
    return "another decision" if other > own else "this decision"


@cache
def _compiled(source: str, flags: int = 0) -> re.Pattern[str]:
    return re.compile(source, flags)


def _words(alternatives: str) -> re.Pattern[str]:
    return _compiled(rf"\b(?:{alternatives})\b", re.IGNORECASE)


def _last(pattern: re.Pattern[str], text: str) -> int:
    """Where a pattern is found last; -1 where it is not."""
    place = -1
    for match in pattern.finditer(text):
        place = match.start()
    return place


@dataclass(frozen=True, slots=True)
class _Marked:
    """A sentence with its references and quotations as single characters."""

    text: str
    reference: str  # the reference as written, with what belongs to it
    spans: tuple[tuple[int, int, int], ...]  # place in `text`, and the span of the sentence

    @classmethod
    def of(cls, sentence: str, start: int, end: int, words: TreatmentWords) -> _Marked:
        name = _compiled(rf"(?:{words.name})\Z").search(sentence[:start])
        start = name.start() if name else start
        tail = _compiled(words.tail).match(sentence, end)
        end = tail.end() if tail else end
        spans = [(start, end, REFERENCE)]
        spans += _free(_compiled(words.citations).finditer(sentence), spans, OTHER)
        spans += _free((match for match in _QUOTES.finditer(sentence) if match[0].count(" ") < _SHORT), spans, QUOTED)
        spans += _free(re.finditer(r"\s{2,}|[^\S ]", sentence), spans, " ")
        out: list[str] = []
        places: list[tuple[int, int, int]] = []
        at = length = 0
        for low, high, mark in sorted(spans):
            out += (sentence[at:low], mark)
            length += low - at
            places.append((length, low, high))
            length += 1
            at = high
        return cls("".join((*out, sentence[at:])), sentence[start:end], tuple(places))

    def place(self, offset: int) -> int:
        """The offset into the sentence of an offset into the marked text."""
        shift = 0
        for at, low, high in self.spans:
            if offset <= at:
                break
            shift += high - low - 1
        return offset + shift


def _free(matches: Iterable[re.Match[str]], taken: list[tuple[int, int, str]], mark: str) -> list[tuple[int, int, str]]:
    """The spans of matches that cross none that is taken."""
    return [
        (*match.span(), mark)
        for match in matches
        if all(match.end() <= low or match.start() >= high for low, high, _ in taken)
    ]
