"""`verify` for any text: its references, quotations and claims, each with a verdict and a reason.

    text -> references (grammars of all jurisdictions, URNs) -> provisions at the date, overrides
         -> quotations (marks of all styles, blocks) -> the provision they rest on -> found, cut, changed, elsewhere
         -> sentences that rest on a provision -> the claim verifier

One read-only snapshot, no model. What has no verdict is listed.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Protocol

from rag import requests
from rag.calls import Call
from rag.citecheck.compare import nearest, places_in
from rag.citecheck.deadline import NO_DEADLINE, Deadline, DeadlineReached
from rag.citecheck.limits import Said, limits_of
from rag.citecheck.model import (
    DOUBT,
    FAILED,
    NOT_SUPPORTED,
    OPEN,
    UNCITED,
    ItemKind,
    NotChecked,
    TextVerdict,
    VerifyItem,
    VerifyResult,
    result_of,
)
from rag.citecheck.quotes import MAX_QUOTATION, Quotation, find_quotations, names_something
from rag.citecheck.references import (
    LEADING_WORDS,
    Mention,
    find_mentions,
    find_unread,
    own_documents,
    stands_apart,
    with_back_references,
    with_places_before,
)
from rag.citecheck.reply import ReplyRun, read_reply
from rag.citecheck.resolve import (
    Named,
    kept_in_store,
    laws_of_numbers,
    looked_up_once,
    named_in_store,
    resolve_mentions,
)
from rag.citecheck.sources import Provision, Sources, with_lead_ins
from rag.citecheck.statements import judge_statement, question_of, refers, rests_on, says_force
from rag.citecheck.ties import Sentence, references_of_quotation, references_of_sentence, sentences_of
from rag.citecheck.verdicts import UNLIKE, Judgement, Quoted, judge_found, judge_heading, judge_missing
from rag.citecheck.words import clean_quotation, elements_of, opens_with_provision, without_designators
from rag.jurisdictions.grammars import GRAMMARS
from rag.jurisdictions.registry import all_jurisdictions
from rag.languages.registry import language_rules
from rag.languages.told import language_told
from rag.settings import GRACE_SECONDS, Settings
from rag.store.database import Connection, Database
from rag.verification.judging import Judge, Question
from rag.verification.judging import Judgement as Judged
from rag.verification.model import DESCRIPTIONS, Reason
from retrieval.errors import CallTimeout, InputError, ProviderError
from retrieval.languages import checked_language
from retrieval.nodes import stored_jurisdictions
from retrieval.paths import expand_jurisdictions
from retrieval.references.resolution import checked_limits

MAX_TEXT = 1_000_000  # characters
MIN_QUOTE_WORDS = 3
_READING = 0.5  # share of the time after which no more of the text is read, so that what was read is checked, too
_TOLD = 1_500  # characters of the text on each side of a statement that a judge is shown for its facts
_BESIDE = 12  # sentences on each side of a statement that may cite what it rests on
_RECOGNISED_WORDS, _RECOGNISED = 6, 0.75  # words, and share of them, by which a quotation without a reference is known
_ATTRIBUTED_WORDS = 5  # of a quotation, fewer of which may be a term of the text's own, whatever is cited beside it
_PROVISION = re.compile(r"\d|\(")  # in a reference that says itself which provision it means
_PLACES = 8  # of a quotation's words in one section that are judged
_LOOKED_AT = 6  # sections cited before it that a statement without a reference may rest on
_JUDGED_TOGETHER = 12  # statements that a judge is asked about in one call
_JUDGE_SECONDS = 60.0  # of one call where nothing else limits it
_CLAUSE_ENDS = re.compile(r"[,;:]\s")
_JOINS = re.compile(r"\s*(?:,|;|&|and|or|und|oder|et|ou)\s*")
_NAMES_NOTHING = "A sentence that names no provision."
_WHOLE = "all that the text cites up to there"  # of which a judge was asked
_TOLD_WARNINGS = frozenset({"preemption", "override", "uncertain_dates"})


class HasStore(Protocol):
    """What has an open store, such as an `Engine`."""

    database: Database


def verify_text(
    engine: HasStore,
    text: str,
    *,
    jurisdiction: str | None = None,
    language: str | None = None,
    at_date: date | str | None = None,
    deadline: Deadline = NO_DEADLINE,
    judge: Judge | None = None,
    call: Call | None = None,
) -> VerifyResult:
    """Check every reference, quotation and claim of a text against the store.

    Args:
        engine: an `Engine`, or whatever else has an open store.
        text: a memo, a brief, a model's reply; up to a million characters. A JSON object with `claims`, as models draft
            it and `ask --json` gives it, is read claim by claim.
        jurisdiction: what may be relied on (`us-dc`, `eu|fr`); law from elsewhere is OUT_OF_SCOPE. None for all.
        language: of the references, as ISO 639-1; None for all.
        at_date: the date of the law; today in UTC by default.
        deadline: what it leaves no time for is UNVERIFIED or in `not_checked`, and the result is not `complete`.
        judge: asked about the statements that code neither proved nor refuted; None leaves them UNVERIFIED.
        call: what is done in it; where it is ended, what has no verdict by then is as after the deadline.

    Raises:
        InputError: the text, the date, the language or the jurisdiction cannot be used.
        StoreError: the store failed; never shown as "no such law".
        CallTimeout: the call was ended before the store told what it has.
    """
    if len(text) > MAX_TEXT:
        raise InputError(f"The text has {len(text):,} characters; the limit is {MAX_TEXT:,}. Verify it in parts.")
    if any("\ud800" <= char <= "\udfff" for char in text):
        raise InputError("The text is not valid Unicode.")
    language = checked_language(language)
    day = requests.checked_date(at_date)
    begun: list[_Run | ReplyRun] = []

    def work() -> None:
        with engine.database.read() as conn:
            checked_limits(conn, GRAMMARS, jurisdiction)
            claims = read_reply(text)
            if claims is not None:
                run = ReplyRun(conn, text, claims, day, jurisdiction, language, deadline)
            else:
                run = _Run(conn, text, day, jurisdiction, language, deadline, judge)
            begun.append(run)
            run.read()
            run.verdicts()
        run.ask_judge()  # no connection waits for it

    try:
        call.run(work) if call is not None else work()
    except CallTimeout:
        if not begun:
            raise
        deadline.end()
    return begun[0].result()


@dataclass(frozen=True, slots=True)
class _Open:
    """An item that code left open, and what a judge is asked about it.

    Attributes:
        item: its number.
        question: with the law that it cites, or that it seems to state.
        cites: whether the sentence cites what it rests on.
        again: what it is asked about once more. Of one that cites nothing, with all law that the text cites before it
            and beside it, so that a no to it is a no; None where the store does not have all of that, or it is too
            much. Of one whose question shows more law than it cites, whether what it cites says it, so that a yes is
            a yes; else None.
        beside: the URNs of that other law.
    """

    item: int
    question: Question
    cites: bool
    again: Question | None = None
    beside: tuple[str, ...] = ()

    def next(self, answer: Judged | None) -> Question | None:
        """What is asked after an answer, if anything."""
        asks = answer is not None and answer.holds if self.cites else _is_not_found(answer)
        return self.again if asks else None


@dataclass
class _Run:
    """One text under verification, in one snapshot. It may be ended from outside at any moment; its result holds all
    the same."""

    conn: Connection
    text: str
    at_date: date
    jurisdiction: str | None
    language: str | None
    deadline: Deadline
    judge: Judge | None = None
    items: list[VerifyItem] = field(default_factory=list[VerifyItem])
    not_checked: list[NotChecked] = field(default_factory=list[NotChecked])
    open: list[_Open] = field(default_factory=list["_Open"])
    bare: list[tuple[Sentence, Question]] = field(
        default_factory=list[tuple[Sentence, Question]]
    )  # says law, cites none
    answers: dict[str, Judged | None] = field(default_factory=dict[str, Judged | None])  # of a judge, by question's key
    said: dict[int, Said] = field(default_factory=dict[int, Said])  # by the sentence of law nearest to it, by item
    # How many sentences have all their verdicts, and how long the lists above are with these; None until all is read.
    done: tuple[int, tuple[int, ...]] | None = None

    def read(self) -> None:
        """Read the text, look its references up and list them."""
        stored = stored_jurisdictions(self.conn)
        own = own_documents(self.conn, stored)
        resolve = looked_up_once(self.conn, stored, self.at_date, self.language, own)
        found, read_to = find_mentions(self.text, [*all_jurisdictions(), own], self.deadline.first(_READING))
        found = kept_in_store(self.conn, found, self.jurisdiction)
        head = self.text[:read_to]
        found = named_in_store(found, resolve, self.deadline.first(_READING))
        scope = expand_jurisdictions(self.jurisdiction, stored) if self.jurisdiction else None
        found, law = laws_of_numbers(head, found, resolve, scope, own.within(scope or ()))
        read = with_places_before(head, found, self.deadline)
        self.quotations, unclosed = find_quotations(head)
        quoted = [(quotation.start, quotation.end) for quotation in self.quotations]
        self.mentions = with_back_references(head, read, find_unread(head, read), self.deadline, quoted=quoted, law=law)
        self.named = resolve_mentions(
            self.conn, self.mentions, at_date=self.at_date, jurisdiction=self.jurisdiction, language=self.language,
            deadline=self.deadline, resolve=resolve,
        )  # fmt: skip
        self._without_unread()
        if self.deadline.passed():
            read_to, head, self.quotations, unclosed = 0, "", [], []  # no sentence would be judged
        languages = Counter(named.rule.language for named in self.named if named.rule is not None)
        most = languages.most_common(1)[0][0] if languages else self.language or language_told(head) or "en"
        self.sentences = sentences_of(head, self.mentions, self.quotations, most)
        rules = language_rules(most)
        # "Subject to § 3, ...": what such words open with is not what the sentence is said to be by.
        self.limited_by = [phrase.pattern for phrase in rules.links.exceptions] if rules is not None else []
        self.judged = self._whole_sentences(read_to)
        if self.judged < len(self.sentences):
            read_to = self.sentences[self.judged].start
        if read_to < len(self.text):
            self.left(read_to, len(self.text), f"{self.deadline.cause} It was not read to its end.")
        self.unread = [span for span in find_unread(head, self.mentions) if span[1] <= read_to]
        self.unclosed = [at for at in unclosed if at < read_to]
        expected = [
            (named.rule, named.at_date) for named in self.named if named.rule is not None and named.at_date is not None
        ]
        self.sources = Sources(self.conn, self.at_date, expected, self.deadline)
        self._list_references()
        self._are_done(0)

    def _are_done(self, sentences: int) -> None:
        """Keep what was found of the first sentences; in one step, so that it is right whenever this is ended."""
        self.done = sentences, tuple(len(found) for found in (self.items, self.not_checked, self.open, self.bare))

    def _without_unread(self) -> None:
        """Leave out parts, and sections of a law that the text does not name, which are not there: they may be of
        something else.
        """
        kept: list[tuple[Mention, Named]] = []
        for mention, named in zip(self.mentions, self.named, strict=True):
            if mention.part is not None and named.urn is None:
                reason = f"{mention.note} The store has no such part of it; name the provision in full."
                self.left(mention.start, mention.end, reason)
            elif mention.guessed and named.verdict in ("NOT_FOUND", "AMBIGUOUS"):
                continue  # it is listed as one that no grammar read
            else:
                kept.append((mention, named))
        self.mentions, self.named = [one for one, _ in kept], [one for _, one in kept]

    def _whole_sentences(self, read_to: int) -> int:
        """How many sentences are what they are whatever stands in the part of the text that was not read.

        The last ones may go on there, rest on what is cited there, or lie in a quotation that is closed there.
        """
        if read_to == len(self.text):
            return len(self.sentences)
        quoted = max(self.text.rfind("\n\n", 0, read_to), read_to - MAX_QUOTATION)
        return bisect_right(self.sentences[:-2], quoted, key=lambda one: one.end)

    def verdicts(self) -> None:
        """Verdicts on the sentences that have none; after the deadline they are listed as not checked."""
        if self.done is None:
            return
        first, lengths = self.done
        for found, length in zip((self.items, self.not_checked, self.open, self.bare), lengths, strict=True):
            del found[length:]  # of a sentence that was left half-way
        self.said = {number: said for number, said in self.said.items() if number < len(self.items)}
        for index in range(first, self.judged):
            self._sentence(index, self.sentences[index])
            self._are_done(index + 1)

    def _sentence(self, index: int, sentence: Sentence) -> None:
        for number in sentence.quotations:
            quotation = self.quotations[number]
            try:
                self.deadline.check()
                self.quotation(index, sentence, quotation)
            except DeadlineReached:
                self.left(quotation.start, quotation.end, self.deadline.cause)
        try:
            self.deadline.check()
            self.claim(index, sentence)
        except DeadlineReached:
            if sentence.claims and not sentence.is_citation:
                self.left(sentence.start, sentence.end, self.deadline.cause)

    def result(self) -> VerifyResult:
        """All verdicts, those of the judge included, and what has none."""
        if self.done is None:
            self.items, self.not_checked = [], []
            self.left(0, len(self.text), f"{self.deadline.cause} It was not read to its end.")
        else:
            self.verdicts()
            self._tell_judged()
            self._tell_limits()
        warnings = [] if self.items else ["Nothing in the text could be checked: no reference was read in it."]
        return result_of(self.at_date, self.items, self.not_checked, warnings, self.deadline)

    def _tell_limits(self) -> None:
        """Put what limits the items that are SUPPORTED into their reasons."""
        said = {number: one for number, one in self.said.items() if self.items[number].verdict == "SUPPORTED"}
        for number, told in limits_of(said, self.deadline).items():
            item = self.items[number]
            self.items[number] = item.model_copy(update={"reasons": [*item.reasons, *told]})

    def ask_judge(self) -> None:
        """Ask the judge about the statements that are left, in batches, as long as there is time.

        What is not found in the law shown first is asked of all law that the text cites, with the statements that cite
        nothing. What follows from more law than is cited for it is asked of what is cited.
        """
        self._ask([one.question for one in self.open])
        self._ask([*self._asked_again().values(), *(question for _, question in self.bare)])

    def _asked_again(self) -> dict[int, Question]:
        """What a judge is asked once more, by its place among the statements that are left."""
        return {
            place: question
            for place, one in enumerate(self.open)
            if (question := one.next(self.answers.get(one.question.key))) is not None
        }

    def _tell_judged(self) -> None:
        """Put what the judge said into the items.

        What follows with high confidence is SUPPORTED, at the level EXPLAINED, unless it follows from law that the
        text cites for something else and not from what it cites for it. What does not follow with high confidence
        fails, with NOT_ENTAILED; what cites nothing fails where what the text cites does not say or denies it. Anything
        else leaves the statement as it is.
        """
        if self.judge is None:
            return
        again = self._asked_again()
        for place, one in enumerate(self.open):
            item, said = self.items[one.item], self.answers.get(one.question.key)
            later = self.answers.get(again[place].key) if place in again else None
            if one.cites and place in again:
                denied = later is not None and later.entailment != "supported" and later.confidence == "high"
                self.items[one.item] = (
                    _said_elsewhere(item, self.judge.name, one.beside)
                    if denied
                    else _as_judged(item, later, self.judge.name, _WHOLE, cites=True)
                )
                continue
            of = _WHOLE if later is not None else item.urn or "what is cited"
            known = one.cites or later is not None
            self.items[one.item] = _as_judged(item, later or said, self.judge.name, of, cites=known)
        for sentence, question in self.bare:
            answer = self.answers.get(question.key)
            if answer is None or answer.holds or answer.confidence != "high":
                self.left(sentence.start, sentence.end, _NAMES_NOTHING)
                continue
            told = f"{UNCITED}: It names no provision."
            self.item(sentence.start, sentence.end, "claim", "UNVERIFIED", (told,), None)
            self.items[-1] = _as_judged(self.items[-1], answer, self.judge.name, _WHOLE, cites=True)

    def _ask(self, questions: Sequence[Question]) -> None:
        """Ask the judge some questions; one asked before is not asked again."""
        waiting = [*{question.key: question for question in questions if question.key not in self.answers}.values()]
        for start in range(0, len(waiting), _JUDGED_TOGETHER):
            batch = waiting[start : start + _JUDGED_TOGETHER]
            left = self.deadline.seconds_left
            answers: list[Judged | None] = []
            if self.judge is not None and not self.deadline.passed():
                with suppress(ProviderError):
                    answers = self.judge.judge(batch, seconds=_JUDGE_SECONDS if left is None else left)
            if len(answers) == len(batch):
                self.answers.update(zip((question.key for question in batch), answers, strict=True))

    def _list_references(self) -> None:
        """The items of the references, and what looks like one and was not read."""
        for mention, named in zip(self.mentions, self.named, strict=True):
            self.item(mention.start, mention.end, "reference", named.verdict, named.reasons, named.urn)
            if mention.range == "end":
                reason = "Of a range its two ends are checked; the provisions between them are not."
                self.left(mention.whole_start, mention.whole_end, reason)
        for start, end in self.unread:
            reason = "It looks like a reference, and no grammar read it: name the law in full."
            self.left(start, end, reason)
        for at in self.unclosed:
            self.left(at, at + 1, "A quotation mark that nothing closes before its paragraph ends.")

    def quotation(self, index: int, sentence: Sentence, quotation: Quotation) -> None:
        """The item of a quotation, or why it has none."""
        words = clean_quotation(self.text[quotation.inner_start : quotation.inner_end])
        elements = elements_of(words)
        size = sum(element.kind == "word" for element in elements)
        numbers = references_of_quotation(self.sentences, index, quotation, self.mentions)
        quoted = Quoted(words, tuple(elements))
        own = references_of_sentence(self.sentences, index)
        if size >= MIN_QUOTE_WORDS and not own:
            numbers = self._quoted_from(quoted, index, numbers)
        if not size or not numbers:
            if size >= MIN_QUOTE_WORDS:
                self.left(quotation.start, quotation.end, "A quotation with no reference that it could rest on.")
            return
        judged = self._judge_quotation(quoted, numbers)
        if judged.is_missing and (after := self._cited_after(index, numbers)):
            # `Subject to § 3, "...". § 2(b).`: the citation after the sentence is that of its words.
            again = self._judge_quotation(quoted, after)
            judged, numbers = (judged, numbers) if again.is_missing or again.verdict in FAILED else (again, after)
        bare = without_designators(words)
        if (judged.is_missing or judged.verdict == "ALTERED") and bare != words:
            # The items of a list stand in nodes of their own, and their designators in none.
            again = self._judge_quotation(replace(quoted, words=bare, elements=tuple(elements_of(bare))), numbers)
            judged = judged if again.is_missing else again
        # A few words or a figure that another section has as well excuse none.
        numeric = any(char.isdigit() for char in words)
        if size >= _ATTRIBUTED_WORDS and not numeric and (judged.is_missing or judged.verdict == "ALTERED"):
            judged = self._quoted_from_before(quoted, index, numbers) or judged
        if judged.is_missing and not (own and self._names_part(numbers[0])):
            judged = self._quoted_from_section(quoted, index, sentence, numbers[0]) or judged
        if judged.is_missing and names_something(self.text, quotation):
            self.left(
                quotation.start, quotation.end, "It reads like a name or a title that the text gives, not a quote."
            )
            return
        # A contract or a letter is quoted as well, and a term of the text's own stands in quotation marks.
        unlike = judged.verdict == "MISQUOTED" and judged.reasons[0].startswith(UNLIKE)
        if unlike and (size < _ATTRIBUTED_WORDS or not own):
            reason = "Nothing cited beside it has these words or any like them; it may quote something else."
            self.left(quotation.start, quotation.end, reason)
            return
        if size < MIN_QUOTE_WORDS and (judged.verdict not in FAILED or not numeric):
            self.left(quotation.start, quotation.end, f"A quotation of fewer than {MIN_QUOTE_WORDS} words.")
            return
        judged = self._noted(judged, numbers)
        self.item(quotation.start, quotation.end, "quote", judged.verdict, judged.reasons, judged.urn, judged.said)

    def _quoted_from(self, quoted: Quoted, index: int, numbers: Sequence[int]) -> Sequence[int]:
        """The references that a quotation rests on whose sentence has none: of those before it the one that has its
        words, else the one with nearly these words, else those that are taken for it.
        """
        before = self._mentions_before(index)
        for number in (*numbers, *before):
            if self._found_in(quoted, number) is not None:
                return (number,)
        if numbers or sum(element.kind == "word" for element in quoted.elements) < _RECOGNISED_WORDS:
            return numbers
        near = [
            (found.share, number)
            for number in before
            if (one := self._at(number)) and (found := nearest(one.around, quoted.words))
        ]
        share, number = max(near, key=lambda pair: pair[0], default=(0.0, 0))
        return (number,) if share >= _RECOGNISED else ()

    def _quoted_from_before(self, quoted: Quoted, index: int, numbers: Sequence[int]) -> Judgement | None:
        """AMBIGUOUS where a provision that was cited before in the paragraph has the words: "Save as § 4 provides
        otherwise, it carries "interest from the date of payment"." goes on about that one.
        """
        paragraph = self.sentences[index].paragraph
        for other in range(index - 1, -1, -1):
            if self.sentences[other].paragraph != paragraph:
                return None
            for number in self.sentences[other].mentions:
                found = self._found_in(quoted, number) if number not in numbers else None
                if found is not None and found.verdict not in FAILED and not found.is_missing:
                    named = self.mentions[numbers[0]].words
                    told = f"CITED_BEFORE: {named} is cited beside it; the words are those of {found.urn}. Cite that."
                    return Judgement("AMBIGUOUS", (told, *found.reasons), found.urn)
        return None

    def _names_part(self, number: int) -> bool:
        """Whether a reference says itself which provision it means, and is not `Id.` or `the same section`."""
        mention = self.mentions[number]
        return not mention.note or _PROVISION.search(self.text, mention.start, mention.end) is not None

    def _quoted_from_section(self, quoted: Quoted, index: int, sentence: Sentence, number: int) -> Judgement | None:
        """AMBIGUOUS where a section cited before has the words of a quotation which itself names none of its parts."""
        mention = self.mentions[number]
        for section in self._sections_before(index, sentence):
            judged = self._found(quoted, section)
            if judged is not None and judged.verdict not in FAILED and not judged.is_missing:
                told = f"SHORT_FORM: {mention.note or mention.words} The words are those of {judged.urn}."
                return Judgement("AMBIGUOUS", (told, *judged.reasons), judged.urn)
        return None

    def _cited_after(self, index: int, numbers: Sequence[int]) -> tuple[int, ...]:
        """The references of the citation that follows a sentence as one of its own, besides some that are known."""
        following = self.sentences[index + 1] if index + 1 < len(self.sentences) else None
        if following is None or not following.is_source or following.paragraph != self.sentences[index].paragraph:
            return ()
        return tuple(mention for mention in following.mentions if mention not in numbers)

    def _noted(self, judged: Judgement, numbers: Sequence[int]) -> Judgement:
        """What is supported with what a reader of it must know: preemption, lesser overrides, doubtful dates; and what
        is not there as a doubt, where the text may mean other law.
        """
        if judged.verdict in ("OUT_OF_SCOPE", "MISQUOTED") and all(self.mentions[number].guessed for number in numbers):
            told = f"{DOUBT}: {self.mentions[numbers[0]].note} Name the law."
            return Judgement("UNVERIFIED", (told, *judged.reasons), judged.urn)
        if judged.verdict != "SUPPORTED":
            return judged
        provisions = [one for number in numbers if (one := self._at(number)) is not None]
        told = (
            f"NOTE: {warning.message}"
            for provision in provisions
            if provision.rule.urn == judged.urn or judged.urn in provision.own.urns
            for warning in provision.context.warnings
            if warning.kind in _TOLD_WARNINGS
        )
        return replace(judged, reasons=tuple(dict.fromkeys((*judged.reasons, *told))))

    def _judge_quotation(self, quoted: Quoted, numbers: Sequence[int]) -> Judgement:
        nearest = self.mentions[numbers[0]]
        same = [number for number in numbers if self.mentions[number].whole_start == nearest.whole_start]
        others = [number for number in numbers if number not in same]
        for number in same:
            judged = self._found_in(quoted, number)
            if judged is not None:
                return judged
        for number in others:
            judged = self._found_in(quoted, number)
            if judged is not None:
                reason = f"SEVERAL_REFERENCES: {nearest.words} stands nearest; the words are those of {judged.urn}."
                return Judgement("AMBIGUOUS", (reason, *judged.reasons), judged.urn)
        named = self.named[same[0]]
        provision = self._provision(named)
        if provision is not None:
            return judge_missing(quoted, provision, [p for number in others if (p := self._at(number))], self.sources)
        if named.rule is not None:
            reason = f"CONTAINER: {named.urn} is a whole part of the law; name the section that is quoted."
            return Judgement("UNVERIFIED", (reason,), named.urn)
        return self._unusable(nearest, named)

    def _found_in(self, quoted: Quoted, number: int) -> Judgement | None:
        provision = self._at(number)
        return None if provision is None else self._found(quoted, provision)

    def _found(self, quoted: Quoted, provision: Provision) -> Judgement | None:
        for one in (provision, with_lead_ins(provision)):
            # "work made for hire" is a term in one definition and is excluded by another: it was quoted from either.
            places = places_in(one.own, quoted.elements)[:_PLACES]
            judged = [judge_found(quoted, one, place) for place in places]
            if judged:
                return next((place for place in judged if place.verdict == "SUPPORTED"), judged[0])
        return judge_heading(quoted, provision)

    def _at(self, number: int) -> Provision | None:
        return self._provision(self.named[number])

    def _provision(self, named: Named) -> Provision | None:
        if named.rule is None or named.at_date is None:
            return None
        return self.sources.provision(named.rule, named.at_date)

    def _unusable(self, mention: Mention, named: Named) -> Judgement:
        """The verdict on what rests on a reference that cannot be compared with."""
        verdict: TextVerdict = "UNVERIFIED" if named.verdict == "SUPPORTED" else named.verdict
        return Judgement(verdict, (f"REFERENCE: It rests on {mention.words}.", *named.reasons), named.urn)

    def claim(self, index: int, sentence: Sentence) -> None:
        """The item of a sentence that says something of its own, or why it has none."""
        if sentence.too_short:
            reason = "TOO_SHORT: It has too few words beside its reference to compare; read the provision beside it."
            urn = self.named[sentence.mentions[0]].urn
            self.item(sentence.start, sentence.end, "claim", "UNVERIFIED", (reason,), urn)
        if sentence.is_citation or not sentence.claims:
            return
        numbers = references_of_sentence(self.sentences, index)
        if all(self.mentions[number].part is not None for number in numbers):
            self.claim_without_reference(index, sentence)
            return
        # "Donations under § 9 are private. § 5(b).": what it says rests on the citation after it.
        closed = self._closes(sentence, self.mentions[numbers[-1]])
        after = () if closed and not self._is_inside(sentence, numbers[-1]) else self._cited_after(index, numbers)
        numbers = (*numbers, *after)
        question: Question | None = None
        again: Question | None = None
        others: tuple[str, ...] = ()
        cites = True
        failed = [number for number in numbers if self.named[number].verdict in FAILED]
        usable = [number for number in numbers if self.named[number].rule is not None and number not in failed]
        if failed or not usable:
            first = (failed or list(numbers))[0]
            judged = self._unusable(self.mentions[first], self.named[first])
        else:
            found = [provision for number in usable if (provision := self._at(number)) is not None]
            if provisions := list(dict.fromkeys(found)):
                near = frozenset(
                    provision.section.urn for provision in (*self._beside(index), *self._cited_before(index))
                )
                before = self._before(index)
                # What ends its words may be its source as well.
                chosen = usable if closed and after else [number for number in after if number in usable]
                chosen = chosen or self._cited_for(sentence, usable)
                if self._cited_at_end(sentence, usable):
                    near = frozenset[str]()  # what is cited at its end is what it is said to be by
                sources = list(dict.fromkeys(one for number in chosen if (one := self._at(number)) is not None))
                spoken = not after and all(self._is_inside(sentence, number) for number in usable)
                if spoken and (speaking := self._speaking_of(index, sentence, provisions)) is not None:
                    provisions, sources, cites = [*provisions, speaking], [speaking], False
                judged = judge_statement(
                    sentence.texts, provisions, self.sources, self.deadline,
                    sources=sources, closing=self._closing(sentence, usable),
                    others=self._cited_for_others(index, usable), near=near, before=before, spoken=spoken,
                )  # fmt: skip
                if judged.urn in near and judged.verdict == "UNVERIFIED":
                    cited = (*self._beside(index), *self._cited_before(index))
                    provisions = [
                        *provisions,
                        *(provision for provision in cited if provision.section.urn == judged.urn),
                    ]
                if (whole := self._whole_part_beside(index, provisions)) and (
                    _is_foreign(judged)
                    or (judged.verdict == "OUT_OF_SCOPE" and (judged.urn or "").startswith(f"{whole}:"))
                ):
                    reason = (
                        f"{OPEN}: {whole}, which is cited with it, is a whole part of the law and was not searched."
                    )
                    judged = Judgement("UNVERIFIED", (reason,), whole)
                beside = self._also_about(index, sentence, provisions) if len(chosen) == len(usable) else None
                shown = [*provisions, *([beside] if beside else [])]
                question = self._question(sentence, shown)
                own = {provision.section.urn for provision in found}
                others = tuple(dict.fromkeys(one.section.urn for one in shown if one.section.urn not in own))
                if question is not None and others and not spoken and not self._is_excepted(sentence, usable[0]):
                    says = " and ".join(provision.rule.urn for provision in sources or found)
                    again = replace(question, statement=f"{says} provides: {question.statement}")
            else:
                urn = self.named[usable[0]].urn
                reason = f"CONTAINER: {urn} is a whole part of the law; name the section that says so."
                judged = Judgement("UNVERIFIED", (reason,), urn)
        if sentence.is_title and _is_foreign(judged):
            self.left(sentence.start, sentence.end, "It reads like a title; what it names does not speak of it.")
            return
        judged = self._noted(judged, numbers)
        if question is not None and judged.verdict == "UNVERIFIED" and judged.reasons[0].startswith((OPEN, DOUBT)):
            again = again if cites else self._asked_of_all(index, sentence)
            self.open.append(_Open(len(self.items), question, cites, again, others))
        self.item(sentence.start, sentence.end, "claim", judged.verdict, judged.reasons, judged.urn, judged.said)

    def _whole_part_beside(self, index: int, provisions: Sequence[Provision]) -> str:
        """The whole part of the law, not that of the provisions themselves, that a sentence up to this one cites with
        one of them: "12 C.F.R. pt. 1002, Supp. I, § 1002.8"; empty where none does.
        """
        for sentence in reversed(self.sentences[max(0, index - _BESIDE) : index + 1]):
            cited = [(self.named[number], self._at(number)) for number in sentence.mentions]
            if any(provision in provisions for _, provision in cited):
                for named, provision in cited:
                    apart = not any(other.rule.urn.startswith(f"{named.urn}:") for other in provisions)
                    if named.rule is not None and named.urn and provision is None and apart:
                        return named.urn
        return ""

    def _is_inside(self, sentence: Sentence, number: int) -> bool:
        """Whether a reference stands among the words of a sentence, which may only speak of it."""
        mention = self.mentions[number]
        lead = _CLAUSE_ENDS.split(self.text[sentence.start : mention.whole_start])[-1].split()
        within = sentence.start <= mention.whole_start < sentence.end and len(lead) > LEADING_WORDS
        return within and not stands_apart(self.text, mention, sentence.start)

    def _closing(self, sentence: Sentence, numbers: Sequence[int]) -> list[Provision]:
        """What a sentence cites apart from its words, where it closes with that: ", § 4.", "(§ 4)"."""
        apart = [number for number in numbers if not self._is_inside(sentence, number)]
        closes = numbers[-1] in apart and self._closes(sentence, self.mentions[numbers[-1]])
        return [one for number in apart if (one := self._at(number)) is not None] if closes else []

    def _speaking_of(self, index: int, sentence: Sentence, provisions: Sequence[Provision]) -> Provision | None:
        """The section cited before a sentence that names what the sentence names, and has most of its words: "... the
        fee specified in section 41(a)(7)" repeats it.
        """
        known = {provision.section.urn for provision in provisions}
        before = [
            section
            for section in self._sections_before(index, sentence)
            if section.section.urn not in known and refers(section.around.texts, provisions)
        ]
        return rests_on(sentence.texts[0], before)[0]

    def _cited_for(self, sentence: Sentence, numbers: Sequence[int]) -> list[int]:
        """Of a sentence's references those that it is said to be by, where it begins with one: `By section 74 ...`.

        What it refers to later is what it speaks of, unless that stands in brackets.
        """
        first = self.mentions[numbers[0]]
        lead = self.text[sentence.start : first.whole_start]
        if len(lead.split()) > LEADING_WORDS or self._is_excepted(sentence, numbers[0]):
            return list(numbers)
        chosen, end = [numbers[0]], first.whole_end
        for number in numbers[1:]:
            one = self.mentions[number]
            joined = one.whole_start < end or _JOINS.fullmatch(self.text, end, one.whole_start) is not None
            if joined or self.text[one.whole_start - 1] == "(":
                chosen.append(number)
                end = max(end, one.whole_end) if joined else end
        return chosen

    def _is_excepted(self, sentence: Sentence, number: int) -> bool:
        """Whether words such as "Subject to" open a sentence before a reference of it."""
        lead = self.text[sentence.start : self.mentions[number].whole_start]
        return any(words.search(lead) for words in self.limited_by)

    def _cited_at_end(self, sentence: Sentence, numbers: Sequence[int]) -> bool:
        """Whether a sentence closes with its only reference, apart from its words: ", § 4.", ": reg 6(3)", "(§ 4)"."""
        only = {self.mentions[number].whole_start for number in numbers}
        last = self.mentions[numbers[-1]]
        apart = self.text[sentence.start : max(sentence.start, last.whole_start)].rstrip()[-1:] in tuple(",:;(—–")
        return len(only) == 1 and apart and self._closes(sentence, last)

    def _closes(self, sentence: Sentence, mention: Mention) -> bool:
        """Whether nothing follows a reference in its sentence."""
        return not self.text[mention.whole_end : sentence.end].strip(" .;)")

    def claim_without_reference(self, index: int, sentence: Sentence) -> None:
        """The item of a sentence that names no provision, or only a part of one, where a section cited before it speaks
        of it.

        Nothing is concluded from what that section does not say: the sentence may rest on something else.
        """
        sections = self._sections_before(index, sentence)
        # "subsection (c) provides": the section that it names a part of goes before those that only stand before it.
        named = sections[:1] if any(self._at(number) is not None for number in sentence.mentions) else []
        names = bool(sections) and opens_with_provision(sentence.texts[0], sections[0].rule.language)
        section, sure = rests_on(sentence.texts[0], named or (sections if names else []))
        sure = sure or (section is not None and not named)  # "The same section asks ..."
        if not sure:
            section, sure = rests_on(sentence.texts[0], sections)
        judged: Judgement | None = None
        told = ""
        if section is not None and sure:
            for assumed in (False, True) if names else (True,):
                judged = judge_statement(
                    sentence.texts, [section], self.sources, self.deadline, before=self._before(index), assumed=assumed
                )
                if judged.verdict in ("SUPPORTED", "ALTERED", "UNVERIFIED"):
                    break
            what = "only a part" if section in named else "no provision"
            told = f"CITED_BEFORE: It names {what}; {section.rule.urn}, which is cited before it, speaks of it."
        elif section is not None:
            told = f"{UNCITED}: It names no provision; if it is meant to state {section.rule.urn}, read it beside that."
            judged = Judgement("UNVERIFIED", (), section.rule.urn)
        if section is None or judged is None or judged.verdict not in ("SUPPORTED", "ALTERED", "UNVERIFIED"):
            question = self._asked_of_all(index, sentence)
            if section is None and question is not None and says_force(sentence.texts[0], question.language):
                self.bare.append((sentence, question))
            else:
                self.left(sentence.start, sentence.end, _NAMES_NOTHING)
            return
        reasons = (*judged.reasons, told)
        # The section cited last is what the text speaks of at that place, whatever has more of the words.
        question = self._question(sentence, list(dict.fromkeys((section, *sections[:1]))))
        if question is not None and judged.verdict == "UNVERIFIED" and reasons[0].startswith((OPEN, DOUBT, UNCITED)):
            cites = section in named
            again = None if cites else self._asked_of_all(index, sentence)
            self.open.append(_Open(len(self.items), question, cites, again))
        self.item(sentence.start, sentence.end, "claim", judged.verdict, reasons, judged.urn, judged.said)

    def _asked_of_all(self, index: int, sentence: Sentence) -> Question | None:
        """What a judge is asked of a sentence beside all law that the text cites before it and in its paragraph; None
        where a part of that is unread, not in the store, a whole part of the law, or more than a judge is shown.
        """
        if self.judge is None:
            return None
        paragraph = [one for one in self.sentences if one.paragraph == sentence.paragraph]
        start, end = self.sentences[max(0, index - _BESIDE)].start, paragraph[-1].end
        unread = any(start <= at < end and _PROVISION.search(self.text, at, to) for at, to in self.unread)
        numbers = [number for number, mention in enumerate(self.mentions) if start <= mention.start < end]
        cited = [self._at(number) for number in reversed(numbers)]
        sections = {one.section.urn: one.section for one in cited if one is not None}
        if unread or None in cited or not 0 < len(sections) <= _LOOKED_AT:
            return None
        read = [self.sources.provision(version, self.at_date) for version in sections.values()]
        return self._question(sentence, [one for one in read if one is not None])

    def _sections_before(self, index: int, sentence: Sentence) -> list[Provision]:
        """The sections of the parts that a sentence names by themselves, and of what was cited before it."""
        own = (provision for number in sentence.mentions if (provision := self._at(number)) is not None)
        cited = {provision.section.urn: provision.section for provision in (*own, *self._cited_before(index))}
        sections = [self.sources.provision(version, self.at_date) for version in [*cited.values()][:_LOOKED_AT]]
        return [section for section in sections if section is not None]

    def _also_about(self, index: int, sentence: Sentence, provisions: Sequence[Provision]) -> Provision | None:
        """The section cited before a sentence that it may be about, where its references are what that speaks of."""
        if self.judge is None:
            return None
        known = {provision.section.urn for provision in provisions}
        before = [
            provision for provision in self._sections_before(index, sentence) if provision.section.urn not in known
        ]
        return rests_on(sentence.texts[0], before)[0]

    def _beside(self, index: int) -> list[Provision]:
        """The provisions that the other sentences of a sentence's paragraph cite, in order."""
        paragraph, found = self.sentences[index].paragraph, list[Provision]()
        start = index
        while start > 0 and self.sentences[start - 1].paragraph == paragraph and index - start < _BESIDE:
            start -= 1
        for place in range(start, min(index + _BESIDE, len(self.sentences))):
            one = self.sentences[place]
            if place != index and one.paragraph == paragraph:
                found += (provision for number in one.mentions if (provision := self._at(number)) is not None)
        return found

    def _cited_for_others(self, index: int, numbers: Sequence[int]) -> list[Provision]:
        """The sections that the sentences around a sentence cite, where it says itself which provision it means."""
        if not all(self._names_part(number) for number in numbers):
            return []
        around = (*self._beside(index), *self._cited_before(index))
        cited = {provision.section.urn: provision.section for provision in around}
        sections = (self.sources.provision(version, self.at_date) for version in [*cited.values()][:_LOOKED_AT])
        return [section for section in sections if section is not None]

    def _mentions_before(self, index: int) -> list[int]:
        """The references of the sentences before a sentence, in whatever paragraph, the nearest first."""
        before = self.sentences[max(0, index - _BESIDE) : index]
        return [number for sentence in reversed(before) for number in reversed(sentence.mentions)]

    def _cited_before(self, index: int) -> list[Provision]:
        """The last provisions that the text cites before a sentence, in whatever paragraph, the nearest first."""
        found: dict[str, Provision] = {}
        for number in self._mentions_before(index):
            if (provision := self._at(number)) is not None:
                found.setdefault(provision.rule.urn, provision)
        return list(found.values())

    def _before(self, index: int) -> str:
        """What a text tells before a sentence, of the facts and the conditions under which it states the law."""
        start = self.sentences[index].start
        return self.text[max(0, start - _TOLD) : start]

    def _question(self, sentence: Sentence, provisions: Sequence[Provision]) -> Question | None:
        """What a judge is asked about a sentence; None where nobody judges.

        The sentence keeps its references: without them "§ 733 sets the order" says nothing, and a judge sees the
        addresses of the passages beside it.
        """
        told = self.text[max(0, sentence.start - _TOLD) : sentence.end + _TOLD]
        return question_of(self.text[sentence.start : sentence.end], provisions, told) if self.judge else None

    def item(
        self,
        start: int,
        end: int,
        kind: ItemKind,
        verdict: TextVerdict,
        reasons: Sequence[str],
        urn: str | None,
        said: Said | None = None,
    ) -> None:
        if said is not None:
            self.said[len(self.items)] = said
        self.items.append(
            VerifyItem(
                text=self.text[start:end], start=start, end=end, kind=kind, verdict=verdict, reasons=list(reasons),
                urn=urn,
            )
        )  # fmt: skip

    def left(self, start: int, end: int, reason: str) -> None:
        self.not_checked.append(NotChecked(text=self.text[start:end], start=start, end=end, reason=reason))


def _is_foreign(judged: Judgement) -> bool:
    """Whether nothing of the provision speaks of a statement."""
    return any(reason.startswith(NOT_SUPPORTED) for reason in judged.reasons)


def _is_not_found(answer: Judged | None) -> bool:
    return answer is not None and answer.entailment == "not_supported" and answer.confidence == "high"


def _said_elsewhere(item: VerifyItem, judge: str, others: Sequence[str]) -> VerifyItem:
    """An item that a judge finds in law which the text cites for something else, and not in what it cites for it."""
    law = " or ".join(others)
    told = f"{Reason.NOT_ENTAILED}: The judge {judge} finds that {law} says this, and not the law that is cited for it."
    return item.model_copy(update={"verdict": "OUT_OF_SCOPE", "urn": others[0], "reasons": [told, *item.reasons]})


def _as_judged(item: VerifyItem, answer: Judged | None, judge: str, law: str, *, cites: bool) -> VerifyItem:
    """An item with what a judge says of it. What cites nothing may rest on what the judge was not shown.

    Args:
        law: what the judge was shown.
        cites: whether it rests on that and on nothing else.
    """
    verdict = item.verdict
    if answer is None:
        told = f"{Reason.NOT_JUDGED}: The judge {judge} gave no answer on it."
    elif answer.confidence == "low":
        told = f"{Reason.JUDGE_UNSURE}: {DESCRIPTIONS[Reason.JUDGE_UNSURE]}"
    elif answer.entailment == "supported":
        verdict = "SUPPORTED"
        told = f"EXPLAINED: {DESCRIPTIONS[Reason.JUDGED]} ({judge})"
    elif answer.entailment == "contradicted":
        verdict = "ALTERED"
        told = f"{Reason.NOT_ENTAILED}: The judge {judge} finds that {law} says otherwise."
    elif cites:
        told = f"{Reason.NOT_ENTAILED}: The judge {judge} finds that {law} does not say this."
    else:
        told = f"{UNCITED}: The judge {judge} does not find it in {law}; cite what says so, if it is law."
    return item.model_copy(update={"verdict": verdict, "reasons": [told, *item.reasons]})


class CiteCheck:
    """Checks any text against a store; `Engine.citecheck`.

    Args:
        judge: asked about statements that code leaves open, unless `verify` is given another.
    """

    def __init__(self, database: Database, settings: Settings, judge: Judge | None = None) -> None:
        self.database = database
        self.settings = settings
        self.judge = judge

    def verify(
        self,
        text: str,
        *,
        jurisdiction: str | None = None,
        language: str | None = None,
        at_date: date | str | None = None,
        judge: Judge | None = None,
    ) -> VerifyResult:
        """Check the references, quotations and claims of any text; see `verify_text`.

        The deadline is that of an answer, the setting `request_seconds`. What outlasts it is ended from outside shortly
        after; the rest of the text is then not checked.
        """
        deadline = Deadline(self.settings.request_seconds)
        return verify_text(
            self, text, jurisdiction=jurisdiction, language=language, at_date=at_date, deadline=deadline,
            judge=judge or self.judge, call=Call(self.settings.request_seconds + GRACE_SECONDS / 2),
        )  # fmt: skip
