"""The verdict on one statement of a text that cites a provision.

    supported    the claim verifier finds that a sentence of the provision says it, or a judge does
    failed       a refuter shows that the provision says otherwise; another provision of the store says it and the cited
                 one does not; nothing of the provision speaks of it; or a judge does not find it there
    unverified   the provision speaks of what it says, in other words than could be compared

What a statement is held against is the provision with its parts and lead-ins; what contradicts it is looked for in the
whole section, for a number that the next subsection has is no wrong number.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import takewhile

from rag.answering.judged import passages_named
from rag.citecheck.deadline import NO_DEADLINE, Deadline
from rag.citecheck.limits import Said, said_by
from rag.citecheck.model import NOT_SUPPORTED, OPEN
from rag.citecheck.sources import Provision, Section, Sources
from rag.citecheck.verdicts import NOT_SEARCHED, Judgement, speaks_against
from rag.citecheck.words import without_facts
from rag.languages.base import Kind
from rag.languages.operators import content_stem, read_in, reads
from rag.languages.registry import known_language
from rag.languages.sentences import sentences_of, split_at
from rag.languages.stems import telling_stems
from rag.verification.claims import verify_claim
from rag.verification.draft import DraftCitation, DraftClaim
from rag.verification.judging import Passage as JudgedPassage
from rag.verification.judging import Question, distinct_passages
from rag.verification.lists import may_stand_alone, words_before
from rag.verification.model import DESCRIPTIONS, CheckedClaim, EvidenceBlock, Reason, Refutation
from rag.verification.refuters import REFUTERS, Line, Quantity, force_of, read_lines, refute, same_quantity
from rag.verification.restated import changed

_COMPARED = 3  # sentences of a provision that a claim is verified against
# What a memo refers to is looked up by itself, and may well be another law than the one compared.
_REFUTERS = tuple(refuter for refuter in REFUTERS if refuter.name != "reference")
_OF_SECTIONS = frozenset({Reason.NUMBER_CHANGED, Reason.UNIT_CHANGED})  # no sentence of the section has it
_OF_FACTS = frozenset({"number", "unit"})  # of refuters, what the facts of a case have besides the law
_OF_LISTS = frozenset({Reason.EXCEPTION_CHANGED})  # the words before a list may have it
_DUTY_OR_POWER = {"OBLIGATION", "PERMISSION"}
_SUBJECT_AND_ACT = 3  # words that tell that two sentences are about one act
_OF_LIMITS = frozenset({"exception"})  # what the sentence before a statement may have told already
_NUMBERED = re.compile(r"\A\(?\d{1,2}[.)][\s,]+")  # an item of the memo
_ANSWER = re.compile(r"\A(?:yes|no|ja|nein|oui|non)[.,:;]\s+(?=[^\W\d_])", re.IGNORECASE)  # to the memo's own question
_LETTERS = re.compile(r"[^\W\d_]+")
# Of a statement's words, by their rarity, those that a provision has. Calibrated on twenty memos (D.C., U.S., Scots,
# British, German and French law): of right citations 0.15 to 1, and at most 0.41 less than the best other provision; of
# wrong ones 0.06 to 0.43, and at least 0.57 less than the provision that says it.
_FAMILIAR = 0.7  # share, words unweighted, from which nothing else is looked for
_SAYS = 0.7  # share from which another provision says the statement
_MARGIN = 0.48  # by how much its share is above the cited one's
_MARGIN_WITH_NUMBERS = 0.25  # the same where it has the statement's numbers, and the cited one has not
_MARGIN_OF_SENTENCES = 0.4  # the same between a sentence of another section and two of the cited ones
_MARGIN_OF_CITED = 0.2  # the same where the text cites the other section, too, for another statement
_STATES = 0.8  # share of its words in one sentence from which a statement without a reference states that sentence
_FOREIGN = 0.12  # share below which nothing of a provision speaks of a statement
_SPEAKS = 0.5  # share from which a provision speaks of a statement, so that what differs contradicts it
_RESTS = 0.6  # share from which a statement that names no provision rests on the one cited before it
_AS_NEAR = 0.5  # share of the nearest sentence's words from which another one may be meant as well
_MAY_REST = 0.35  # share from which it may
_FEW = 5  # words that tell the matter, fewer of which tell nothing
_SHOWN_WORDS = 18
_MOST_BESIDE = 8_000  # characters of the rest of the cited sections that are shown with it
_MOST_JUDGED = 40_000  # characters of law that a judge is shown for one statement


@dataclass(frozen=True, slots=True)
class _Candidate:
    provision: Provision
    block: EvidenceBlock
    quote: str
    norm: str  # with lead-in and flush
    meant: float
    whole: float

    @property
    def order(self) -> tuple[float, float]:
        return -self.meant - self.whole, -self.whole


def judge_statement(
    texts: Sequence[str],
    provisions: Sequence[Provision],
    store: Sources,
    deadline: Deadline = NO_DEADLINE,
    *,
    sources: Sequence[Provision] = (),
    closing: Sequence[Provision] = (),
    others: Sequence[Provision] = (),
    near: frozenset[str] = frozenset(),
    before: str = "",
    assumed: bool = False,
    spoken: bool = False,
) -> Judgement:
    """The verdict on a statement by the provisions that its sentence cites.

    Args:
        texts: what the sentence may claim; the first that is supported counts, else the first.
        provisions: at least one.
        store: where other provisions are searched.
        deadline: looked at before each provision is compared.
        sources: of the provisions those that are cited for it, where the others are what it speaks of; all by default.
        closing: of the provisions those that it closes with, apart from its words; its sentences contradict it first.
        others: sections that the text cites for its other statements, one of which it may have been mixed up with.
        near: URNs of sections that the text cites beside it, which it may rest on as well.
        before: the text before it, which may have told the condition under which it holds.
        assumed: whether it names no provision itself: what it says besides the law it may take from the facts.
        spoken: whether what it cites stands among its words, so that it may only speak of it.

    Returns:
        The verdict with the provision that was compared.

    Raises:
        DeadlineReached: no time was left before a verdict was found.
    """
    first: tuple[Judgement | None, list[_Candidate]] = (None, [])
    for place, text in enumerate(texts):
        found = _supported(text, provisions, deadline)
        if found[0] is not None and found[0].verdict == "SUPPORTED":
            return found[0]
        if place == 0:
            first = found
    judged, candidates = first
    if judged is not None:
        return judged
    deadline.check()
    cited = sources or provisions
    candidates = [one for one in candidates if one.provision in closing] or candidates
    return _compared(
        texts[0], provisions, cited, candidates, store, deadline, others, near, before, assumed=assumed, spoken=spoken
    )


def says_force(text: str, language: str) -> bool:
    """Whether a sentence says what must, may or must not be, and asks nothing."""
    asks = text.rstrip().endswith("?")
    return not asks and any(force_of(gap) for line in read_lines(text, language, ()) for gap in line.gaps)


def rests_on(text: str, sections: Sequence[Provision]) -> tuple[Provision | None, bool]:
    """The section that has most of the words of a statement which names none, and whether it speaks of it for certain;
    None where none has enough of them that the statement may be about it.
    """
    shares = [(_words_shared(text, section), section) for section in sections]
    best = max(shares, key=lambda pair: pair[0], default=(0.0, None))
    return best[1] if best[0] >= _MAY_REST else None, best[0] >= _RESTS


def _words_shared(text: str, provision: Provision) -> float:
    known = known_language(provision.rule.language)
    words = telling_stems(text, known) if known is not None else frozenset[str]()
    if known is None or len(words) < _FEW:
        return 0.0
    return len(words & telling_stems(" ".join(_law_of(provision)), known)) / len(words)


def _supported(
    text: str, provisions: Sequence[Provision], deadline: Deadline
) -> tuple[Judgement | None, list[_Candidate]]:
    """SUPPORTED where the claim verifier serves a statement by one sentence of a provision, OVERRIDDEN where that is
    overridden; None where it does not; and the sentences nearest to it.
    """
    candidates: list[_Candidate] = []
    for provision in provisions:
        deadline.check()
        candidates += _candidates(text, provision)
    candidates.sort(key=lambda one: one.order)
    overridden: Judgement | None = None
    for place, one in enumerate(candidates[:_COMPARED]):
        deadline.check()
        claim = DraftClaim(text, (DraftCitation(one.block.urn, one.quote),))
        found = verify_claim(claim, one.provision.evidence, refuters=())
        # A pronoun that opens a sentence of a memo may mean somebody whom the sentence before it names.
        alone = states_item_alone(found, one.provision.rule.language)
        if found.verdict == "SUPPORTED" and found.text == text.replace("\u00ad", "") and not alone:
            how = "VERBATIM: It is the provision's own sentence." if found.level == "VERBATIM" else (
                "CHECKED: Every operator and content word of the provision's sentence is accounted for."
            )  # fmt: skip
            said = Said(found, one.provision)
            return Judgement("SUPPORTED", (how, *_told(found.reasons)), one.block.urn, said), candidates
        if place == 0 and found.verdict == "OVERRIDDEN":
            overridden = Judgement("OVERRIDDEN", _told(found.reasons), one.block.urn)
        elif place == 0 and alone:
            told = f"{Reason.LIST_INCOMPLETE}: {DESCRIPTIONS[Reason.LIST_INCOMPLETE]}"
            overridden = Judgement("UNVERIFIED", (told, _sentence(one.norm)), one.block.urn)
    return overridden, candidates


def _compared(
    text: str,
    provisions: Sequence[Provision],
    cited: Sequence[Provision],
    candidates: Sequence[_Candidate],
    store: Sources,
    deadline: Deadline,
    others: Sequence[Provision],
    near: frozenset[str],
    before: str,
    *,
    assumed: bool,
    spoken: bool,
) -> Judgement:
    """What is known of a statement that no sentence supports."""
    rule = provisions[0].rule
    urn = candidates[0].block.urn if candidates else rule.urn
    known = known_language(rule.language)
    text = _ANSWER.sub("", _NUMBERED.sub("", text))
    words = (
        frozenset(telling_stem for telling_stem in telling_stems(text, known) if not telling_stem.isdigit())
        if known
        else frozenset[str]()
    )
    law = [part for provision in cited for part in _law_of(provision)]
    have = telling_stems(" ".join(law), known) if known else frozenset[str]()
    share = _share(dict.fromkeys(words, 1.0), have)
    closest = _closest(dict.fromkeys(words, 1.0), law, rule.language, together=2) if known is not None else 0.0
    if not assumed and len(cited) == 1 and (defined := _other_term(text, cited[0])) is not None:
        return defined
    notes: list[str] = []
    if known is not None and min(share, closest) < _FAMILIAR and len(words) >= _FEW and not assumed:
        if store.statements_left:
            sections, rarity = store.speaking_of(text, rule)
            weights = _weights(rarity, words, lambda word: telling_stems(word, known))
            share = _share(weights, have) if share else 0.0
            told = _Told(text, law, weights, share, _closest(weights, law, rule.language, together=2), provisions)
            other = _says_it(told, sections, provisions)
            if other is not None and (spoken or other.rule.urn in near) and refers(other.words.texts, provisions):
                reason = f"{OPEN}: It names {_names(cited)}; {other.rule.urn}, which names it too, speaks of it."
                return Judgement("UNVERIFIED", (reason,), other.rule.urn)
            if other is None and not spoken:
                other = _mixed_up(told, others)
            if other is not None:
                return _elsewhere(text, rule.language, other, cited)
            if share < _FOREIGN and not _speaks_of_author(text, rule.language):
                reason = f"{NOT_SUPPORTED}: Nothing in {_names(cited)} speaks of this; cite what does, or drop it."
                return speaks_against("OUT_OF_SCOPE", (reason,), rule.urn)
        else:
            notes.append(NOT_SEARCHED)
    sentence = (_sentence(candidates[0].norm),) if candidates else ()
    deadline.check()
    if not assumed and len(provisions) == 1 and (part := _other_part(text, provisions[0])) is not None:
        return part
    told = "" if assumed else changed(text, [one.norm for one in candidates], law, rule.language)
    if told:
        return speaks_against(
            "ALTERED", (f"SENTENCE_CHANGED: It has the words of the law's sentence, and {told}.",), urn, sentence
        )
    if share >= _SPEAKS:
        # What the law's own sentence has nearly all words of states it, and tells no facts.
        facts = assumed and _closest(dict.fromkeys(words, 1.0), law, rule.language, together=1) < _STATES
        against = _contradictions(text, provisions, candidates, before, deadline, facts=facts)
        if against:
            return speaks_against("ALTERED", against, urn, sentence)
    if not candidates:
        told = f"{OPEN}: No sentence of the provision has words of this one."
    else:
        told = f"{OPEN}: {_names(provisions)} says something of this in other words; read them beside it."
    said = (
        said_by(urn, candidates[0].quote, candidates[0].provision) if candidates else None
    )  # a judge may find it there
    return Judgement("UNVERIFIED", (told, *notes, *sentence), urn, said)


def _other_term(text: str, provision: Provision) -> Judgement | None:
    """WRONG_PROVISION where a statement about a term cites the definition of another one, which it does not name.

    "X is the controller within the meaning of Art. 4(8)", which defines the processor: the definition of the term that
    it names has to have more of its words than the cited one.
    """
    known, words = known_language(provision.rule.language), text.casefold()
    own = [one.term for one in provision.context.definitions if one.urn in provision.own.urns]
    if known is None or not own or any(term.casefold() in words for term in own):
        return None
    ours = telling_stems(text, known)
    texts = {block.urn: block.text for block in provision.evidence.blocks if block.role == "definition"}
    named = {
        one.urn: len(ours & telling_stems(texts[one.urn], known))
        for one in provision.context.definitions
        if one.urn in texts
        and one.urn not in provision.own.urns
        and re.search(rf"\b{re.escape(one.term.casefold())}\b", words)
    }
    urn = max(named, key=lambda one: named[one], default="")
    if not urn or named[urn] <= len(ours & telling_stems(" ".join(provision.own.texts), known)):
        return None
    first = " ".join(texts[urn].split()[:_SHOWN_WORDS])
    cited = f"Cited {provision.rule.urn} defines “{own[0]}”, which this does not name"
    return speaks_against("OUT_OF_SCOPE", (f"WRONG_PROVISION: {cited}; {urn} says “{first} …”",), urn)


def _other_part(text: str, provision: Provision) -> Judgement | None:
    """WRONG_PROVISION where another part of the cited section has all numbers of a statement and more of its words,
    and the cited part has none of them: "$50,000 and 5 years, § 2435(a)", where (b) says so.
    """
    language = provision.rule.language
    known = known_language(language)
    if known is None or provision.section.urn == provision.rule.urn:
        return None
    ours = [amount for line in read_lines(text, language, ()) for amount in _amounts(line)]
    own = [*_norms(provision), *provision.own.texts]
    if not ours or len(_lacking_in(ours, own, [provision])) < len(ours):
        return None
    said = telling_stems(text, known)
    shared = len(said & telling_stems(" ".join(own), known))
    around = zip(provision.around.urns, provision.around.texts, strict=True)
    parts = [(urn, part) for urn, part in around if urn not in provision.own.urns]
    found = [
        (len(said & telling_stems(part, known)), urn, part)
        for urn, part in parts
        if not _lacking_in(ours, [part], [provision])
    ]
    most, urn, part = max(found, default=(0, "", ""))
    if most <= shared or most < _FAMILIAR * len(said):
        return None
    first = " ".join(part.split()[:_SHOWN_WORDS])
    told = f"WRONG_PROVISION: Cited {provision.rule.urn} does not say this; {urn} does: “{first} …”"
    return speaks_against("OUT_OF_SCOPE", (told,), urn)


# "I will draft a reply that quotes § 120(a)" says nothing of the law.


def _speaks_of_author(text: str, language: str) -> bool:
    known = known_language(language)
    return known is not None and not known.statements.author.isdisjoint(_LETTERS.findall(text.lower()))


def _law_of(provision: Provision) -> list[str]:
    """All words of a provision's section, with what it continues and its headings."""
    own = [block for block in provision.evidence.blocks if block.urn in provision.own.urns]
    leads = dict.fromkeys(part for block in own for part in (block.lead_in, block.flush) if part)
    headings = (heading for _, heading in provision.headings)
    return [*provision.around.texts, *leads, *(heading for heading in headings if heading)]


def _share(weights: Mapping[str, float], have: frozenset[str]) -> float:
    total = sum(weights.values())
    return sum(weight for word, weight in weights.items() if word in have) / total if total else 1.0


def _weights(
    rarity: Mapping[str, float], words: frozenset[str], stems: Callable[[str], frozenset[str]]
) -> dict[str, float]:
    """The rarity of a statement's stems: of the rarest word with each; none of words that the law never uses."""
    found: dict[str, float] = {}
    for word, weight in rarity.items():
        for stem in stems(word) & words:
            found[stem] = max(found.get(stem, 0.0), weight)
    return found


@dataclass(frozen=True)
class _Told:
    """A statement beside what it cites: its words by their rarity, the share of them that the cited sections have, and
    the share that two of their sentences have.
    """

    text: str
    law: Sequence[str]
    weights: Mapping[str, float]
    share: float
    closest: float
    provisions: Sequence[Provision]

    @cached_property
    def lacking(self) -> list[Quantity]:
        """The numbers with a unit that the statement has and its law has not: all of that law is read for them."""
        lines = read_lines(self.text, self.provisions[0].rule.language, ())
        ours = [quantity for line in lines for quantity in line.quantities if quantity.unit.strip("#")]
        return _lacking_in(ours, self.law, self.provisions)


def _says_it(told: _Told, sections: Sequence[Section], provisions: Sequence[Provision]) -> Section | None:
    """The section that says a statement which the cited ones do not; of equals the one nearest to them, by its URN.

    Sections of one law share its words, so their sentences are compared as well. Numbers that the cited ones lack and
    another has tell as much as many words.
    """
    language = provisions[0].rule.language
    known = known_language(language)
    if known is None or len(told.weights) < _FEW:
        return None
    within = {
        urn for provision in provisions for urn in (*provision.around.urns, *(urn for urn, _ in provision.headings))
    }
    near = provisions[0].rule.urn
    best: tuple[float, int] | None = None
    found: Section | None = None
    for section in sections:
        if section.rule.urn in within:
            continue
        texts = section.words.texts
        share = _share(told.weights, telling_stems(" ".join((*texts, section.headings)), known))
        order = (
            round(share, 3),
            sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(near, section.rule.urn, strict=False))),
        )
        numbers = share >= _SAYS and bool(told.lacking) and not _lacking_in(told.lacking, texts, provisions)
        clear = share >= max(_SAYS, told.share + (_MARGIN_WITH_NUMBERS if numbers else _MARGIN))
        if not clear and share >= _SAYS:
            closest = _closest(told.weights, texts, language, together=1)
            clear = closest >= max(_SAYS, told.closest + (_MARGIN_WITH_NUMBERS if numbers else _MARGIN_OF_SENTENCES))
        if clear and (best is None or order > best):
            best, found = order, section
    return found


def _mixed_up(told: _Told, others: Sequence[Provision]) -> Section | None:
    """The section cited for another statement of the text that has a sentence with clearly more of this one's words.

    Whoever mixes up two of a text's citations has read both sections, so that fewer words tell than of any section of
    the store.
    """
    language = told.provisions[0].rule.language
    own = {provision.section.urn for provision in told.provisions}
    shares = [
        (_closest(told.weights, section.around.texts, language, together=1), section)
        for section in others
        if section.section.urn not in own and section.rule.language == language and len(told.weights) >= _FEW
        if not refers(section.around.texts, told.provisions)  # what it says of the cited one may be repeated
    ]
    share, section = max(shares, key=lambda pair: pair[0], default=(0.0, None))
    if section is None or share < max(_RESTS, told.closest + _MARGIN_OF_CITED):
        return None
    return Section(section.rule, section.around, "")


def _closest(weights: Mapping[str, float], law: Sequence[str], language: str, *, together: int) -> float:
    """The share of a statement's words that one sentence of the law has, or that one has with a second one."""
    known = known_language(language)
    if known is None:
        return 0.0
    sentences = [telling_stems(part[start:end], known) for part in law for start, end in _sentences(part, language, ())]
    left = dict(weights)
    for _ in range(together):
        best = max(sentences, key=lambda one: sum(left.get(word, 0.0) for word in one), default=frozenset[str]())
        left = {word: weight for word, weight in left.items() if word not in best}
    total = sum(weights.values())
    return 1.0 - sum(left.values()) / total if total else 1.0


def _lacking_in(ours: Sequence[Quantity], law: Sequence[str], provisions: Sequence[Provision]) -> list[Quantity]:
    language = provisions[0].rule.language
    known = known_language(language)
    if known is None or not ours:
        return []
    have = [quantity for part in law for line in read_lines(part, language, ()) for quantity in line.quantities]
    return [
        quantity for quantity in ours if not any(same_quantity(quantity, other, known.contrasts()) for other in have)
    ]


def _elsewhere(text: str, language: str, other: Section, provisions: Sequence[Provision]) -> Judgement:
    claim = set(re.findall(r"\w+", text.casefold()))
    sentences = [part[start:end] for part in other.words.texts for start, end in _sentences(part, language, ())]
    best = max(sentences, key=lambda one: len(claim.intersection(re.findall(r"\w+", one.casefold()))), default="")
    words = best.split()
    first = " ".join(words[:_SHOWN_WORDS]) + (" …" if len(words) > _SHOWN_WORDS else "")
    told = f"WRONG_PROVISION: Cited {_names(provisions)} does not say this; {other.rule.urn} does: “{first}”"
    return speaks_against("OUT_OF_SCOPE", (told,), other.rule.urn)


def refers(law: Sequence[str], provisions: Sequence[Provision]) -> bool:
    """Whether some law names one of some provisions: a statement that repeats its words cites that one, too."""
    numbers = {provision.section.urn.rpartition(":")[2] for provision in provisions}
    named = re.compile(rf"(?<![\w.-])(?:{'|'.join(map(re.escape, numbers))})(?![\w-]|\.\d)")
    return any(named.search(text.lower()) for text in law)


def _names(provisions: Sequence[Provision]) -> str:
    return " and ".join(provision.rule.urn for provision in provisions[:3])


def _contradictions(
    text: str,
    provisions: Sequence[Provision],
    candidates: Sequence[_Candidate],
    before: str,
    deadline: Deadline,
    *,
    facts: bool,
) -> tuple[str, ...]:
    """What the law of some provisions contradicts of a statement, in words."""
    language = provisions[0].rule.language
    # An item of a list says without its lead-in what it may deny with it.
    items = {
        block.text
        for provision in provisions
        for block in provision.evidence.blocks
        if block.lead_in and block.urn in provision.own.urns
    }
    law = [part for provision in provisions for part in (*_norms(provision), *_law_of(provision)) if part not in items]
    law = list(dict.fromkeys(law))
    segments = {part for provision in provisions for part in provision.rule.urn.lower().split(":")[3:]}
    named = segments | {part for segment in segments for part in re.findall(r"\d+|[^\W\d_]+", segment)}
    terms = tuple(dict.fromkeys(term for provision in provisions for term in provision.evidence.terms))
    said = without_facts(text, " ".join(law), language)
    told = bool(candidates) and _told_before(before, text, candidates[0].norm, language)
    # A number beside law that has none is one of the case: "the study ($31,000) may be recovered".
    facts = facts or not any(line.quantities for part in law for line in read_lines(part, language, terms))
    silent = (_OF_FACTS if facts else frozenset[str]()) | (_OF_LIMITS if told else frozenset[str]())
    refuters = [refuter for refuter in _REFUTERS if refuter.name not in silent]
    refuted = refute(said, law, frozenset(named), language, terms, refuters=refuters)
    # What another sentence of the section says of another matter is no contradiction, and what leads into all its items
    # ("unless explicitly stated to the contrary:") need not be told with each.
    deadline.check()
    near = refuted and refute(said, _nearest(said, law, language), frozenset(named), language, terms, refuters=refuters)
    texts = [text for provision in provisions for text in provision.around.texts]
    deadline.check()
    bare = near and refute(said, texts, frozenset(named), language, terms, refuters=refuters)
    reasons = {refutation.reason for refutation in near} - _OF_LISTS | _OF_SECTIONS
    reasons |= {refutation.reason for refutation in bare} & _OF_LISTS
    found = _explained([one for one in refuted if one.reason in reasons], said, candidates, frozenset(named), terms)
    if not facts and (amount := _other_amount(said, law, language)):
        found = (f"AMOUNT_CHANGED: {amount}", *found)
    if not found and candidates and (force := _other_force(said, law, language)):
        found = (f"{Reason.MODALITY_CHANGED}: {force}",)
    return found


def _explained(
    refuted: Sequence[Refutation],
    said: str,
    candidates: Sequence[_Candidate],
    named: frozenset[str],
    terms: tuple[str, ...],
) -> tuple[str, ...]:
    """What speaks against a statement in words, by the one sentence of the cited provision that it comes nearest to.

    What that sentence does not contradict is not told beside what it does; where it contradicts nothing, or is not
    near, no words of the law are told.
    """
    near = candidates[0] if candidates and candidates[0].meant >= _SPEAKS else None
    reasons = {one.reason for one in refuted}
    language = candidates[0].provision.rule.language if candidates else ""
    found = (
        refute(said, [near.norm], named, language, terms, refuters=_REFUTERS) if near is not None and reasons else ()
    )
    told = tuple(f"{one.reason}: {one.told}" for one in found if one.reason in reasons)
    return told or tuple(f"{one.reason}: {DESCRIPTIONS[one.reason]}" for one in refuted)


def _denies_or_limits(line: Line) -> bool:
    return bool(line.may_deny or line.values(Kind.EXCEPTION) or "ONLY" in line.values(Kind.ABSOLUTE))


def _other_force(text: str, law: Sequence[str], language: str) -> str:
    """Why a statement makes a duty of what the law allows, or the other way round, in another voice or order; or empty.

    "The court must decree specific performance" has verb and words of "Specific performance may be decreed"; no other
    sentence of this law with as many of its words may say of that verb what the statement says.
    """
    lines = [line for part in law for line in read_lines(part, language, ())]
    for ours in read_lines(text, language, ()):
        words = set(ours.words)
        for at, gap in enumerate(ours.gaps):
            force, verb = force_of(gap), ours.word(at)
            if force not in _DUTY_OR_POWER or _denies_or_limits(ours):
                continue
            same = [
                (len(words.intersection(line.words)), said, _denies_or_limits(line))
                for line in lines
                for place in line.places.get(verb, ())
                if (said := force_of(line.gaps[place]))
            ]
            most = max((common for common, _, _ in same), default=0)
            near = [(said, limited) for common, said, limited in same if common >= _AS_NEAR * most]
            if most < max(_SUBJECT_AND_ACT, len(words) / 2) or any(limited for _, limited in near):
                continue
            if all({force, said} == _DUTY_OR_POWER for said, _ in near):
                return f"It says {force.lower()} where the law says {near[0][0].lower()}, of “{verb}”."
    return ""


def _amounts(line: Line) -> list[Quantity]:
    """The quantities of a sentence that have a unit, but for "one" of it, which may be an article."""
    return [quantity for quantity in line.quantities if quantity.unit and quantity.value != 1]


def _other_amount(text: str, law: Sequence[str], language: str) -> str:
    """Why a statement with one amount has another one than the one sentence of its law that it restates; or empty.

    "The petition is filed within 30 days after service" has the words of "petitions must be filed within 20 days
    following service", whatever else takes 30 days: no sentence with that amount has nearly as many of its words.
    """
    known = known_language(language)
    lines = [line for part in law for line in read_lines(part, language, ())]
    for ours in read_lines(text, language, ()) if known is not None else ():
        amounts = _amounts(ours)
        if known is None or len(amounts) != 1:
            continue
        words, contrasts = set(ours.words), known.contrasts()
        shared = [(len(words.intersection(line.words)), line.quantities) for line in lines]
        most = max((common for common, _ in shared), default=0)
        has = [common for common, have in shared if any(same_quantity(amounts[0], other, contrasts) for other in have)]
        same = max(has, default=0)
        there = [law for common, have in shared if common == most for law in have if law.value != 1]
        near = len(there) == 1 and most >= max(_FEW, _RESTS * len(words)) and same < _AS_NEAR * most
        if near and there[0].unit == amounts[0].unit:
            return f"It says {amounts[0].told(language)}; the law says {there[0].told(language)}."
    return ""


def _nearest(text: str, law: Sequence[str], language: str) -> list[str]:
    """The sentences of the law that have nearly as many of a statement's words as the one that has most."""
    claim = _stems(text)
    sentences = dict.fromkeys(part[start:end] for part in law for start, end in _sentences(part, language, ()))
    shared = {sentence: (claim & _stems(sentence)).total() for sentence in sentences}
    least = _AS_NEAR * max(shared.values(), default=0)
    return [one for one, count in shared.items() if count >= least]


def _told_before(before: str, text: str, norm: str, language: str) -> bool:
    """Whether the text before a statement has what the statement leaves out of its law's sentence."""
    known = known_language(language)
    # Without the words that only open a condition.
    norm = " ".join(read_in(language, norm).content) if reads(language) else norm
    lost = telling_stems(norm, known) - telling_stems(text, known) if known is not None and before else frozenset[str]()
    return known is not None and bool(lost) and 2 * len(lost & telling_stems(before, known)) >= len(lost)


def _norms(provision: Provision) -> list[str]:
    """The texts of a provision's blocks with their lead-ins and flush."""
    own = set(provision.own.urns)
    return [
        " ".join(part for part in (block.lead_in, block.text, block.flush) if part)
        for block in provision.evidence.blocks
        if block.urn in own
    ]


def question_of(text: str, provisions: Sequence[Provision], told: str = "") -> Question | None:
    """What a judge is asked about a statement: whether the provisions with their parts say it.

    Args:
        told: the text around it, for the facts that it tells.

    Returns:
        None where the provisions are longer than a judge is shown.
    """
    passages = [
        JudgedPassage(
            urn=block.urn,
            text=block.text,
            lead_in=block.lead_in,
            flush=block.flush,
            heading=block.heading,
            role="definition" if block.role == "definition" else "cited" if block.urn in own else "limit",
        )
        for provision in provisions
        for own in [set(provision.own.urns) | {urn for urn, _ in provision.headings}]
        for block in provision.evidence.blocks
        if block.urn in own or block.role in ("definition", "exception")
    ]
    for provision in provisions:
        cited = [(block.urn, f"{block.lead_in} {block.text} {block.flush}") for block in provision.evidence.blocks]
        cited = [(urn, said) for urn, said in cited if urn in provision.own.urns]
        around = list(zip(provision.around.urns, provision.around.texts, strict=True))
        passages += passages_named(cited, around, provision.rule.language)
    passages = distinct_passages([*passages, *_beside(provisions, passages)])
    if not passages or sum(len(passage.text) for passage in passages) > _MOST_JUDGED:
        return None
    return Question(_NUMBERED.sub("", text), "law", passages, scenario=told, language=provisions[0].rule.language)


def _beside(provisions: Sequence[Provision], shown: Sequence[JudgedPassage]) -> list[JudgedPassage]:
    """What else the cited sections say, where it is short: a memo cites one paragraph for what two of them say."""
    known = {passage.urn for passage in shown}
    around = {
        urn: text
        for provision in provisions
        for urn, text in zip(provision.around.urns, provision.around.texts, strict=True)
        if urn not in known
    }
    if sum(map(len, around.values())) > _MOST_BESIDE:
        return []
    return [JudgedPassage(urn=urn, text=text, role="beside") for urn, text in around.items()]


def states_item_alone(claim: CheckedClaim, language: str) -> bool:
    """Whether a claim is one item of a list word for word that its sisters may change.

    A provision that is an item comes without its sisters; the lead-in then tells whether each item is a rule by itself.
    """
    plain = Reason.OPEN_SENTENCE not in claim.reasons and Reason.LIST_ITEM in claim.reasons
    if not (claim.level == "VERBATIM" and claim.limited and plain):
        return False
    cited = claim.citations
    return not all(
        may_stand_alone(citation.lead_in, [citation.sentence], 0, language) for citation in cited if citation.lead_in
    )


def _told(reasons: Sequence[Reason]) -> tuple[str, ...]:
    return tuple(f"{reason}: {DESCRIPTIONS[reason]}" for reason in reasons)


def _sentence(norm: str) -> str:
    return f"SENTENCE: “{' '.join(norm.split())}”"


@lru_cache(maxsize=4096)
def _stems(text: str) -> Counter[str]:
    return Counter(content_stem(word) for word in _LETTERS.findall(text.lower()) if len(word) > 2)


@lru_cache(maxsize=64)
def _sentences(text: str, language: str, breaks: tuple[int, ...]) -> tuple[tuple[int, int], ...]:
    """The sentences of a block, which every claim that cites its provision is held against."""
    return tuple(piece for span in sentences_of(text, language) for piece in split_at(text, span, breaks))


def _candidates(text: str, provision: Provision) -> list[_Candidate]:
    claim = _stems(text)
    if not claim:
        return []
    found: list[_Candidate] = []
    own = set(provision.own.urns)
    for block in provision.evidence.blocks:
        if block.urn not in own:
            continue
        sentences = _sentences(block.text, provision.rule.language, block.breaks)
        for place, (start, end) in enumerate(sentences):
            quote = block.text[start:end]
            lead_in = words_before(block.lead_in, block.text, start, block.breaks, provision.rule.language)
            flush = block.flush if place == len(sentences) - 1 else ""
            norm = " ".join(part for part in (lead_in, quote, flush) if part)
            words = _stems(norm)
            common = (claim & words).total()
            if common:
                shares = common / claim.total(), common / max(words.total(), 1)
                found.append(_Candidate(provision, block, quote, norm, *shares))
    return found
