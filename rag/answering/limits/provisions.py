"""What a served sentence must not stand without: the law's own sentences beside it that limit it.

"No person may moor" is half the truth where the next sentence, a sister provision or another section says "subsection
(1) does not apply to a vessel in distress", and a state's rule is where federal law that may preempt it says otherwise.
Each sentence of a claim can be true and the answer still mislead; so code adds these sentences, word for word, however
the claim was drafted. One that opens a list comes with its items.

What reaches a whole chapter or law would follow every claim from it. It stands once, after all claims, and shortly.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from functools import cache, cached_property, lru_cache, partial

from rag.answering.extractive.clauses import takes_back
from rag.answering.extractive.draft import block_sentences
from rag.answering.lists import whole
from rag.languages.base import LimitPhrases
from rag.languages.registry import language_of, language_rules
from rag.languages.stems import stems_of, telling_stems
from rag.verification.claims import verbatim_fallback, verify_claim
from rag.verification.draft import DraftClaim
from rag.verification.judging import Passage
from rag.verification.lists import cut_list
from rag.verification.model import CheckedCitation, CheckedClaim, Evidence, Reason
from retrieval.model import Block, ContextWarning, ScopedContext
from retrieval.paths import parse_urn

# How a law says that it takes something back, and how one provision names another. Pure.


class Reach(IntEnum):
    """How near a sentence comes to a provision that it names."""

    NONE = 0
    WIDE = 1  # it names a whole law or chapter that holds it
    CLOSE = 2  # it names the provision, or a section around it


# Conjunctions beside which lists of numbers are read in any language.
_OR_DASH = ("-", "–")
_UNITS = (r"§{1,2}", r"arts?\.")  # likewise, before a number
_ARABIC = re.compile(r"[1-9]\d{0,3}")


class Naming:
    """How provisions are named in a language: its phrases, and the patterns that are made of them."""

    def __init__(self, phrases: LimitPhrases) -> None:
        self.phrases = phrases
        self.unit = f"(?:{'|'.join((*_UNITS, *phrases.units))})"
        words = "|".join(phrases.joints) or r"(?!)"
        joint = rf"\s?(?:,|;|\b(?:{words})\b)\s?"
        # Numbers between the unit and the one looked for: "subsections (1), (2) and (4)".
        self.others = rf"(?:\(?[\w.]{{1,8}}\)?(?:\(\w{{1,4}}\))?{joint}(?:{joint})?){{0,6}}"
        to = "|".join((*phrases.to, *_OR_DASH))
        self.range = re.compile(
            rf"{self.unit}\s*{self.others}\(?(?P<first>\d{{1,4}}|[a-z])\)?\s?(?:{to})\s?\(?(?P<last>\d{{1,4}}|[a-z])\)?(?!\w)",
            re.IGNORECASE,
        )
        between = "|".join((*phrases.joints, *phrases.to)) or r"(?!)"
        number = r"\(?(?:\d[\w.()~-]*|\([a-z0-9]{1,5}\)[\w()]*|[ivxlc]+|[a-z])\)?"
        # "sections 3 and 4 of this title": the sections are named, and not the title.
        self.placed = re.compile(
            rf"{self.unit}\s*(?:{number},?\s(?:(?:{between})\s)?){{1,12}}(?:{phrases.placed})(?:\s\w+)?", re.IGNORECASE
        )
        # The parts of a provision after its number, and whether others follow: "(1) and (3)".
        self.parts = re.compile(rf"(?P<parts>(?:\s?\(\w{{1,5}}\))*)(?P<more>\s?(?:,|;|-|–|{between})\s?\()?")

        # "paragraph (2) of subsection (b)": the number is one of a part of the section that is named after it.
        inside = rf"\s(?!(?:{between})\b)\w+\s{self.unit}\s*(?P<number>\(?[\w.-]+\)?)"
        self.within = re.compile(inside, re.IGNORECASE)

    @property
    def own(self) -> tuple[tuple[int, re.Pattern[str]], ...]:
        """The words for "this chapter", "this section" and "this subsection", by how many segments both URNs share."""
        return (0, self.phrases.law), (1, self.phrases.section), (2, self.phrases.part)


@cache
def naming(language: str) -> Naming:
    """How provisions are named in a language."""
    return Naming(language_of(language).limits)


@lru_cache(maxsize=4096)  # of sentences of law: those of one context are looked at for each statement
def sets_aside(sentence: str, language: str) -> bool:
    """Whether a sentence says that it goes before another provision, that one does not apply, or to what alone."""
    rules = language_rules(language)
    exceptions = rules.links.exceptions if rules else ()
    known = any(phrase.kind != "subject_to" and phrase.pattern.search(sentence) for phrase in exceptions)
    return known or language_of(language).limits.narrows.search(sentence) is not None


def prevails_over_much(sentence: str, language: str) -> bool:
    """Whether a sentence goes before a whole law or chapter, as "Notwithstanding any provision of this chapter" does.

    It limits a provision there only where both are about the same matter.
    """
    phrases = language_of(language).limits
    begins = phrases.prevails.match(sentence)
    return begins is not None and phrases.law.search(begins[0]) is not None


def speaks_of_its_place(sentence: str, language: str) -> bool:
    """Whether a sentence names its own section or a part of it, as "sales under this subsection" do."""
    return any(levels and said.search(sentence) for levels, said in naming(language).own)


LETTERS = 3  # at most, before the number of an article: `R`, `LO`


def names(sentence: str, cited: Block, other: Block, language: str, around: Iterable[tuple[str, str]] = ()) -> Reach:
    """Whether a sentence of another provision names the cited one or what contains it.

    A sister names it by its designator alone or as "this section", a provision further off by unit and number. What
    is in the context as an exception is known to reach the rule: there the number is enough, or "this chapter".

    Args:
        sentence: of the other provision, with its lead-in.
        cited: a block that a claim cites.
        other: another block of the same context.
        around: what the cited one is in, by kind and number: `chapter`, `35`.

    Returns:
        How near it comes; nothing too where one of the two stands around the other.
    """
    mine, yours = parse_urn(cited.urn), parse_urn(other.urn)
    own = list(mine.segments)
    ways_of = naming(language)
    shared, reach = 0, Reach.NONE
    if other.role == "exception" and any(_names_unit(sentence, kind, number, ways_of) for kind, number in around):
        reach = Reach.WIDE
    if (mine.jurisdiction, mine.corpus) == (yours.jurisdiction, yours.corpus):
        least = min(len(own), len(yours.segments))
        shared = next((at for at in range(least) if own[at] != yours.segments[at]), least)
        if shared == least:
            return Reach.NONE
        reaches = other.role == "exception" or bool(set(cited.applies_to) & set(other.applies_to))
        words = ways_of.placed.sub(" ", sentence)
        if any(said.search(words) for levels, said in ways_of.own if levels and shared >= levels):
            return Reach.CLOSE
        if reaches and ways_of.phrases.law.search(words):
            reach = Reach.WIDE
    elif other.role != "exception" or not own:
        return reach
    number = rf"{_written(own[shared])}(?![\w-]|\.\d)"
    if _in_a_range(sentence, own[shared], ways_of):
        return Reach.CLOSE
    ways = [rf"{ways_of.unit}\s*{ways_of.others}\(?{number}\)?"]
    if ways_of.phrases.number is not None and _ARABIC.fullmatch(own[shared]):
        ways.append(ways_of.phrases.number(int(own[shared])))
    if shared:
        ways.append(rf"\({number}\)")
    elif other.role == "exception" and re.search(r"\d", own[0]):
        ways.append(rf"(?<![\w.-]){number}")
    found = re.finditer("|".join(ways), sentence, re.IGNORECASE)
    close = any(_leads_to(sentence[match.end() :], own[shared + 1 :], ways_of) for match in found)
    return Reach.CLOSE if close else reach


def named_in(sentence: str, urn: str, others: Iterable[str], language: str) -> list[str]:
    """The parts of its own section that a sentence names: "subject to subsection (b)", "nach Absatz 2".

    Args:
        sentence: with its lead-in.
        others: URNs that it may name.

    Returns:
        Those that are named by unit and number, in the order given, without what lies in another of them; neither what
        holds the provision nor what lies in it.
    """
    mine, ways_of = parse_urn(urn), naming(language)
    own, found = mine.segments, list[str]()
    for other in others:
        yours = parse_urn(other)
        least = min(len(own), len(yours.segments))
        shared = next((at for at in range(least) if own[at] != yours.segments[at]), least)
        if (mine.jurisdiction, mine.corpus) != (yours.jurisdiction, yours.corpus) or not 0 < shared < least:
            continue
        number, below = yours.segments[shared], yours.segments[shared + 1 :]
        wanted = rf"{ways_of.unit}\s*{ways_of.others}\(?{_written(number)}(?![\w-]|\.\d)\)?"
        if (not below and _in_a_range(sentence, number, ways_of)) or any(
            _is_exactly(sentence[match.end() :], below, own[:shared], ways_of)
            for match in re.finditer(wanted, sentence, re.IGNORECASE)
        ):
            found.append(other)
    return [part for part in found if not any(part.startswith(f"{other}:") for other in found)]


def names_part(sentence: str, urn: str, part: str, language: str) -> bool:
    """Whether a sentence of a provision names the part of it that another one is, or is in.

    Args:
        urn: of the provision that has the sentence.
        part: URN of the other one, below it.
    """
    ways_of, own, below = naming(language), parse_urn(urn).segments, parse_urn(part).segments
    number = rf"{_written(below[len(own)])}(?![\w-]|\.\d)"
    if _in_a_range(sentence, below[len(own)], ways_of):
        return True
    around = "".join(rf"\({_written(segment)}\)" for segment in own[1:])
    found = re.search(rf"{ways_of.unit}\s*{ways_of.others}(?:{around})?\(?{number}\)?", sentence, re.IGNORECASE)
    return found is not None


def _is_exactly(rest: str, below: Sequence[str], around: Sequence[str], ways_of: Naming) -> bool:
    """Whether what follows a number names a part of it and no more, within what is around: `(2)` of subsection (b)."""
    parts = ways_of.parts.match(rest)
    named = [part.lower() for part in re.findall(r"\w+", parts["parts"])] if parts is not None else []
    if named != list(below[: len(named)]):
        return False
    within = ways_of.within.match(rest, parts.end("parts") if parts is not None else 0)
    return within is None or within["number"].strip("().").lower() in around


def _written(segment: str) -> str:
    """How texts write the number of a URN's segment: `l231-1` is `L. 231-1` in French codes."""
    digits = segment.lstrip("abcdefghijklmnopqrstuvwxyz")
    letters = segment[: len(segment) - len(digits)]
    if not letters or len(letters) > LETTERS or not digits[:1].isdecimal():
        return re.escape(segment)
    return "".join(rf"{letter}\.?\s?" for letter in letters) + rf"\*?\s?{re.escape(digits)}"


def _names_unit(sentence: str, kind: str, number: str, ways_of: Naming) -> bool:
    """Whether a sentence names a chapter or the like by its number: "chapters 3 and 35", "part 110"."""
    unit = rf"\b{re.escape(kind)}s?\s{ways_of.others}{re.escape(number)}(?![\w-]|\.\d)"
    return re.search(unit, sentence, re.IGNORECASE) is not None


def _in_a_range(sentence: str, designator: str, ways_of: Naming) -> bool:
    """Whether a sentence names units from one designator to another, with this one in between."""
    return any(
        _place(span["first"]) <= _place(designator) <= _place(span["last"])
        for span in ways_of.range.finditer(sentence)
        if len({text.isdigit() for text in (span["first"], span["last"], designator)}) == 1
    )


def _place(designator: str) -> tuple[int, str]:
    """What sorts designators of one kind: numbers by value, letters by the alphabet, `aa` after `z`."""
    return (int(designator), "") if designator.isdecimal() else (len(designator), designator.lower())


def _leads_to(rest: str, below: Sequence[str], ways_of: Naming) -> bool:
    """Whether what follows a number leaves room for the rest of a URN: "5(2)" does not name what is below 5(1)."""
    parts = ways_of.parts.match(rest)
    if parts is None or parts["more"]:
        return True
    named = [part.lower() for part in re.findall(r"\w+", parts["parts"])]
    return all(one == other for one, other in zip(named, below, strict=False))


MOST = 6  # limiting sentences added to one answer, a list counting as one; the provisions of further ones are named
LONGEST = 4_000  # characters of a sentence that is added, its list included; the provision of a longer one is named
MOST_WIDE = 2  # sentences about a whole chapter or law that are told, each in one claim; the others are named
MOST_OF_ONE = 2  # provisions of one section that are named one by one
LONGEST_WIDE = 300  # characters of one of those
UNTOLD = "limits"  # kind of the warning that names what limits a claim and is not told with it
OF_LIMITS = "limits_of_limits"  # and of the one that names what limits these
_OPEN = (":", "—", "–")
SAME_MATTER = 3  # words in common by which two sentences of one chapter are about the same matter
_RULES = frozenset({"rule", "federal", "exception"})
_LIMITING = frozenset({"rule", "exception", "possible_exception"})  # blocks that edges between parts of a section name
_ITEM = re.compile(r"\W{0,2}(?:[a-z]{1,4}|\d{1,3})[).]\s", re.IGNORECASE)


class Grounds:
    """What the statements of an answer rest on, and what code has read in it: each thing once, however many statements
    ask for it.

    What is read depends on context and evidence alone, so that all drafts over one context may share it.

    Attributes:
        verified: a drafted claim as `verify_claim` checks it.
        fallback: what `verbatim_fallback` gives for a drafted claim.
        passages: what a judge is shown with a claim and its citations, kept by `rag.answering.judged`.
    """

    def __init__(self, context: ScopedContext, evidence: Evidence) -> None:
        self.context, self.evidence, self.language = context, evidence, evidence.language
        self.verified = cache(partial(verify_claim, evidence=evidence))
        self.fallback = cache(partial(verbatim_fallback, evidence=evidence))
        self.passages: dict[tuple[DraftClaim, tuple[CheckedCitation, ...]], tuple[Passage, ...]] = {}
        self.limits_of = cache(self._limits_of)
        self.limited_by = cache(self._limited_by)

    def standing_for(self, claim: DraftClaim, checked: CheckedClaim) -> CheckedClaim:
        """The claim where it is served, else the whole sentences that it validly cites, else the claim withheld."""
        return checked if checked.level != "WITHHELD" else self.fallback(claim) or checked

    @cached_property
    def rules(self) -> list[Block]:
        """The blocks that say law of their own."""
        return [block for block in self.context.blocks if block.role in _RULES]

    @cached_property
    def with_words(self) -> list[Block]:
        """Those of them that have a text."""
        return [block for block in self.rules if block.text]

    @cached_property
    def preempted_untold(self) -> frozenset[str]:
        """The rules that federal law may preempt of which the context has no text."""
        preempted = (warning for warning in self.context.warnings if warning.kind == "preemption")
        return frozenset(warning.urn or "" for warning in preempted if warning.untold)

    @cached_property
    def _possible(self) -> list[_Limit]:
        examples = _examples(self.context.blocks, self.language)
        return _possible([block for block in self.with_words if block.urn not in examples], self.language)

    @cached_property
    def _around(self) -> dict[str, frozenset[tuple[str, str]]]:
        return _containers(self.context.blocks)

    def _limits_of(self, urn: str) -> list[_Limited]:
        """The blocks of a URN, each with what may limit it, nearest first."""
        found: list[_Limited] = []
        for block in (block for block in self.with_words if block.urn == urn):
            around = frozenset[tuple[str, str]]().union(*(self._around.get(rule, ()) for rule in block.applies_to))
            limits: list[tuple[_Limit, Reach, bool]] = []
            for limit in self._possible:
                reach = names(limit.said, block, limit.block, self.language, around) if limit.aside else Reach.NONE
                if reach and names(limit.lead_in, block, limit.block, self.language, around):
                    reach = Reach.NONE
                follows = limit.nearby and _is_next(block, limit.block, self.with_words)
                if reach or follows:
                    limits.append((limit, reach, follows))
            found.append(_Limited(block, tuple(_above(block, self.with_words, self.language)), tuple(limits)))
        return found

    def _limited_by(self, urn: str) -> list[tuple[Block, str, bool]]:
        """The sentences of its own section that limit a provision by the edges of the store, and whether for certain:
        of what it yields to all, else those that have the words of the edge."""
        found: dict[tuple[str, str], tuple[Block, str, bool]] = {}
        for one in self.context.limiting:
            if not _lies_in(urn, one.limited) or _lies_in(urn, one.by) or _lies_in(one.by, urn):
                continue
            said = [
                (block, sentence)
                for block in self.context.blocks
                if block.role in _LIMITING and _lies_in(block.urn, one.by)
                for sentence in _sentences(block, self.language)
            ]
            if one.words:
                words = one.words.removesuffix("…")
                having = [pair for pair in said if pair[0].urn == one.by and words in pair[1]]
                aside = [pair for pair in having if sets_aside(pair[1], self.language)]
                said = aside or having or said[:1]
            for block, sentence in said:
                known = found.get((block.urn, sentence))
                found[block.urn, sentence] = (block, sentence, one.certain or (known is not None and known[2]))
        return [*found.values()]


def _lies_in(urn: str, other: str) -> bool:
    """Whether a provision is another one or a part of it."""
    return f"{urn}:".startswith(f"{other}:")


def with_companions(
    served: Sequence[CheckedClaim], grounds: Grounds
) -> tuple[list[CheckedClaim], list[ContextWarning]]:
    """The claims of an answer, each followed by the sentences that limit it and are not told elsewhere in the answer.

    Args:
        served: verified claims, in their order.

    Returns:
        The claims with those added, which carry `Reason.LIMITS`, what only may limit them after the others and with
        `Reason.MAY_LIMIT` too, and those about a whole chapter or law last; and warnings that name provisions of which
        a limiting sentence is not among them, because there are too many, because it could not be verified, because it
        is too long or because it limits what is added.
    """
    company = _Company(grounds)
    out: list[CheckedClaim] = []
    for claim in company.telling(served):
        out.append(claim)
        out.extend(company.limiting(claim))
    out.extend(company.possibly_limiting())
    company.limiting_limits(out)
    out.extend(company.about_all(out))
    return out, company.warnings()


class _Company:
    """The limiting sentences of one answer, each told once."""

    def __init__(self, grounds: Grounds) -> None:
        self.grounds = grounds
        self.language = grounds.language
        self.told: set[tuple[str, str]] = set()  # URN and sentence
        self.texts: set[str] = set()
        self.added = 0
        self.left: dict[str, None] = {}  # URNs of what is only named
        self.wide: dict[tuple[str, str], Block] = {}  # URN and sentence of what reaches a whole chapter or law
        self.left_wide: dict[str, Block] = {}
        self.possible: dict[tuple[str, str], Block] = {}  # URN and sentence of what may limit a claim
        self.of_limits: dict[str, None] = {}  # URNs of what limits, or may limit, what limits a claim
        self.preempted: dict[str, None] = {}  # URNs of rules that federal law without a text here may preempt

    def telling(self, served: Sequence[CheckedClaim]) -> list[CheckedClaim]:
        """The claims, each once; of a list that goes on beyond a claim the provisions are named."""
        found = list({(checked_claim.text, checked_claim.level): checked_claim for checked_claim in served}.values())
        for claim in (claim for claim in found if Reason.LIST_GOES_ON in claim.reasons):
            cut = cut_list([cited.urn for cited in claim.citations], self.grounds.rules, self.language)
            self.left.update(dict.fromkeys(item.urn for item in cut.items) if cut is not None else {})
        self.told = {(cited.urn, cited.sentence) for finding in found for cited in finding.citations}
        self.texts = {finding.text for finding in found}
        return found

    def limiting(self, claim: CheckedClaim) -> Iterator[CheckedClaim]:
        """The sentences that limit a claim and are not told yet; those that reach far are kept for the end."""
        cited = dict.fromkeys(citation.urn for citation in claim.citations)
        rules = (rule for block in self.grounds.rules if block.urn in cited for rule in block.applies_to)
        self.preempted.update(dict.fromkeys(rule for rule in rules if rule in self.grounds.preempted_untold))
        for block, sentence, wide in _limits(self.grounds, claim):
            if wide and not self._is_told(block, sentence):
                self.wide.setdefault((block.urn, sentence), block)
            else:
                yield from self._added(block, sentence)
        for block, sentence, certain in (pair for urn in cited for pair in self.grounds.limited_by(urn)):
            if certain:
                yield from self._added(block, sentence)
            else:
                self.possible.setdefault((block.urn, sentence), block)

    def possibly_limiting(self) -> Iterator[CheckedClaim]:
        """The sentences that may limit the claims and are not told yet."""
        for (_, sentence), block in self.possible.items():
            for claim in self._added(block, sentence):
                yield replace(claim, reasons=(*claim.reasons, Reason.MAY_LIMIT))

    def limiting_limits(self, claims: Sequence[CheckedClaim]) -> None:
        """Note what limits, or may limit, what was added, and is not told yet."""
        cited = {citation.urn for claim in claims for citation in claim.citations}
        for claim in (claim for claim in claims if Reason.LIMITS in claim.reasons):
            near = [block for block, _, wide in _limits(self.grounds, claim) if not wide]
            near += [block for cite in claim.citations for block, _, _ in self.grounds.limited_by(cite.urn)]
            self.of_limits.update(dict.fromkeys(block.urn for block in near if block.urn not in {*cited, *self.left}))

    def _is_told(self, block: Block, sentence: str) -> bool:
        return any(urn == block.urn and sentence in known for urn, known in self.told)

    def _added(self, block: Block, sentence: str) -> Iterator[CheckedClaim]:
        """The sentence as a claim, where it is not told yet; what cannot be told is named."""
        draft = None if self._is_told(block, sentence) else self._draft(block, sentence)
        if draft is None:
            return
        too_much = self.added == MOST or len(draft.text) > LONGEST
        checked = None if too_much else self._verified(draft)
        if checked is None:
            self.left[block.urn] = None
            return
        self.added += 1
        yield checked

    def about_all(self, claims: Sequence[CheckedClaim]) -> Iterator[CheckedClaim]:
        """The short sentences about whole chapters or laws that have most to do with the claims."""
        words = _stems(" ".join(claim.text for claim in claims), self.language)
        nearest = sorted(self.wide.items(), key=lambda one: -len(words & _stems(one[0][1], self.language)))
        told = 0
        for (urn, sentence), block in nearest:
            known = any(urn == one and sentence in words_told for one, words_told in self.told)
            draft = None if known else self._draft(block, sentence)
            if draft is None:
                continue
            short = told < MOST_WIDE and len(draft.text) <= LONGEST_WIDE
            checked = self._verified(draft) if short and not speaks_of_its_place(sentence, self.language) else None
            if checked is None:
                self.left_wide[urn] = block
                continue
            told += 1
            yield checked

    def _draft(self, block: Block, sentence: str) -> DraftClaim | None:
        """A claim that says the sentence and is not told yet."""
        draft = whole(block, sentence, self.grounds.rules, self.language)
        return draft if draft.text not in self.texts else None

    def _verified(self, draft: DraftClaim) -> CheckedClaim | None:
        """The draft as a claim that is told; None where it does not hold or is no whole sentence.

        Where its list goes on it says so: a limit that may hold only with more is still nearer the law than none.
        """
        check = self.grounds.verified(draft)
        if check.level != "VERBATIM" or check.text.rstrip().endswith(_OPEN):
            return None
        self.told.update((cited.urn, cited.sentence) for cited in check.citations)
        self.texts.add(check.text)
        return replace(check, reasons=(*check.reasons, Reason.LIMITS))

    def warnings(self) -> list[ContextWarning]:
        """What names the provisions that are not told."""
        out: list[ContextWarning] = []
        if self.left:
            message = f"Further provisions of the context limit what is said here: {', '.join(self.left)}."
            out.append(ContextWarning(kind=UNTOLD, message=f"{message} Read them too."))
        if self.of_limits:
            message = f"What limits the answer may itself be limited by {', '.join(self.of_limits)}."
            out.append(ContextWarning(kind=OF_LIMITS, message=f"{message} Read it too."))
        if self.preempted:
            message = f"Federal law may preempt {', '.join(self.preempted)}, and its text is not here."
            out.append(ContextWarning(kind=UNTOLD, message=f"{message} Read it too."))
        if self.left_wide:
            listed = ", ".join(_by_section(self.left_wide))
            message = f"These say where a whole chapter or law cited here does not apply or gives way: {listed}."
            out.append(ContextWarning(kind="wide_limits", message=f"{message} Read them too."))
        return out


def _by_section(named: Mapping[str, Block]) -> list[str]:
    """Provisions by URN and heading; several of one section by the section alone."""
    sections: dict[str, list[str]] = {}
    for urn in named:
        corpus = ":".join(urn.split(":")[:4])
        sections.setdefault(":".join((corpus, *parse_urn(urn).segments[:1])), []).append(urn)
    out: list[str] = []
    for section, urns in sections.items():
        if len(urns) > MOST_OF_ONE:
            out.append(f"{len(urns)} provisions of {section}")
        else:
            out.extend(f"{urn} ({named[urn].heading})" if named[urn].heading else urn for urn in urns)
    return out


def _containers(blocks: Sequence[Block]) -> dict[str, frozenset[tuple[str, str]]]:
    """Of each rule what is above it, by kind and number: `chapter`, `35`."""
    found: dict[str, set[tuple[str, str]]] = {}
    for block in blocks:
        kind, _, number = block.urn.rpartition(":")[2].partition("_")
        if block.role == "ancestor" and number:
            for rule in block.applies_to:
                found.setdefault(rule, set()).add((kind, number))
    return {rule: frozenset(kinds) for rule, kinds in found.items()}


def _examples(blocks: Sequence[Block], language: str) -> set[str]:
    """The URNs of worked examples and their parts, which tell of a case and limit nothing."""
    rules = language_rules(language)
    begins = rules.links.example if rules else None
    if begins is None:
        return set()
    tops = [block.urn for block in blocks if begins.match(block.heading) or begins.match(block.text)]
    return {block.urn for block in blocks for top in tops if f"{block.urn}:".startswith(f"{top}:")}


# --- what limits a claim ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Limit:
    """A sentence that may limit provisions other than its own."""

    block: Block
    sentence: str
    said: str  # with its lead-in
    lead_in: str  # what another block says that comes with all its items
    aside: bool  # it sets something aside that it may name
    nearby: bool  # it limits the provision right before its own, whatever it names


def _possible(blocks: Sequence[Block], language: str) -> list[_Limit]:
    """The sentences of a context that limit something, in its order."""
    found: list[_Limit] = []
    phrases = language_of(language).limits
    urns = {block.urn for block in blocks}
    for block in blocks:
        lead_in = block.lead_in if block.parent_urn in urns else ""
        for number, sentence in enumerate(_sentences(block, language)):
            said = sentence if number else f"{block.lead_in} {sentence}".lstrip()
            aside = sets_aside(said, language)
            nearby = (aside and bool(phrases.precedes.search(said))) or (
                number == 0 and bool(phrases.against.search(sentence))
            )
            if aside or nearby:
                found.append(_Limit(block, sentence, said, lead_in, aside, nearby))
    return found


@dataclass(frozen=True, slots=True)
class _Limited:
    """What may limit a block, whatever a claim says of it.

    Attributes:
        above: the sentences that lead into it by naming it.
        limits: the sentences that name it, or that limit what they follow; how near they come; whether they follow it.
    """

    block: Block
    above: tuple[tuple[Block, str], ...]
    limits: tuple[tuple[_Limit, Reach, bool], ...]


def _limits(grounds: Grounds, claim: CheckedClaim) -> Iterator[tuple[Block, str, bool]]:
    """The blocks and sentences that limit a claim, nearest first, and whether they reach a whole chapter or law."""
    language = grounds.language
    for cited in claim.citations:
        for limited in grounds.limits_of(cited.urn):
            block = limited.block
            yield from ((*pair, False) for pair in limited.above)
            yield from ((*pair, False) for pair in _after(block, cited, language))
            for limit, reach, follows in limited.limits:
                if reach and prevails_over_much(limit.said, language):
                    common = len(_stems(claim.text, language) & _stems(limit.sentence, language))
                    reach = Reach.WIDE if common >= SAME_MATTER or _same_section(block, limit.block) else Reach.NONE
                if reach or follows:
                    yield limit.block, limit.sentence, reach is Reach.WIDE
            yield from ((*pair, False) for pair in _federal(block, grounds.with_words, claim))


def _above(block: Block, blocks: Sequence[Block], language: str) -> Iterator[tuple[Block, str]]:
    """The whole sentence that leads into a provision by naming it: "in accordance with paragraph (1) or (2)"."""
    for above in blocks:
        if not block.urn.startswith(f"{above.urn}:") or above.text in block.lead_in:
            continue
        last = _sentences(above, language)[-1:]
        yield from ((above, sentence) for sentence in last if names_part(sentence, above.urn, block.urn, language))


def _after(block: Block, cited: CheckedCitation, language: str) -> Iterator[tuple[Block, str]]:
    """The sentences that follow the cited ones and take something back, up to the first that does not."""
    place = cited.sentence_end
    for sentence in _sentences(block, language):
        start = block.text.find(sentence, place)
        if start < 0 or block.text[place:start].strip():
            continue
        if not takes_back(sentence, language):
            return
        yield block, sentence
        place = start + len(sentence)


def _same_section(block: Block, other: Block) -> bool:
    """Whether two blocks are parts of one section, article or the like."""
    mine, yours = parse_urn(block.urn), parse_urn(other.urn)
    return (mine.jurisdiction, mine.corpus, mine.segments[:1]) == (yours.jurisdiction, yours.corpus, yours.segments[:1])


def _is_next(block: Block, other: Block, blocks: Sequence[Block]) -> bool:
    """Whether a block is the next one under the same parent."""
    row = [block_.urn for block_ in blocks if block_.parent_urn == block.parent_urn]
    return bool(block.parent_urn) and other.urn in row and row.index(other.urn) == row.index(block.urn) + 1


def _sentences(block: Block, language: str) -> list[str]:
    """A block's sentences; the designated items of a list in its own text stay with the words that open the list."""
    found: list[tuple[int, int]] = []
    place, listing = 0, False
    for sentence in block_sentences(block, language):
        start = block.text.index(sentence, place)
        place = start + len(sentence)
        if listing and _ITEM.match(sentence):
            found[-1] = (found[-1][0], place)
        else:
            found.append((start, place))
            listing = False
        listing = listing or ":" in sentence
    return [block.text[start:end] for start, end in found]


def _federal(block: Block, blocks: Sequence[Block], claim: CheckedClaim) -> Iterator[tuple[Block, str]]:
    """Of each federal provision that may preempt the block, the sentence with most of the claim's words."""
    if block.role != "rule":
        return
    words = stems_of(claim.text, language_of("en"))
    for other in blocks:
        if other.role != "federal" or not set(other.applies_to) & set(block.applies_to):
            continue
        sentences = _sentences(other, "en")
        if sentences:
            yield other, max(sentences, key=lambda one: len(words & stems_of(one, language_of("en"))))


def _stems(text: str, language: str) -> frozenset[str]:
    """The stems of what a text says about its matter."""
    known = language_of(language)
    return telling_stems(text, known) - frozenset(map(known.stem, known.limits.words))
