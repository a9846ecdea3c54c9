"""The shape of a language's legal phrases: what `rag/ingest` looks for, as compiled patterns.

All patterns are linear: no repetition contains another unbounded one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, get_args

from rag.law.own_words import OwnPhrases

ExceptionKind = Literal["subject_to", "notwithstanding", "disapplies", "limits", "applies", "cites"]
Side = Literal["after", "before"]


@dataclass(frozen=True, slots=True)
class ExceptionPhrase:
    """Words that relate the provision that contains them (the source) to a provision that they name (the target).

    `kind` is the relation of the source to its target: `subject_to` (the source yields), `notwithstanding` (the
    source overrides), `disapplies` (the source takes the target out of force for its case), `limits` (the source
    limits the target in another way: it makes an exception to it, lets it be waived or varied, confines it to a case
    or applies it with changes, gives a defence to it, saves other law from it, says what it does not do or that it
    yields) or `applies` (the source says to whom or what the target, a unit around it, applies). `cites` keeps words
    from being read as one of these. The reference comes `after` the
    words or `before` them; `gap` must match the whole text between.

    Words can also describe ("persons not subject to section 5") instead of saying what holds: where `predicate` is
    given it must match the end of the sentence before the words, and `described` must not.
    """

    kind: ExceptionKind
    pattern: re.Pattern[str]
    side: Side
    gap: re.Pattern[str]
    predicate: re.Pattern[str] | None = None
    described: re.Pattern[str] | None = None
    # Before the words and behind the references; where both match, the words modify a noun: "a lease subject to
    # section 5 is void" says which lease is meant.
    modifies: tuple[re.Pattern[str], re.Pattern[str]] | None = None
    of_thing: bool = False  # before the words a thing may stand that the provision is about: "Genehmigung nach § 2"

    def __post_init__(self) -> None:
        """Refuse what annotation would pass over in silence, since phrases come from other packages too."""
        for value, known in ((self.kind, get_args(ExceptionKind)), (self.side, get_args(Side))):
            if value not in known:
                raise ValueError(f"{value!r} in an ExceptionPhrase is none of {', '.join(known)}")


@dataclass(frozen=True, slots=True)
class ListPhrase:
    """Words that relate their provision to those that a list after them names: "the following do not apply:".

    `pattern` matches up to the end of the words that introduce the list; `gap` all that may be between the number
    of an item and its reference.
    """

    kind: Literal["subject_to", "notwithstanding", "disapplies"]
    pattern: re.Pattern[str]
    gap: re.Pattern[str]


@dataclass(frozen=True, slots=True)
class CountsAs:
    """Words around a defined term that say what else it means, or no longer means: "is to be treated as a vehicle".

    Attributes:
        relation: includes, excludes.
        before: searched in the sentence up to the term, at whose end it has to match.
        after: matches right after the term, where given.
        scoped: they say so only where a scope phrase says for which provisions: "sind Waldwege auch".
    """

    relation: Literal["includes", "excludes"]
    before: re.Pattern[str]
    after: re.Pattern[str] | None = None
    scoped: bool = False


@dataclass(frozen=True, slots=True)
class LinkPhrases:
    """A language's words for excepting, and what stands around them."""

    exceptions: tuple[ExceptionPhrase, ...]  # the first that fits a place wins
    no_target: re.Pattern[str]  # "any other provision of law": names nothing, whatever reference follows
    governed_clause: re.Pattern[str]  # before a reference: "to which", "the following sections of" make it no target
    list_joint: re.Pattern[str]  # between references of one list
    # Before a reference, where these stand it is a target all the same: "Die Beschränkung nach Absatz 1 gilt nicht".
    governed_thing: re.Pattern[str] | None = None
    # Between references of a list that `list_joint` closes after a comma: "this section, section 5, and section 7".
    list_comma: re.Pattern[str] | None = None
    lists: tuple[ListPhrase, ...] = ()  # the first that fits a list wins
    meaning_at: re.Pattern[str] | None = None  # between a term and a reference that gives its meaning there alone
    coverage: re.Pattern[str] | None = None  # before a unit around them: words that it governs, and does not except
    carve: re.Pattern[str] | None = None  # between a reference and one that is taken out of it: ", other than"
    anaphora: re.Pattern[str] | None = None  # opens a provision that limits the one before it: "This does not apply"
    opposes: re.Pattern[str] | None = None  # the same of a whole section: "However, the Minister may"
    pronoun: re.Pattern[str] | None = None  # "It does not apply": takes out of force what the sentence before is about
    subject: re.Pattern[str] | None = None  # from the start of that sentence to the reference which it is about
    aside: re.Pattern[str] | None = None  # at the end of a text: a clause in commas that leaves its sentence whole
    # What may say what words mean, which a group has; where no definition was read of it, a reader is told.
    speaks_of_meaning: re.Pattern[str] | None = None
    named_law: re.Pattern[str] | None = None  # another law that is named as a whole, in the group `name`
    example: re.Pattern[str] | None = None  # begins the heading or the text of a worked example, which limits nothing
    asks: re.Pattern[str] | None = None  # opens a clause that says what is asked, and states nothing: "whether"
    empowers: re.Pattern[str] | None = (
        None  # up to a reference: a power to make rules that may say so, "may provide that"
    )
    lifts_duties: re.Pattern[str] | None = None  # in a sentence that takes away prohibitions and duties, and no rights
    thing_under: re.Pattern[str] | None = None  # right before a container: the thing that it asks for, group `need`
    duty: re.Pattern[str] | None = None  # in the words of a provision that asks for something
    counts: tuple[CountsAs, ...] = ()  # what provisions add to a term that another one defines, or take from it
    counting: re.Pattern[str] | None = None  # a word of these; a text without one is not looked at
    own: OwnPhrases | None = None  # how a document speaks of itself


@dataclass(frozen=True, slots=True)
class WordLists:
    """What words look like in use, for languages whose defined terms are found word by word."""

    articles: frozenset[str]
    determiners: frozenset[str]  # after a word they show that it is a verb
    modals: frozenset[str]  # before a word they show that it is a verb
    subjects: frozenset[str]  # before a word that a determiner follows they do too: "that states any"
    possessives: frozenset[str]  # after a word they show that it is a verb, unless a determiner precedes it
    refusals: frozenset[str]  # "fails to act": verb forms before "to"
    openers: frozenset[str]  # capitalised only because they open a sentence
    name_joints: frozenset[str]  # lower-case words inside proper names
    plural_suffixes: tuple[tuple[str, str], ...]  # (singular ending, plural ending), first that fits
    irregular_suffixes: tuple[tuple[str, str], ...]  # the same, of words whose plural no rule gives; all that fit
    plural_only: frozenset[str]  # plurals that mean another thing than their singular
    fixed_phrases: tuple[str, ...]  # of their words none is a term there: "a lot of"
    after_head: frozenset[str]  # what is after a term's head noun: "person in charge", "attorney general"


@dataclass(frozen=True, slots=True)
class DefinitionPhrases:
    """English words for defining, and for saying where a definition applies."""

    term_lead: re.Pattern[str]  # "the term" and its like, right before a defined term; matched at the end of a text
    joint: re.Pattern[str]  # between joined terms: `"A", "B" and "C" mean`
    verb: re.Pattern[str]  # right after a term; one of the groups means, includes, excludes, reference matches
    later_verb: re.Pattern[str]  # the same after a gap ("in relation to ...")
    gap_refused: re.Pattern[str]  # words that make the later verb belong to another clause
    gap_contrast: re.Pattern[str]  # between a term and another that it is set against: "as distinguished from"
    copula_lead: re.Pattern[str]  # before `"T" is`, at the end of a text
    copula: re.Pattern[str]
    listed_copula: re.Pattern[str]  # the same after a term that opens an item of a list of definitions
    article: re.Pattern[str]  # all that may be before the term of a listed definition
    by_reference: re.Pattern[str]  # a meaning's words that only point elsewhere: "as defined in"
    amending: re.Pattern[str]  # before a quotation that is amending text, an example or a label
    unquoted: re.Pattern[str]  # a term without marks at the start of a text; groups term, verb
    termed: re.Pattern[str]  # "the term T means" anywhere in a sentence, without marks; groups term, verb
    unquoted_listed: re.Pattern[str]  # the same inside a list that is known to define
    unquoted_verb: re.Pattern[str]  # the only verbs that define a term without marks
    plain_verb: re.Pattern[str]  # of these, the one that nothing but a definition has
    listed_verb: re.Pattern[str]  # the same inside a list that is known to define
    listed_refused: re.Pattern[str]  # searched in an unquoted term of such a list: then it is none
    noun_after: re.Pattern[str]  # after "means": words that mostly follow the noun
    qualifier: re.Pattern[str]  # after an unquoted term, no part of it: "in relation to ..."
    unquoted_lower: re.Pattern[str]  # the same in lower case, in a list of definitions; groups term, verb
    unquoted_condition: tuple[tuple[str, re.Pattern[str]], ...]  # relation, "for the purposes of this Act is a T if"
    headed_condition: re.Pattern[str]  # "is a T if", which counts where the heading names the term; group term
    headed_copula: re.Pattern[str]  # "a T is any", where a heading says that it gives the meaning of T; group term
    headed_denial: re.Pattern[str]  # "is not a T", likewise; group term
    headed_designation: re.Pattern[str]  # "may designate a street as a T", likewise; group term
    defining_item: re.Pattern[str]  # opens a text that defines a term: "Rack means"
    bare_item: re.Pattern[str]
    listed_thing: re.Pattern[str]  # "A T is any", an item of a list of definitions; group term
    listed_caption: re.Pattern[str]  # "Abut. To share a wall.", an item of such a list; group term
    captions_follow: re.Pattern[str]  # a lead-in that says that terms and their meanings follow
    caption_general: re.Pattern[str]  # searched in a caption: then it names no term
    thing_begins: re.Pattern[str]  # at the start of a meaning without a verb: "A person who sells"
    relative_clause: re.Pattern[str]  # what says more of a thing and may have a verb of its own
    finite: re.Pattern[str]  # verbs of a sentence that rules
    meaning_follows: re.Pattern[str]  # right after a listed term: a comma alone, `"Lessor", the owner of the premises`
    headed_term: re.Pattern[str]  # what a heading says before the term that it names: "Meaning of"
    headed_generic: re.Pattern[str]  # searched in what it names: no one term, "certain expressions"
    pointer: re.Pattern[str]  # right after a listed term: "(see section 5)", up to the reference
    verb_term: re.Pattern[str]  # right before a term that is a verb: "To"
    verb_meant: re.Pattern[str]  # right after the defining verb: a meaning that is an action, "to transfer"
    says_more: re.Pattern[str]
    bare_meant: re.Pattern[str]  # the same of a meaning that is a bare word or two and may be a verb: "organise"
    gerund_meant: re.Pattern[str]  # the same of what somebody does, named as a thing: "the continuous heating of"
    corresponding: re.Pattern[str]  # a whole defining verb that gives a meaning like another's: "accordingly"
    state_meant: re.Pattern[str]  # the same of a meaning that is a participle with its preposition: "prescribed by"
    participle: re.Pattern[str]  # a whole term that is one
    negated: re.Pattern[str]  # between a term and its verb: "does not, subject to section 5, include"
    called: re.Pattern[str]  # "is referred to as"; group terms holds the quoted term
    condition: re.Pattern[str]  # "is a T if"; group terms holds the quoted term
    referred: re.Pattern[str]  # "References in this Act to “T” are to"; group terms
    included: re.Pattern[str]  # "The term includes a T which is", up to the relative; group terms
    applied: re.Pattern[str]  # `the definition of "T" in section 5 applies`, up to the term; group terms
    called_clause: re.Pattern[str]  # words of a clause, which no term given in passing holds
    requoted: re.Pattern[str]  # before a quotation that lies inside a quotation of amended words
    unquoted_refused: re.Pattern[str]  # searched in the unquoted term: then it is none
    caption_refused: re.Pattern[str]  # a verb with what qualifies it, at the start of an item that holds no term
    caption_verb: re.Pattern[str]  # "The term means", where the caption names the term; group subject
    term_refused: re.Pattern[str]  # quoted words that are no term: "this chapter"
    inline: re.Pattern[str]  # in brackets; group terms holds the quoted terms
    inline_plain: re.Pattern[str]  # the same of a name without marks: "(hereinafter called the Board)"; group term
    lead_in: re.Pattern[str]  # a lead-in that introduces definitions
    listed_lead: re.Pattern[str]  # a lead-in whose items each define a term; matched at its end
    heading: re.Pattern[str]  # a heading of definitions
    general_heading: re.Pattern[str]  # a container whose definitions govern more than itself: "General provisions"
    index_intro: re.Pattern[str]  # introduces a list of terms defined elsewhere
    # Scope
    scope_lead: re.Pattern[str]  # "for the purposes of", right before the unit
    scope_start: re.Pattern[str]  # "in", which gives a scope at the start of a sentence only
    scope_near: re.Pattern[str]  # the same right before the term: "Subject to section 5, in this Part"
    scope_adjacent: re.Pattern[str]  # all that is between a unit and the term that it is the scope of
    scope_following: re.Pattern[str]  # "in the following provisions of", right before the unit
    scope_unread: re.Pattern[str]  # "for the purposes of this clause" where no grammar knows which; group near
    scope_place: re.Pattern[str]  # what begins words that tell where a thing is found and not where a term applies
    scope_anaphora: re.Pattern[str]  # "For this purpose", at the start of a sentence
    scope_goes_on: re.Pattern[str]  # after the units of a scope: one more, which no grammar could read
    scope_heading: re.Pattern[str]  # the same inside a definitional heading
    scope_except: re.Pattern[str]  # "except as used in", right before a unit that a definition leaves out
    whole_law: re.Pattern[str]  # "this Act", which only a document that is one has; group unit
    scope_small: re.Pattern[str]  # words of a scope that name a unit smaller than most documents
    scope_unit_missing: re.Pattern[str]  # the same with the words of a scope phrase, for codified text, which has none
    lead_clause: re.Pattern[str]  # at the start of a lead-in without a word of defining: it states law
    definitions_in: re.Pattern[str]  # right before the unit whose definitions a sentence speaks of
    scope_sentence: re.Pattern[str]  # a sentence that says where definitions apply
    list_joint: re.Pattern[str]  # between the units of a scope phrase: "this chapter and chapter 5"
