"""What the verifier takes and gives: evidence blocks, checked claims, and the closed list of reasons."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum
from functools import lru_cache
from typing import Literal

from rag.verification.ledger import QUOTED
from retrieval.errors import InputError
from retrieval.paths import Urn, parse_urn

Level = Literal["VERBATIM", "CHECKED", "EXPLAINED", "APPLIED", "WITHHELD"]
Verdict = Literal[
    "SUPPORTED", "NOT_FOUND", "NOT_IN_FORCE", "OVERRIDDEN", "OUT_OF_SCOPE", "MISQUOTED", "ALTERED", "UNCITED",
    "UNVERIFIED",
]  # fmt: skip


class Reason(StrEnum):
    """Why a claim was withheld, or what the reader should know of one that was served.

    A reason that withholds belongs to one verdict (`VERDICTS`); the others are notes. `DESCRIPTIONS` has a sentence
    for each, in words that a model or a reader can act on.
    """

    NO_CITATION = "NO_CITATION"
    URN_MALFORMED = "URN_MALFORMED"
    URN_NOT_IN_CONTEXT = "URN_NOT_IN_CONTEXT"
    NOT_IN_FORCE = "NOT_IN_FORCE"
    OVERRIDDEN = "OVERRIDDEN"
    QUOTE_TOO_SHORT = "QUOTE_TOO_SHORT"
    QUOTE_NOT_IN_NODE = "QUOTE_NOT_IN_NODE"
    ACTIVE_CONTENT = "ACTIVE_CONTENT"
    EMPTY_CLAIM = "EMPTY_CLAIM"
    QUOTE_CUT = "QUOTE_CUT"
    NUMBER_CHANGED = "NUMBER_CHANGED"
    UNIT_CHANGED = "UNIT_CHANGED"
    MODALITY_CHANGED = "MODALITY_CHANGED"
    NEGATION_CHANGED = "NEGATION_CHANGED"
    COMPARATOR_CHANGED = "COMPARATOR_CHANGED"
    CONNECTIVE_CHANGED = "CONNECTIVE_CHANGED"
    EXCEPTION_CHANGED = "EXCEPTION_CHANGED"
    CONDITION_CHANGED = "CONDITION_CHANGED"
    PARTY_CHANGED = "PARTY_CHANGED"
    RELATION_CHANGED = "RELATION_CHANGED"
    VOICE_CHANGED = "VOICE_CHANGED"
    ABSOLUTE_CHANGED = "ABSOLUTE_CHANGED"
    REFERENCE_CHANGED = "REFERENCE_CHANGED"
    NEW_CONTENT = "NEW_CONTENT"
    CONTENT_OMITTED = "CONTENT_OMITTED"
    WORDS_MOVED = "WORDS_MOVED"
    RESTRICTION_DROPPED = "RESTRICTION_DROPPED"
    QUALIFIER_DROPPED = "QUALIFIER_DROPPED"
    LIST_INCOMPLETE = "LIST_INCOMPLETE"
    LANGUAGE_NOT_CHECKED = "LANGUAGE_NOT_CHECKED"
    CLAIM_TOO_LONG = "CLAIM_TOO_LONG"
    QUOTE_REPEATED = "QUOTE_REPEATED"
    OPEN_SENTENCE = "OPEN_SENTENCE"
    LIST_ITEM = "LIST_ITEM"
    LIST_GOES_ON = "LIST_GOES_ON"
    CROSS_REFERENCE = "CROSS_REFERENCE"
    NEGATION_SCOPE = "NEGATION_SCOPE"
    RESPECTIVELY = "RESPECTIVELY"
    TABLE_OR_FORMULA = "TABLE_OR_FORMULA"
    ORDER_CHANGED = "ORDER_CHANGED"
    PART_STATED = "PART_STATED"
    PRONOUN_EXPLAINED = "PRONOUN_EXPLAINED"
    REPLACED_BY_SENTENCE = "REPLACED_BY_SENTENCE"
    LIMITS = "LIMITS"
    MAY_LIMIT = "MAY_LIMIT"
    DEFINES = "DEFINES"
    REST = "REST"
    JUDGED = "JUDGED"
    NOT_ENTAILED = "NOT_ENTAILED"
    JUDGE_UNSURE = "JUDGE_UNSURE"
    NOT_JUDGED = "NOT_JUDGED"
    PREMISE_NOT_SERVED = "PREMISE_NOT_SERVED"
    FACT_NOT_TOLD = "FACT_NOT_TOLD"
    FIGURE_UNFOUNDED = "FIGURE_UNFOUNDED"
    COMPUTATION_WRONG = "COMPUTATION_WRONG"
    COMPUTATION_UNREADABLE = "COMPUTATION_UNREADABLE"
    STRONGER_THAN_PREMISES = "STRONGER_THAN_PREMISES"


DESCRIPTIONS: dict[Reason, str] = {
    Reason.NO_CITATION: "The claim cites nothing.",
    Reason.URN_MALFORMED: "The cited URN is not a URN.",
    Reason.URN_NOT_IN_CONTEXT: "The cited URN is not in the scoped context.",
    Reason.NOT_IN_FORCE: "The cited version is not in force at the date.",
    Reason.OVERRIDDEN: "The cited node is overridden at the date.",
    Reason.QUOTE_TOO_SHORT: "The quote has fewer than three words.",
    Reason.QUOTE_NOT_IN_NODE: "The quote is not a run of whole words of the cited node.",
    Reason.ACTIVE_CONTENT: "The claim holds an address, a link, mark-up or invisible characters.",
    Reason.EMPTY_CLAIM: "The claim has no words.",
    Reason.QUOTE_CUT: "The claim repeats a quote that leaves out an operator of its sentence.",
    Reason.NUMBER_CHANGED: "The claim's numbers differ from the sentence's.",
    Reason.UNIT_CHANGED: "The claim's units differ from the sentence's.",
    Reason.MODALITY_CHANGED: "The claim's obligations, permissions or prohibitions differ from the sentence's.",
    Reason.NEGATION_CHANGED: "The claim's negations differ from the sentence's.",
    Reason.COMPARATOR_CHANGED: "The claim's limits or time relations differ from the sentence's.",
    Reason.CONNECTIVE_CHANGED: "The claim's `and` and `or` differ from the sentence's.",
    Reason.EXCEPTION_CHANGED: "The claim's exceptions differ from the sentence's.",
    Reason.CONDITION_CHANGED: "The claim's conditions differ from the sentence's.",
    Reason.PARTY_CHANGED: "The claim's parties, or their order or direction, differ from the sentence's.",
    Reason.RELATION_CHANGED: "A word of the claim has another preposition, determiner or ending than in the sentence.",
    Reason.VOICE_CHANGED: "The claim turns active into passive or back.",
    Reason.ABSOLUTE_CHANGED: "The claim adds or drops a word such as all, only or always.",
    Reason.REFERENCE_CHANGED: "The claim's references differ from the sentence's.",
    Reason.NEW_CONTENT: "The claim has words that the sentence does not have.",
    Reason.CONTENT_OMITTED: "The claim leaves out words of the sentence.",
    Reason.WORDS_MOVED: "The claim says the sentence's words in another order or more often.",
    Reason.RESTRICTION_DROPPED: "The claim leaves out a relative clause of the sentence.",
    Reason.QUALIFIER_DROPPED: "The claim leaves out in what form, with what intent, how or how often.",
    Reason.LIST_INCOMPLETE: "The claim states a part of a list that must be told whole.",
    Reason.LANGUAGE_NOT_CHECKED: "Paraphrases in this language are not checked; only whole sentences are served.",
    Reason.CLAIM_TOO_LONG: "The claim is longer than a paraphrase is checked for.",
    Reason.QUOTE_REPEATED: "The quote occurs more than once in the node; the first occurrence was taken.",
    Reason.OPEN_SENTENCE: "The quoted sentence is continued by other nodes.",
    Reason.LIST_ITEM: "It is one item of a list, whose others are not told here.",
    Reason.LIST_GOES_ON: "The list goes on: its other items are not told here, and this one may hold only with them.",
    Reason.CROSS_REFERENCE: "The sentence depends on a reference that was not followed.",
    Reason.NEGATION_SCOPE: "The sentence has several negations; what each governs was not checked.",
    Reason.RESPECTIVELY: "The sentence pairs items in order; the pairing was not checked.",
    Reason.TABLE_OR_FORMULA: "The sentence holds a table or a formula, which was not checked.",
    Reason.ORDER_CHANGED: "A part of the sentence stands elsewhere; no comma tells what it belongs to.",
    Reason.PART_STATED: "The claim states a part of the sentence that holds by itself; read the whole beside it.",
    Reason.PRONOUN_EXPLAINED: "A pronoun was read as the words of the sentence that it stands for.",
    Reason.REPLACED_BY_SENTENCE: "The draft's words were not accepted; these are the sentences that it cites.",
    Reason.DEFINES: "Added by code: what the law says that a term of a claim above means.",
    Reason.LIMITS: "Added by code: the law's own sentence that limits a claim above, or may take its place.",
    Reason.MAY_LIMIT: "It may limit a claim above, which is not certain: it seems to take something from it.",
    Reason.REST: "Added by code: what else a provision says of which a claim above quotes a part.",
    Reason.JUDGED: "A judge, not code, found that it follows from the sentences beside it.",
    Reason.NOT_ENTAILED: "The judge did not find that it follows from the sentences it cites.",
    Reason.JUDGE_UNSURE: "The judge was not sure that it follows from the sentences it cites.",
    Reason.NOT_JUDGED: "Code could not verify it, and no judge looked at it.",
    Reason.PREMISE_NOT_SERVED: "It rests on a statement that was withheld, or on none.",
    Reason.FACT_NOT_TOLD: "It rests on a fact that is not in the question.",
    Reason.FIGURE_UNFOUNDED: "It has a number, date or sum that no premise, fact or computation has.",
    Reason.COMPUTATION_WRONG: "A computation has another result than the one it gives.",
    Reason.COMPUTATION_UNREADABLE: "A computation cannot be repeated.",
    Reason.STRONGER_THAN_PREMISES: "It says must or may not where its premises say less.",
}

VERDICTS: dict[Reason, Verdict] = {
    Reason.NO_CITATION: "UNCITED",
    Reason.URN_MALFORMED: "NOT_FOUND",
    Reason.URN_NOT_IN_CONTEXT: "OUT_OF_SCOPE",
    Reason.NOT_IN_FORCE: "NOT_IN_FORCE",
    Reason.OVERRIDDEN: "OVERRIDDEN",
    Reason.QUOTE_TOO_SHORT: "MISQUOTED",
    Reason.QUOTE_NOT_IN_NODE: "MISQUOTED",
    # No wording makes these right, so nobody is asked about them.
    **dict.fromkeys((Reason.ACTIVE_CONTENT, Reason.EMPTY_CLAIM, Reason.QUOTE_CUT), "ALTERED"),
    # A paraphrase that differs is not shown to say the same; whether it says otherwise a refuter tells.
    **dict.fromkeys(
        (
            Reason.NUMBER_CHANGED, Reason.UNIT_CHANGED, Reason.MODALITY_CHANGED, Reason.NEGATION_CHANGED,
            Reason.COMPARATOR_CHANGED, Reason.CONNECTIVE_CHANGED, Reason.EXCEPTION_CHANGED, Reason.CONDITION_CHANGED,
            Reason.PARTY_CHANGED, Reason.RELATION_CHANGED, Reason.VOICE_CHANGED, Reason.ABSOLUTE_CHANGED,
            Reason.REFERENCE_CHANGED, Reason.NEW_CONTENT, Reason.CONTENT_OMITTED, Reason.WORDS_MOVED,
            Reason.RESTRICTION_DROPPED, Reason.QUALIFIER_DROPPED, Reason.LIST_INCOMPLETE, Reason.LANGUAGE_NOT_CHECKED,
            Reason.CLAIM_TOO_LONG,
        ),
        "UNVERIFIED",
    ),
    Reason.NOT_ENTAILED: "UNVERIFIED",
    Reason.JUDGE_UNSURE: "UNVERIFIED",
    Reason.NOT_JUDGED: "UNVERIFIED",
    Reason.PREMISE_NOT_SERVED: "UNVERIFIED",
    Reason.FACT_NOT_TOLD: "MISQUOTED",
    Reason.FIGURE_UNFOUNDED: "ALTERED",
    Reason.COMPUTATION_WRONG: "ALTERED",
    Reason.COMPUTATION_UNREADABLE: "UNVERIFIED",
    Reason.STRONGER_THAN_PREMISES: "ALTERED",
}  # fmt: skip

# Served, but with a check that did not apply: show the sentence beside the claim.
LIMITING = frozenset(
    {
        Reason.OPEN_SENTENCE, Reason.LIST_ITEM, Reason.LIST_GOES_ON, Reason.CROSS_REFERENCE, Reason.NEGATION_SCOPE,
        Reason.RESPECTIVELY,
        Reason.TABLE_OR_FORMULA, Reason.ORDER_CHANGED, Reason.PART_STATED, Reason.PRONOUN_EXPLAINED,
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class EvidenceBlock:
    """One version of a node that claims may cite.

    Attributes:
        text: the node's own words; quotes are offsets into it.
        role: its role in C(R), such as rule, ancestor, definition or exception.
        lead_in: the open sentence of its ancestors that `text` continues (`No person shall:`).
        flush: the words after the list that finish the sentence.
        heading: the node's heading; a definition's term.
        valid_from: first day in force; None where the source does not say.
        valid_to: first day no longer in force.
        overridden: whether an override that redacts the node is in effect.
        breaks: offsets in `text` that no sentence runs across, such as the end of a lead-in whose list is in
            other nodes.
    """

    urn: str
    text: str
    role: str = "rule"
    lead_in: str = ""
    flush: str = ""
    heading: str = ""
    valid_from: date | None = None
    valid_to: date | None = None
    overridden: bool = False
    breaks: tuple[int, ...] = ()

    def in_force(self, at_date: date) -> bool:
        """Whether `valid_from <= at_date < valid_to`; an open side always holds."""
        return (self.valid_from is None or self.valid_from <= at_date) and (
            self.valid_to is None or at_date < self.valid_to
        )


@lru_cache(maxsize=4096)
def urn_key(text: str) -> Urn | None:
    """What identifies a URN whatever its spelling (`ma` and `us-ma`, letter case); None for what is no URN."""
    try:
        urn = parse_urn(text)
    except InputError:
        return None
    return Urn("", urn.jurisdiction, urn.corpus, urn.segments)


@dataclass(frozen=True)
class Evidence:
    """All that claims may rest on: the allow-list and the date.

    Attributes:
        blocks: the versions; a URN that is not among them cannot be cited.
        at_date: the date of the question.
        language: ISO 639-1 code of the blocks; paraphrases are checked in English, French and German.
        terms: defined terms; they count as parties.

    Raises:
        InputError: a block's URN is not a URN.
    """

    blocks: tuple[EvidenceBlock, ...]
    at_date: date
    language: str = "en"
    terms: tuple[str, ...] = ()
    _by_key: dict[Urn, list[EvidenceBlock]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        by_key: dict[Urn, list[EvidenceBlock]] = {}
        for block in self.blocks:
            key = urn_key(block.urn)
            if key is None:
                raise InputError("A block of the evidence has no valid URN.")
            by_key.setdefault(key, []).append(block)
        object.__setattr__(self, "_by_key", by_key)

    def versions(self, urn: str) -> list[EvidenceBlock]:
        """The blocks of a URN in any of its spellings; empty where it is not in the allow-list."""
        key = urn_key(urn)
        return self._by_key.get(key, []) if key is not None else []

    def siblings(self, block: EvidenceBlock) -> Iterable[EvidenceBlock]:
        """The other blocks under the same parent URN, in the order given."""
        parent = block.urn.rpartition(":")[0]
        return (other for other in self.blocks if other.urn.rpartition(":")[0] == parent and other.urn != block.urn)


@dataclass(frozen=True, slots=True)
class CheckedCitation:
    """A citation that holds.

    Attributes:
        urn: as the evidence writes it.
        quote: the node's own words, `text[start:end]`.
        start: first character of the quote in the node's text.
        end: one past the last.
        sentence_start: first character of the whole sentences that the quote lies in.
        sentence_end: one past the last.
        sentence: `text[sentence_start:sentence_end]`.
        lead_in: the open sentence that it continues; empty where it stands alone.
        flush: the words after the list that finish it.
    """

    urn: str
    quote: str
    start: int
    end: int
    sentence_start: int
    sentence_end: int
    sentence: str
    lead_in: str
    flush: str = ""


@dataclass(frozen=True, slots=True)
class Refutation:
    """One contradiction: its reason, and in one sentence what the claim says and what the law says."""

    reason: Reason
    told: str

    @property
    def decides(self) -> bool:
        """Whether its word is a verdict on a statement beside the sentences that it quotes; if not, a doubt."""
        return QUOTED[self.reason].decides


@dataclass(frozen=True, slots=True)
class CheckedClaim:
    """A claim with its verdict.

    Attributes:
        text: the claim; what a reader may see only where `level` is not WITHHELD.
        level: VERBATIM (the law's own whole sentences), CHECKED (a paraphrase that passed), EXPLAINED (one that a judge
            found to follow), APPLIED (the law applied to facts), WITHHELD.
        verdict: SUPPORTED; ALTERED where a refuter that decides shows that it contradicts its law, and for what no
            wording makes right; else the first failure in the order of the checks, UNVERIFIED for a paraphrase.
        reasons: all reasons and notes, each once.
        citations: the citations that hold.
        limited: a check did not apply; show the sentence beside the claim.
        refuted: what the law contradicts of it, for certain or perhaps, in the order of the refuters.
    """

    text: str
    level: Level
    verdict: Verdict
    reasons: tuple[Reason, ...] = ()
    citations: tuple[CheckedCitation, ...] = ()
    limited: bool = False
    refuted: tuple[Refutation, ...] = ()
