"""What a language offers (`Language`): one value per room, of records that say how law and questions in it are worded.

Pure data and patterns. The registry finds the value by the language's code; other packages offer theirs under the entry
point group `lexscope.languages`.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from importlib import resources
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from retrieval.languages import SearchWords

if TYPE_CHECKING:
    from rag.languages.definition_reader import Weights
    from rag.law.entries import TermLists
    from rag.law.jurisdiction import DocumentIndex, Jurisdiction
    from rag.law.nodes import Definition
    from rag.law.passages import Passage
    from rag.law.phrases import LinkPhrases
    from rag.law.term_uses import TermRules
    from rag.law.treatments import TreatmentWords

NEVER = re.compile(r"(?!)")  # of what a language has no words for


def pattern(text: str) -> re.Pattern[str]:
    """A pattern for words in any case, written with spaces and line feeds that match nothing."""
    return re.compile(text, re.IGNORECASE | re.VERBOSE | re.DOTALL)


# --- operators -------------------------------------------------------------------------------------------------------


class Kind(StrEnum):
    """The kinds of operators. Each is compared as a sequence of values."""

    NUMBER = "number"
    UNIT = "unit"
    MODALITY = "modality"
    NEGATION = "negation"
    COMPARATOR = "comparator"
    CONNECTIVE = "connective"
    EXCEPTION = "exception"
    CONDITION = "condition"
    ABSOLUTE = "absolute"
    RELATIVE = "relative"
    REFERENCE = "reference"
    PARTY = "party"
    VOICE = "voice"
    DESIGNATOR = "designator"
    NEUTRAL = "neutral"


@dataclass(frozen=True, slots=True)
class Operator:
    """One operator; equal `value`s of one kind mean the same."""

    kind: Kind
    value: str


class Mark(NamedTuple):
    """An operator or a content word in its place; `kind` is None for a word, whose `value` is its stem."""

    kind: Kind | None
    value: str


class Place(NamedTuple):
    """What surrounds a content word and says how it is meant; each empty where there is none (English)."""

    preposition: str  # before it or before its determiner
    determiner: str
    ending: str  # `ing` or `ed`: `the requesting State`, `the requested State`
    time: str = ""  # of the auxiliary before it: now, past, or done (`has paid`)
    number: str = ""  # of a noun with a determiner: one or many


@dataclass(frozen=True, slots=True)
class Reading:
    """What a reading found: operators in text order, and the stems of the content words in text order.

    `order` has both in one sequence, operators by their kind, absolutes and references by their value. `named` are
    stems of words such as `title` and `this chapter`, which a claim may add and may not leave out. `directed` are
    content stems with the direction word before them (`by trust`). `places` has one entry for each of `content`, in
    other languages than English with nothing but its number. `marks` are all operators and content words as the text
    has them, none of them put elsewhere.
    """

    operators: tuple[Operator, ...]
    content: tuple[str, ...]
    order: tuple[str, ...] = ()
    named: tuple[str, ...] = ()
    directed: tuple[str, ...] = ()
    places: tuple[Place, ...] = ()
    marks: tuple[Mark, ...] = ()

    def sequence(self, kind: Kind) -> tuple[str, ...]:
        """The values of one kind in text order."""
        return tuple(operator.value for operator in self.operators if operator.kind is kind)


# --- words of questions and answers ----------------------------------------------------------------------------------


class Want(StrEnum):
    """A kind of answer that a question asks for."""

    AMOUNT = "amount"
    TIME = "time"
    PERMISSION = "permission"
    DUTY = "duty"
    PERSON = "person"


@dataclass(frozen=True, slots=True)
class SentenceRules:
    """What a full stop means in a language, beside what all languages share (`rag/languages/sentences.py`).

    Attributes:
        bound: abbreviations that something always follows.
        counted: abbreviations that a number or a designator follows; before anything else their full stop may end a
            sentence.
        open: abbreviations that can close a sentence as well as go on before a capital.
        starters: words that open a sentence.
        joints: conjunctions at the end of a line that leave it open.
        ordinals: whether a number with a full stop may be an ordinal (`am 1. Januar`).
    """

    bound: frozenset[str] = frozenset()
    counted: frozenset[str] = frozenset()
    open: frozenset[str] = frozenset()
    starters: frozenset[str] = frozenset()
    joints: tuple[str, ...] = ()
    ordinals: bool = False


@dataclass(frozen=True, slots=True)
class QuestionWords:
    """How people ask, and what they say beside the matter that they ask about.

    Attributes:
        asks: the ways of asking for each kind of answer, searched in a sentence.
        asking: finds words by which a question asks for an amount, a time, a permission or a duty, in its groups. No
            answer has to repeat them: to "May he enter?" the law answers that he shall not.
        function: words that join others or stand for somebody, beside those that search leaves out.
        courtesy: words by which people ask or are polite; an answer without them lacks nothing.
        idle_runs: the same of a script without spaces, as runs of its signs.
        when: asks for conditions as often as for a time, and is left out before a time is missed.
        soon: gives a time without a figure: "immediately", "at any time".
        lasts: asks for a length of time: "how long", and not "how often".
        recurs: how often, without a figure: "monthly".
        times: units of time, as the reading of operators names them.
        amount_of: groups `first` and `second` hold what a question asks the amount of: "how much notice".
        money: stems of what an amount is given in under any name.
        clauses: divides a sentence into clauses.
        joined: divides a sentence that asks two questions.
        openers: what opens a part of a question that a model left open.
        within: what else may be part of one.
        names_by_capital: whether a capital inside a sentence tells a name; in German every noun has one.
        auxiliaries: verbs that come before the subject of a direct question; none where it is not read who acts.
        existential: after one of these it tells that something is asked about that nobody does: "is there".
        passives: of these, and beside them, what makes a passive with a participle.
        perfect: what makes a perfect with a participle.
        infinitive: words before an infinitive.
        genitive: prepositions that join a noun to the one it belongs to: "copies of drawings".
        adverb_endings: how adverbs end that come between an auxiliary and its verb.
        participle_endings: how participles end, beside the irregular ones of `PartWords`.
        agents: prepositions before who does what a passive says.
        pronouns: what stands for a thing that is named before and to which something is done.
        inflected: what a verb behind an auxiliary is not: a plural, or a form with a person's ending.
        meaning: a whole question for what a term means; one of its groups holds the term, `where` what limits it.
        under: begins what limits such a question to a law or a place: "in this act", "under the law of".
    """

    asks: Mapping[Want, re.Pattern[str]] = field(default_factory=dict[Want, re.Pattern[str]])
    asking: re.Pattern[str] = NEVER
    function: frozenset[str] = frozenset()
    courtesy: frozenset[str] = frozenset()
    idle_runs: frozenset[str] = frozenset()
    when: re.Pattern[str] = NEVER
    soon: re.Pattern[str] = NEVER
    lasts: re.Pattern[str] = NEVER
    recurs: re.Pattern[str] = NEVER
    times: frozenset[str] = frozenset()
    amount_of: re.Pattern[str] = NEVER
    money: frozenset[str] = frozenset()
    clauses: re.Pattern[str] = re.compile("[,;]")
    joined: re.Pattern[str] = NEVER
    openers: frozenset[str] = frozenset()
    within: frozenset[str] = frozenset()
    names_by_capital: bool = True
    auxiliaries: frozenset[str] = frozenset()
    existential: str = ""
    passives: frozenset[str] = frozenset()
    perfect: frozenset[str] = frozenset()
    infinitive: frozenset[str] = frozenset()
    genitive: frozenset[str] = frozenset()
    adverb_endings: tuple[str, ...] = ()
    participle_endings: tuple[str, ...] = ()
    agents: frozenset[str] = frozenset()
    pronouns: frozenset[str] = frozenset()
    inflected: re.Pattern[str] = NEVER
    meaning: re.Pattern[str] = NEVER
    under: re.Pattern[str] = NEVER


@dataclass(frozen=True, slots=True)
class LimitPhrases:
    """How law takes something back, names its own parts, and leans on the sentence before.

    Attributes:
        against: begins a sentence that takes something back from what precedes it, wherever that is.
        opens: how it also begins within one text; a provision of its own that begins so has its own rule.
        takes_back: what a sentence says that takes something back from the one before it.
        narrows: what limits a provision that the sentence names, beside the phrases that annotation knows.
        prevails: "Notwithstanding ...,": the words in which a sentence says what it goes before.
        precedes: names the provision right before its own.
        law, section, part: "this chapter", "this section", "this subsection": the unit that is named by no segment,
            by the first, and by the first two of a URN.
        units: alternatives of the words before a provision's number, as source of a pattern.
        joints: conjunctions between numbers.
        to: words between the ends of a range, likewise.
        placed: words between a number and the law or chapter that it is a part of: "of this", "du présent".
        number: patterns for an Arabic number with its unit, where no unit precedes it (第二項).
        leans: begins a sentence that is understood only with the one before it.
        changes: tells how something changes, which says nothing without the sentence that says what it is.
        amending: a sentence that only tells how another text is amended.
        reference: a reference with its number, which is no amount.
        words: words of every provision, which say nothing about its matter.
    """

    against: re.Pattern[str] = NEVER
    opens: re.Pattern[str] = NEVER
    takes_back: re.Pattern[str] = NEVER
    narrows: re.Pattern[str] = NEVER
    prevails: re.Pattern[str] = NEVER
    precedes: re.Pattern[str] = NEVER
    law: re.Pattern[str] = NEVER
    section: re.Pattern[str] = NEVER
    part: re.Pattern[str] = NEVER
    units: tuple[str, ...] = ()
    joints: tuple[str, ...] = ()
    to: tuple[str, ...] = ()
    placed: str = r"(?!)"
    number: Callable[[int], str] | None = None
    leans: re.Pattern[str] = NEVER
    changes: re.Pattern[str] = NEVER
    amending: re.Pattern[str] = NEVER
    reference: re.Pattern[str] = NEVER
    words: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class ListWords:
    """What tells whether an item of a list may be told without the others (`rag/verification/lists.py`).

    Attributes:
        either, both: the conjunctions of alternatives, and of items that hold together, as sources of patterns.
        any_of: a lead-in that says that one item is enough.
        whole: what a lead-in says whose items are never told apart: definitions, `only`, `each of`, `the lesser of`.
        exception: opens an exception, of which one alternative alone says that there is no other.
        ban, power, duty: the end of a lead-in that has its subject and its modal, and nothing else.
        modal_ban, modal_power, modal_duty: the modals of a lead-in that goes on to a verb.
        opens: opens a clause in which one alternative of several is enough.
        relative: of these, what opens a relative clause.
        denies: what an alternative alone means something else after.
        includes: the end of a lead-in whose items are named among others.
        case: begins an item that names its own case.
        state: begins an item that says what a thing has to be, and no act.
        act: is in an item that is an act where the words of `duty` alone do not tell; empty where they do.
        leans: what an item says that refers to its sisters.
        compares: is in an item that says which of several counts.
        rules: a lead-in whose items are sentences of their own.
        defines: an item that defines a term by itself.
        refers: a whole sentence that refers to the items below it, in a language whose lead-ins are sentences.
    """

    either: str = r"(?!)"
    both: str = r"(?!)"
    any_of: re.Pattern[str] = NEVER
    whole: re.Pattern[str] = NEVER
    exception: re.Pattern[str] = NEVER
    ban: re.Pattern[str] = NEVER
    power: re.Pattern[str] = NEVER
    duty: re.Pattern[str] = NEVER
    modal_ban: re.Pattern[str] = NEVER
    modal_power: re.Pattern[str] = NEVER
    modal_duty: re.Pattern[str] = NEVER
    opens: re.Pattern[str] = NEVER
    relative: re.Pattern[str] = NEVER
    denies: re.Pattern[str] = NEVER
    includes: re.Pattern[str] = NEVER
    case: re.Pattern[str] = NEVER
    state: re.Pattern[str] = NEVER
    act: re.Pattern[str] = re.compile("")
    leans: re.Pattern[str] = NEVER
    compares: re.Pattern[str] = NEVER
    rules: re.Pattern[str] = NEVER
    defines: re.Pattern[str] = NEVER
    refers: re.Pattern[str] = NEVER


@dataclass(frozen=True, slots=True)
class PartWords:
    """What tells whether a claim may leave out, or move, an alternative or a clause of a norm (`rag/verification`).

    Attributes:
        alternative: joins alternatives (`or`).
        conjunctions: `and`, after which no alternative begins.
        no_alternative: after `alternative` these belong to a limit, or nothing is an alternative beside them.
        determiners: articles and the like.
        stops: what a short alternative does not reach across: prepositions, words that open clauses, verbs of a clause.
        definite: `The landlord or the tenant shall pay`: one of the two is enough, and dropping one says more.
        finite: verbs that make a clause.
        opens_clause: words that open a clause.
        anybody: a subject that means everybody.
        negates_all: a subject that means nobody.
        relatives: what opens a relative clause.
        relatives_after_comma: the same where a comma precedes it.
        goes_on: after a phrase of time these may go on with it: `binnen eines Monats nach Zugang`.
        reporting: after these a clause is what is told or asked, and no condition.
        participles: irregular ones, which no ending tells.
        comparing: without one of two things compared, chosen between or counted, another thing is said.
        depends: opens a clause that limits the one before it, or hangs on it.
        addition: an opening that only links a sentence to the one before it.
        clause_opens: opens a clause that may come first, between commas or last; source of a pattern, as is the next.
        clause_opens_bare: of these, what may close a sentence without a comma and belongs to its verb.
        fronted: phrases of time that come first.
    """

    alternative: str
    conjunctions: frozenset[str]
    no_alternative: frozenset[str]
    determiners: frozenset[str]
    stops: frozenset[str]
    definite: frozenset[str]
    finite: frozenset[str]
    opens_clause: frozenset[str]
    anybody: frozenset[str]
    negates_all: frozenset[str]
    relatives: frozenset[str]
    relatives_after_comma: frozenset[str]
    goes_on: frozenset[str]
    reporting: frozenset[str]
    participles: frozenset[str]
    comparing: re.Pattern[str]
    depends: re.Pattern[str]
    addition: re.Pattern[str]
    clause_opens: str
    clause_opens_bare: str
    fronted: re.Pattern[str]


@dataclass(frozen=True, slots=True)
class RoleWords:
    """What tells who does what to what where case and position tell it (`rag/answering/extractive/roles.py`).

    Attributes:
        cases: articles and the like, and the cases that a noun after each may have: N, G, D, A; 1 and 2 where it
            tells one thing from several.
        bare: the same of a noun without an article.
        prepositions: words before a phrase that is neither subject nor object.
        agents: of these, what names who acts in a passive.
        receivers: of these, what names to whom.
        genitive: of these, what joins a noun to the one it belongs to.
        joins: conjunctions between words of one kind.
        adding: of these, those that make several things of two.
        verbs: auxiliary and modal verbs.
        passives: what makes a passive with a participle.
        to_be: what makes one with an infinitive: "ist zu zahlen".
        linking: verbs of a question that ask what is and for no act: "welche Frist gilt".
        finite: of `verbs`, what makes a clause.
        pronouns: what stands for a thing named in another clause.
        latter: of these, what stands for the thing named last.
        either: of these, what may be subject and object.
        subjects: pronouns that are a subject, and question words that ask for one.
        clitics: pronouns before a verb that look like articles.
        who: what opens a question for who acts.
        how: what opens a question for the manner.
        manner: what the manner follows: "durch".
        needed: what tells that an act is done by something: "erforderlich".
        becoming: prepositions that tell what something is made: "ernennt zum Stellvertreter".
        inverse: pronouns behind the verb of a question.
        conditions: what opens a condition, a reason or a time.
        elided: the same before a pronoun of `inverse`: "s'il".
        contents: what opens a clause that is said: "dass".
        relatives: what opens a relative clause.
        resumes: what the main clause begins with after a condition.
        skipped: what may precede one of the four.
        infinitive: the word before an infinitive, where it divides clauses.
        before_infinitive: prepositions before one.
        masculine, several: articles that tell one masculine thing, and several things.
        others: pronouns for things like the one named: "ceux".
        unaccented: capitals that are printed without their accent, and the words that they are.
        inner_infinitive: infinitives that have that word inside: "einzustehen".
        infinitives, participles, adjectives, attributive, inflections, feminine, verb_endings: how such words end.
        agentive: how the word after "ein" ends that tells a masculine subject: "ein anderer Teil", "ein Mieter".
        plural: how verbs and nouns end that are said of several; `uncounted`: how nouns do that may be of one, too.
        nouns_by_capital: whether a capital tells a noun.
        verb_last: whether clauses that depend end with their verb.
    """

    cases: Mapping[str, str]
    bare: str
    prepositions: frozenset[str]
    agents: frozenset[str]
    receivers: frozenset[str]
    genitive: frozenset[str]
    joins: frozenset[str]
    adding: frozenset[str]
    verbs: frozenset[str]
    passives: frozenset[str]
    to_be: frozenset[str]
    linking: frozenset[str]
    finite: frozenset[str]
    pronouns: frozenset[str]
    latter: frozenset[str]
    either: frozenset[str]
    subjects: frozenset[str]
    clitics: frozenset[str]
    who: frozenset[str]
    how: frozenset[str]
    manner: frozenset[str]
    needed: frozenset[str]
    becoming: frozenset[str]
    inverse: frozenset[str]
    conditions: frozenset[str]
    elided: frozenset[str]
    contents: frozenset[str]
    relatives: frozenset[str]
    resumes: frozenset[str]
    skipped: frozenset[str]
    before_infinitive: frozenset[str]
    masculine: frozenset[str]
    several: frozenset[str]
    others: frozenset[str]
    infinitive: str
    infinitives: tuple[str, ...]
    participles: tuple[str, ...]
    adjectives: tuple[str, ...]
    attributive: tuple[str, ...]
    inflections: tuple[str, ...]
    feminine: tuple[str, ...]
    verb_endings: tuple[str, ...]
    agentive: tuple[str, ...]
    plural: tuple[str, ...]
    uncounted: tuple[str, ...]
    unaccented: Mapping[str, str] = field(default_factory=dict[str, str])
    inner_infinitive: re.Pattern[str] = NEVER
    nouns_by_capital: bool = False
    verb_last: bool = False


NOTHING = r"(?!)"  # the source of a pattern that matches nowhere


@dataclass(frozen=True, slots=True)
class StatementWords:
    """How memos and replies put the law, beside how the law does (`rag/citecheck`). Strings are sources of patterns.

    Attributes:
        forbids: what forbids without a negation.
        purpose: what a thing may be done for limits it as a condition does; not `for the purposes of this section`.
        limits: what limits, in a language whose operators are not read.
        without: what happens without a thing still happens: the word limits as a condition does.
        either: leaves open whether something holds, and denies nothing: "or not".
        relative: opens a relative clause.
        alternative: the word for or.
        common: words by which the language of a few words is guessed.
        matter: begins what is told of the matter at hand: `here by 2 August`.
        happened: a verb of the past; law has none but in its conditions.
        joins: joins a last clause to a sentence: `..., and no one did`.
        months: their names.
        same_provision: begins a sentence that goes on with the provision cited before it: `the same section`.
        author: words by which authors speak of themselves, who then say nothing of the law.
    """

    forbids: str = NOTHING
    purpose: str = NOTHING
    limits: str = NOTHING
    without: str = NOTHING
    either: str = NOTHING
    relative: str = NOTHING
    alternative: str = NOTHING
    common: frozenset[str] = frozenset()
    matter: str = NOTHING
    happened: str = NOTHING
    joins: str = NOTHING
    months: str = NOTHING
    same_provision: str = NOTHING
    author: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Contrasts:
    """What tells a contradiction from another wording (`rag/verification/refuters.py`).

    Attributes:
        forces: phrases for duties, permissions and prohibitions beside those that a paraphrase is checked by, as a
            pattern, and by their group the words that they are read as.
        restricts: what says "only" in two words around others (`kept`), and looks like a negation: `ne peut que par`.
        only: the word that it is read as.
        denying: stems of words that deny without being a negation: unlawful, void, refuse. Beside one of them a
            missing or a new negation proves nothing.
        denying_prefixes: what words begin with that deny: `non` of nonbusiness.
        lengths: the least and the most days of a unit of time, by the reading's name of the unit.
        hundredth: the reading's name of a percentage.
    """

    forces: re.Pattern[str] = NEVER
    read_as: Mapping[str, str] = field(default_factory=dict[str, str])
    restricts: re.Pattern[str] = NEVER
    only: str = ""
    denying: frozenset[str] = frozenset()
    denying_prefixes: tuple[str, ...] = ()
    lengths: Mapping[str, tuple[float, float]] = field(default_factory=dict[str, tuple[float, float]])
    hundredth: str = ""


@dataclass(frozen=True, slots=True)
class Families:
    """Endings that make words of one family: retaliate, retaliation, retaliatory; kündigen, Kündigung.

    Attributes:
        endings: of stems, without accents; the longest that fits is cut.
        prefix: of a participle, cut as well (`ge`).
        inside: what a word has inside in some forms, cut as well: `zurückzugeben`.
        roots: irregular verbs by their root and what stands for it in other forms: nehm: nimm, nahm, nomm.
    """

    endings: tuple[str, ...] = ()
    prefix: str = ""
    inside: re.Pattern[str] = NEVER
    roots: Mapping[str, str] = field(default_factory=dict[str, str])  # form -> root
    form: re.Pattern[str] = NEVER  # one of these at the end of a stem


# --- annotation ------------------------------------------------------------------------------------------------------


class DefinitionFinder(Protocol):
    """Finds the definitions of one document; asked node by node in document order."""

    def definitions(self, passage: Passage) -> list[Definition]:
        """The definitions that this node makes, each with its scope."""
        ...

    def scope_said(self, passage: Passage, start: int, end: int) -> tuple[tuple[str, ...], str, bool]:
        """What the scope phrase in a span of a sentence names, its words, and whether that is a guess.

        No nodes where there is no phrase or the document does not have what it names.
        """
        ...


class LanguageRules(Protocol):
    """What annotation knows of a language: how it defines, excepts and inflects. Grammars of references are apart."""

    @property
    def language(self) -> str:
        """ISO 639-1."""
        ...

    @property
    def lists(self) -> TermLists:
        """How lists of definitions are set."""
        ...

    @property
    def links(self) -> LinkPhrases:
        """The words that except."""
        ...

    @property
    def terms(self) -> TermRules:
        """How defined terms are compared and found."""
        ...

    def definition_finder(
        self, index: DocumentIndex, jurisdiction: Jurisdiction, passage_of: Callable[[str], Passage]
    ) -> DefinitionFinder:
        """A finder for one document; `passage_of` gives the passage of a node by its URN."""
        ...


@dataclass(frozen=True, slots=True)
class PassageRules:
    """`LanguageRules` whose finder needs nothing but the law's passages."""

    language: str
    lists: TermLists
    links: LinkPhrases
    terms: TermRules
    finder: Callable[[DocumentIndex, TermRules, Callable[[str], Passage]], DefinitionFinder]

    def definition_finder(
        self, index: DocumentIndex, jurisdiction: Jurisdiction, passage_of: Callable[[str], Passage]
    ) -> DefinitionFinder:
        """See `LanguageRules`."""
        return self.finder(index, self.terms, passage_of)


# --- examples --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Examples:
    """What one test runs of every language.

    Attributes:
        sentences: texts, each as its sentences, which a space joins.
        stems: words of one stem.
        apart: words that have different stems and are of different families.
        families: words of one family.
        questions: questions, the words that are left of them without idle ones, and the kinds of answer they ask for.
        operators: sentences, and the operators that are read in them: `modality PERMISSION`.
        definitions: texts of a provision, and the terms that it defines.
        exceptions: sentences, and the kinds of exceptions whose words they have.
        limits: sentences that take something back from the one before them.
        plain: sentences that do not, have no words of an exception and define nothing.
    """

    sentences: tuple[tuple[str, ...], ...]
    stems: tuple[tuple[str, ...], ...]
    apart: tuple[tuple[str, ...], ...]
    families: tuple[tuple[str, ...], ...]
    questions: tuple[tuple[str, str, tuple[str, ...]], ...]
    operators: tuple[tuple[str, tuple[str, ...]], ...]
    definitions: tuple[tuple[str, tuple[str, ...]], ...]
    exceptions: tuple[tuple[str, tuple[str, ...]], ...]
    limits: tuple[str, ...]
    plain: tuple[str, ...]


@dataclass(frozen=True)
class Lexicon:
    """What is known of a language. Phrases are lower-case words with one space between; `|` separates alternatives.

    Attributes:
        modality: value to its phrases, as are the six after it.
        articles: words to the count of the noun after them, `one` or `many`; none where articles have to be the same.
        neutral: words that carry no legal content at all.
        neutral_phrases: openings that say only where a rule stands.
        units: spelling to unit.
        unit_phrases: spelling of several words to unit.
        unit_kinds: words after a unit that make it another one (`jours ouvrables`).
        numbers: numbers in words.
        scales: words that multiply the number before them.
        one_before_unit: articles that count where a unit follows (`un mois`).
        ordinals: ordinal numbers in words.
        references: words that open a reference to another provision.
        plural_endings: endings that a word may lose.
        contractions: words and what they are compared as.
    """

    modality: Mapping[str, str]
    negation: Mapping[str, str]
    comparator: Mapping[str, str]
    connective: Mapping[str, str]
    exception: Mapping[str, str]
    condition: Mapping[str, str]
    absolute: Mapping[str, str]
    articles: Mapping[str, str]
    neutral: frozenset[str]
    neutral_phrases: str
    units: Mapping[str, str]
    unit_phrases: Mapping[str, str]
    unit_kinds: frozenset[str]
    numbers: Mapping[str, int]
    scales: Mapping[str, int]
    one_before_unit: frozenset[str]
    ordinals: Mapping[str, int]
    references: frozenset[str]
    plural_endings: tuple[str, ...]
    contractions: Mapping[str, tuple[str, ...]]

    @cached_property
    def phrases(self) -> Mapping[str, list[tuple[tuple[str, ...], Operator]]]:
        """All operator phrases by their first word, longest first."""
        tables: list[tuple[Kind, Mapping[str, str]]] = [
            (Kind.MODALITY, self.modality), (Kind.NEGATION, self.negation), (Kind.COMPARATOR, self.comparator),
            (Kind.CONNECTIVE, self.connective), (Kind.EXCEPTION, self.exception), (Kind.CONDITION, self.condition),
            (Kind.ABSOLUTE, self.absolute), (Kind.NEUTRAL, {"": self.neutral_phrases}),
            *((Kind.UNIT, {unit: spelling}) for spelling, unit in self.unit_phrases.items()),
        ]  # fmt: skip
        out: dict[str, list[tuple[tuple[str, ...], Operator]]] = {}
        for kind, table in tables:
            for value, alternatives in table.items():
                for phrase in alternatives.split("|"):
                    words = tuple(phrase.split())
                    out.setdefault(words[0], []).append((words, Operator(kind, value)))
        for entries in out.values():
            entries.sort(key=lambda entry: -len(entry[0]))
        return out

    @cached_property
    def number_phrases(self) -> int:
        """The most words that one number below a hundred is written in."""
        return max(len(word.split()) for word in self.numbers)


@dataclass(frozen=True, slots=True)
class Language:
    """One language. What only annotation or only the verifier needs is loaded when it is asked for.

    Attributes:
        code: ISO 639-1.
        stem: the stem of a word in lower case.
        examples: what the contract test runs.
        placeholders: words that a publication prints where a provision was, in lower case, and what became of it:
            repealed, reserved.
        rules: the rules of annotation; None where definitions and exceptions are not looked for.
        read: the operators of a text, given defined terms; None where paraphrases cannot be checked.
        lexicon: the word tables of the operators; None where the language is not read word by word.
        is_neutral: whether a word in lower case carries no legal content of its own.
        parts: see `PartWords`; None where nothing may be left out of a norm.
        roles: see `RoleWords`; None where case and position do not tell who does what.
        contrasts: see `Contrasts`.
        treatments: what decisions do to others; None where it is not looked for.
        defining: what the learned reader of definitions knows; None where forms alone tell a definition.
        marks: operators and words of a text where `read` is None: enough to contradict by, and not to prove by.
    """

    code: str
    stem: Callable[[str], str]
    examples: Callable[[], Examples] | None = None
    search: SearchWords = field(default_factory=SearchWords)
    sentences: SentenceRules = field(default_factory=SentenceRules)
    questions: QuestionWords = field(default_factory=QuestionWords)
    placeholders: Mapping[str, str] = field(default_factory=dict[str, str])
    limits: LimitPhrases = field(default_factory=LimitPhrases)
    lists: ListWords = field(default_factory=ListWords)
    statements: StatementWords = field(default_factory=StatementWords)
    families: Families = field(default_factory=Families)
    rules: Callable[[], LanguageRules] | None = None
    read: Callable[[str, Iterable[str]], Reading] | None = None
    lexicon: Callable[[], Lexicon] | None = None
    is_neutral: Callable[[str], bool] = field(default=lambda word: False)
    parts: PartWords | None = None
    roles: RoleWords | None = None
    contrasts: Callable[[], Contrasts] = Contrasts
    treatments: Callable[[], TreatmentWords] | None = None
    defining: Callable[[], Weights] | None = None
    marks: Callable[[str], tuple[Mark, ...]] | None = None

    @property
    def idle(self) -> frozenset[str]:
        """Words that say nothing about the matter: those that search leaves out, and function words."""
        return self.search.idle | self.questions.function


def read_defining(module: str) -> Weights:
    """The weights of the reader of definitions beside a module, which are loaded with the first law of the language."""
    from rag.languages.definition_reader import read_weights

    return read_weights(module)


class WordFile:
    """The tables of words beside a module: `words.toml`, whose values are words separated by white space."""

    def __init__(self, module: str) -> None:
        self._tables = read_toml(module, "words.toml")

    def table(self, name: str) -> Mapping[str, Any]:
        """A whole table; KeyError where there is none."""
        table: Mapping[str, Any] = self._tables[name]
        return table

    def listed(self, table: str, name: str) -> tuple[str, ...]:
        """The words of a table's entry in their order; KeyError where there is no such entry."""
        return tuple(str(self._tables[table][name]).split())

    def words(self, table: str, name: str) -> frozenset[str]:
        """The same as a set."""
        return frozenset(self.listed(table, name))

    def search(self, **patterns: Any) -> SearchWords:
        """What search knows of the language: the table `search`, and the patterns that its code gives."""
        lists = {name: self.listed("search", name) for name in self._tables["search"]}
        sets = {name: frozenset(lists.pop(name)) for name in ("idle", "faint", "fillers", "separable") if name in lists}
        return SearchWords(**sets, **lists, **patterns)

    def placeholders(self) -> dict[str, str]:
        """The table `placeholders`, by its words."""
        return {word: status for status in self._tables["placeholders"] for word in self.listed("placeholders", status)}

    def sentences(self, *, ordinals: bool = False) -> SentenceRules:
        """The table `sentences`."""
        lists = {name: self.words("sentences", name) for name in ("bound", "counted", "open", "starters")}
        return SentenceRules(**lists, joints=self.listed("sentences", "joints"), ordinals=ordinals)

    def endings(self) -> tuple[str, ...]:
        """The endings of word families, longest first."""
        return tuple(sorted(self.words("families", "endings"), key=lambda ending: (-len(ending), ending)))

    def roots(self, before: str = "", behind: str = "") -> Mapping[str, Any]:
        """The forms of irregular verbs for `Families`.

        Args:
            before: pattern for what a form may have before it, as a participle has.
            behind: and behind it.
        """
        table: dict[str, str] = self._tables["families"]["roots"]
        roots = {form: root for root, forms in table.items() for form in (root, *forms.split())}
        forms = "|".join(sorted(roots, key=len, reverse=True))
        return {"roots": roots, "form": re.compile(rf"{before}(?P<form>{forms}){behind}\Z")}

    def parts(self, alternative: str, participles: frozenset[str] = frozenset()) -> PartWords:
        """The table `parts`, whose arrays are alternatives of a pattern."""
        table: dict[str, Any] = self._tables["parts"]
        words: dict[str, Any] = {name: self.words("parts", name) for name in table if isinstance(table[name], str)}
        either = {name: "|".join(table[name]) or r"(?!)" for name in table if name not in words}
        return PartWords(
            **words,
            alternative=alternative,
            participles=participles,
            comparing=re.compile(rf"\b(?:{either['comparing']})\b", re.IGNORECASE),
            depends=re.compile(rf"\A\W*(?:{either['depends']})\b", re.IGNORECASE),
            addition=re.compile(rf"\A(?:{either['addition']}),\s+", re.IGNORECASE),
            clause_opens=either["clause_opens"],
            clause_opens_bare=either["clause_opens_bare"],
            fronted=re.compile(rf"(?:{either['fronted']})\s", re.IGNORECASE),
        )

    def roles(self, **patterns: Any) -> RoleWords:
        """The table `roles`: sets of words, endings in their order, and the cases of articles."""
        table: dict[str, Any] = dict(self._tables["roles"])
        cases = {word: case for case, words in table.pop("cases").items() for word in str(words).split()}
        endings = {name: tuple(str(words).split()) for name, words in table.pop("endings").items()}
        plain = {name: table.pop(name) for name in ("bare", "infinitive")}
        sets = {name: frozenset(str(words).split()) for name, words in table.items()}
        return RoleWords(**sets, **endings, **plain, **patterns, cases=cases)

    def contrasts(self, stem: Callable[[str], str]) -> Contrasts:
        """The table `contrasts`; `stem` gives the form in which the language's reading has a content word."""
        table: dict[str, Any] = self._tables["contrasts"]
        forces: dict[str, Any] = table["forces"]
        named = {f"force{place}": words for place, words in enumerate(forces)}
        groups = "|".join(rf"(?P<{name}>{'|'.join(forces[words])})" for name, words in named.items())
        denying = self.listed("contrasts", "denying")
        return Contrasts(
            forces=re.compile(rf"(?<!\w)(?:{groups})(?!\w)", re.IGNORECASE),
            read_as=named,
            denying=frozenset(stem(word) for word in denying if word[-1] != "-"),
            denying_prefixes=tuple(word[:-1] for word in denying if word[-1] == "-"),
            lengths={unit: (least, most) for unit, (least, most) in table["lengths"].items()},
            hundredth=table["hundredth"],
        )


def read_examples(module: str) -> Examples:
    """The examples beside a module (`examples.toml`)."""
    given = read_toml(module, "examples.toml")
    return Examples(
        sentences=tuple(tuple(parts) for parts in given["sentences"]),
        stems=tuple(tuple(str(words).split()) for words in given["stems"]),
        apart=tuple(tuple(str(words).split()) for words in given["apart"]),
        families=tuple(tuple(str(words).split()) for words in given["families"]),
        questions=tuple((text, kept, tuple(str(wants).split())) for text, kept, wants in given["questions"]),
        operators=tuple((text, tuple(found)) for text, found in given["operators"]),
        definitions=tuple((text, tuple(terms)) for text, terms in given["definitions"]),
        exceptions=tuple((text, tuple(str(kinds).split())) for text, kinds in given["exceptions"]),
        limits=tuple(given["limits"]),
        plain=tuple(given["plain"]),
    )


def read_toml(module: str, name: str) -> dict[str, Any]:
    """A table beside a module."""
    return tomllib.loads(resources.files(module.rpartition(".")[0]).joinpath(name).read_text("utf-8"))
