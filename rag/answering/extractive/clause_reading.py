"""Texts read word by word into clauses, in languages that tell who does what by case and position. Pure.

A text has main clauses, what they say (`dass`, an infinitive), conditions, and relative clauses; each has a predicate
and phrases. Next: `roles.py` tells what each phrase is to its act.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum

from rag.languages.base import Language, RoleWords

TOKEN = re.compile(r"\w+|[.,;:()—–]")
MARKS = frozenset(".,;:()—–")
_BREAKS = frozenset(".;:")
_PROVISION = " Nr "  # what stands for a reference to a provision, as a noun does
_LEAST = 4  # letters of a word that ends a sentence; shorter ones are abbreviations as often


def segments_of(words: Sequence[str]) -> Iterator[range]:
    """The places of the runs of words between marks, without these."""
    start = 0
    for at in range(len(words) + 1):
        if at == len(words) or words[at] in MARKS:
            if at > start:
                yield range(start, at)
            start = at + 1


class Word(Enum):
    """What a word is in its clause."""

    MARK = "mark"
    DETERMINER = "determiner"
    PREPOSITION = "preposition"
    JOIN = "join"
    VERB = "verb"  # an auxiliary or a modal verb
    SMALL = "small"  # a pronoun, an adverb, a particle
    NOUN = "noun"
    MODIFIER = "modifier"  # of a noun
    ACT = "act"  # the predicate: a verb, a participle, what is said of the subject


CONTENT = frozenset({Word.NOUN, Word.MODIFIER, Word.ACT})


class Kind(Enum):
    """What a clause is to its sentence."""

    MAIN = "main"
    SAID = "said"  # what the clause above says: `dass`, an infinitive
    CONDITION = "condition"
    RELATIVE = "relative"


@dataclass(slots=True)
class Clause:
    """A clause: its places in the text, and the clause that it depends on."""

    kind: Kind
    above: Clause | None
    places: list[int] = field(default_factory=list[int])
    defines: bool = False  # a relative clause that tells what the subject of a definition does

    def states(self) -> bool:
        """Whether the sentence states it: no condition or relative clause is above, but for what defines."""
        clause: Clause | None = self
        while clause is not None:
            if clause.kind in (Kind.CONDITION, Kind.RELATIVE) and not clause.defines:
                return False
            clause = clause.above
        return True


def _is_held(before: Sequence[Word]) -> bool:
    """Whether an article waits for its noun before another phrase: "eines auf Erwerb gerichteten Unternehmens"."""
    back = len(before) - 1
    while back > 0 and before[back] in (Word.NOUN, Word.MODIFIER, Word.DETERMINER):
        back -= 1
    return back > 0 and before[back] is Word.PREPOSITION and before[back - 1] is Word.DETERMINER


class ClauseReading:
    """The clauses of a text.

    Attributes:
        words: the words and marks in lower case.
        kinds: of each word.
        clauses: in the order in which they begin.
        of: the clause of each place.
    """

    def __init__(self, text: str, language: Language, table: RoleWords) -> None:
        self.language = language
        self.table = table
        self.text = text
        said = [match[0] for match in TOKEN.finditer(language.limits.reference.sub(_PROVISION, text))]
        # The full stop of an abbreviation ends nothing.
        self.raw = [word for at, word in enumerate(said) if word != "." or (at and len(said[at - 1]) >= _LEAST)]
        self.words = [word.lower() for word in self.raw]
        for at, word in enumerate(self.raw):  # "A cette fin"
            if word in table.unaccented and self.words[at + 1 : at + 2] != ["t"]:
                self.words[at] = table.unaccented[word]
        self.stems = [language.stem(word) for word in self.words]
        self.asks = text.rstrip().endswith("?")
        lexicon = language.lexicon() if language.lexicon is not None else None
        self.numbers = frozenset(lexicon.numbers if lexicon is not None else ())
        self.units = frozenset(lexicon.units if lexicon is not None else ())
        self.kinds = self._kinds()
        self.clauses: list[Clause] = []
        self.of: list[Clause | None] = [None] * len(self.words)
        self._divide()
        for clause in self.clauses:
            clause.defines = self._is_definition(clause)

    def without_relatives(self) -> str:
        """The words but for those of relative clauses."""
        return " ".join(
            word
            for word, clause in zip(self.raw, self.of, strict=True)
            if clause is None or clause.kind is not Kind.RELATIVE
        )

    # --- words -------------------------------------------------------------------------------------------------------

    def _kinds(self) -> list[Word]:
        table = self.table
        found: list[Word] = []
        for at, word in enumerate(self.words):
            if word in MARKS:
                found.append(Word.MARK)
            elif word in table.joins:
                found.append(Word.JOIN)
            elif word in table.cases:
                found.append(Word.DETERMINER)
            elif word in table.prepositions:
                found.append(Word.PREPOSITION)
            elif word.isdigit() or word in self.numbers:
                counts = table.nouns_by_capital and self.raw[at + 1 : at + 2] and self.raw[at + 1][:1].isupper()
                found.append(Word.MODIFIER if counts else Word.SMALL)  # "des 12. Lebensjahres"
            elif word in table.verbs | table.passives:
                found.append(Word.VERB)
            elif word in self.language.idle | table.pronouns | table.conditions | table.contents | table.relatives:
                found.append(Word.SMALL)
            else:
                found.append(self._content(at, found))
        for at in range(len(found) - 1, 0, -1):  # "einen gerichtlich zu bestellenden Verwahrer"
            within = at + 1 < len(found) and found[at + 1] is Word.MODIFIER
            if within and (self.words[at] == table.infinitive or (found[at] is Word.ACT and self.is_adjective(at))):
                found[at] = Word.MODIFIER
        return found

    def _content(self, at: int, before: Sequence[Word]) -> Word:
        return self._by_capital(at, before) if self.table.nouns_by_capital else self._by_place(at, before)

    def _by_capital(self, at: int, before: Sequence[Word]) -> Word:
        """German: nouns have capitals, and what precedes one with an ending belongs to it."""
        starts = not at or self.words[at - 1] in _BREAKS
        if self.raw[at][:1].isupper() and not starts:
            return Word.NOUN
        if starts and f"{self.words[at]}e".endswith(self.table.attributive):
            return Word.ACT  # "Abweichend von Satz 1"
        if starts and self.asks:
            return Word.ACT
        after = at
        while after < len(self.words) and (self._inflected(after) or self._joins_modifiers(after, at)):
            after += 1
        leads = after > at and after < len(self.words) and self.raw[after][:1].isupper()
        verb = before and before[-1] is Word.NOUN and self.words[at].endswith(self.table.verb_endings)
        verb = verb and not _is_held(before) and not self._is_helped(at, before)
        if leads and not verb:
            return Word.MODIFIER
        if starts:
            return Word.NOUN if self.raw[at][:1].isupper() else Word.ACT
        return Word.MODIFIER if self.words[at].endswith(self.table.attributive) else Word.ACT

    def _is_helped(self, at: int, before: Sequence[Word]) -> bool:
        """Whether an auxiliary or modal verb stands before a place in its run of words."""
        marks = [place for place in range(at) if before[place] is Word.MARK]
        return Word.VERB in before[marks[-1] if marks else 0 :]

    def _joins_modifiers(self, at: int, first: int) -> bool:
        """Whether a comma or a conjunction stands between two words with endings: "familiären, beruflichen"."""
        joins = self.words[at] == "," or self.words[at] in self.table.joins
        if self.words[at].isdigit():  # "den ersten 30 Tagen"
            return at > first
        return joins and at > first and at + 1 < len(self.words) and self._inflected(at + 1)

    def _inflected(self, at: int) -> bool:
        word = self.words[at]
        known = word in MARKS or word in self.table.cases or word in self.table.prepositions
        starts = not at or self.words[at - 1] in _BREAKS
        plain = starts or not self.raw[at][:1].isupper()
        return plain and not known and word not in self.table.joins and word.endswith(self.table.inflections)

    def _by_place(self, at: int, before: Sequence[Word]) -> Word:
        """French: a noun follows its article or preposition, a predicate its auxiliary verb or pronoun."""
        table, word = self.table, self.words[at]
        back = at - 1
        while back >= 0 and before[back] is Word.SMALL and self._is_passed(back):
            back -= 1
        last = before[at - 1] if at else Word.MARK
        near = before[back] if back >= 0 else Word.MARK
        infinitive = word.endswith(table.infinitives)
        if last is Word.DETERMINER:  # "doit l'exécuter"
            helped = at > 1 and before[at - 2] is Word.VERB and self.words[at - 2] not in table.passives
            spoken = not self.asks and at > 1 and self.words[at - 2] in table.subjects  # "s'il l'exige"
            return (
                Word.ACT if (spoken or (infinitive and helped)) and self.words[at - 1] in table.clitics else Word.NOUN
            )
        if last is Word.PREPOSITION:
            return Word.ACT if infinitive and self.words[at - 1] in table.before_infinitive else Word.NOUN
        if self.words[at + 1 : at + 2] and self.words[at + 1] in table.inverse and self.asks:
            return Word.ACT
        latter = at > 1 and self.words[at - 2] in table.others and self.words[at - 1] in table.latter
        if last is Word.SMALL and self.words[at - 1] in table.relatives:
            return Word.ACT  # "que prend le maire"
        if near is Word.VERB or latter or (last is Word.SMALL and self.words[at - 1] in table.subjects | table.clitics):
            return Word.ACT
        if last in (Word.NOUN, Word.MODIFIER):
            following = self.words[at + 1] if at + 1 < len(self.words) else "."
            agrees = self._article(at - 1) not in table.masculine or not word.endswith("e")
            plain = not word.endswith((*table.participles, *table.infinitives)) or not agrees
            several = self._article(at - 1) in table.several
            many = several and word.endswith(table.plural)
            measures = following in table.prepositions or following in self.numbers or following.isdigit()
            leads = following in table.cases or (plain and measures and not several)
            opens = (place for place in range(at - 1, -1, -1) if before[place] is Word.MARK or self._opens(place))
            open_ = next(opens, -1)
            helped = next((place for place in range(at - 1, open_, -1) if before[place] in (Word.VERB, Word.ACT)), -1)
            aside = helped > 0 and self.words[helped] in table.passives and before[helped + 1] is Word.PREPOSITION
            if aside and word.endswith(table.participles):
                return Word.ACT  # "sont de plein droit compris"
            said = any(each in (Word.VERB, Word.ACT) for each in before[open_ + 1 : at])
            said = said and not (open_ > 0 and self._is_verbless(before[:open_]))  # "le maître qui a payé doit"
            inverted = self.asks and any(each in table.inverse for each in self.words[at + 1 :])
            return Word.ACT if (leads or many) and not said and not inverted else Word.MODIFIER
        if last in (Word.JOIN, Word.MARK) and infinitive and self._waits_before(at, before):
            return Word.ACT  # "peut, même d'office, fixer"
        listed = last is Word.MARK and (self.words[at + 1 : at + 2] or ["."])[0] in table.joins | {","}
        for endings in (table.infinitives, table.participles) if last is Word.JOIN or listed else ():
            acts = (self.words[place] for place in range(at) if before[place] is Word.ACT)
            if word.endswith(endings) and any(each.endswith(endings) for each in acts):
                return Word.ACT  # "fixer les prestations et liquider"
        return last if last is Word.ACT else Word.NOUN

    def _is_verbless(self, before: Sequence[Word]) -> bool:
        """Whether a sentence has no verb yet before the relative clause behind these words."""
        breaks = [place for place in range(len(before)) if before[place] is Word.MARK]
        own = before[breaks[-1] + 1 if breaks else 0 :]
        return Word.NOUN in own and Word.VERB not in own and Word.ACT not in own

    def _article(self, at: int) -> str:
        """The article of the phrase that ends at a place, where only words that belong to its noun are between."""
        while at > 0 and self.words[at] not in self.table.cases and self.words[at] not in MARKS:
            at -= 1
        return self.words[at]

    def _waits_before(self, at: int, before: Sequence[Word]) -> bool:
        """Whether a modal verb before a place has not got its infinitive."""
        opens = [one for one in range(at) if self.words[one] in _BREAKS]
        own = range(opens[-1] + 1 if opens else 0, at)
        modal = [one for one in own if before[one] is Word.VERB and self.words[one] not in self.table.passives]
        return bool(modal) and Word.ACT not in before[modal[-1] :]

    def _is_passed(self, at: int) -> bool:
        """Whether a small word may stand between an auxiliary verb and its participle or infinitive."""
        word = self.words[at]
        return word not in self.table.subjects and not word.endswith(self.table.infinitives)

    # --- clauses -----------------------------------------------------------------------------------------------------

    def _divide(self) -> None:
        if self.table.verb_last:
            self._divide_verb_last()
        else:
            self._divide_in_order()

    def _open(self, kind: Kind, above: Clause | None) -> Clause:
        clause = Clause(kind, above)
        self.clauses.append(clause)
        return clause

    def _divide_verb_last(self) -> None:
        """German: commas divide clauses, and one that depends has its verb at its end."""
        segments = [*segments_of(self.words)]
        main = current = self._open(Kind.MAIN, None)
        for index, segment in enumerate(segments):
            before = self.words[segment.start - 1] if segment.start else "."
            first = self._first(segment)
            if before in _BREAKS:
                main = current = self._open(Kind.MAIN, None)
            kind = self._kind_of(segment, first, before, segments[index + 1 :], main)
            if kind is Kind.MAIN:
                current = main
            elif kind is not None:
                while current is not main and self._is_complete(current) and self._above_waits(current):
                    current = current.above or main
                complete = self._is_complete(current)
                above = current if not complete or kind in (Kind.RELATIVE, Kind.SAID) else current.above or main
                above = current if current.kind is Kind.MAIN else above
                waiting = current.kind is Kind.SAID and not self.predicate(current)
                if kind is Kind.SAID and waiting and self.words[first] not in self.table.contents:
                    pass  # "den Angehörigen, die ..., Unterhalt zu gewähren"
                elif kind is Kind.SAID and self._has_infinitive(segment) and self._waits(main) and current is not main:
                    current = main
                else:
                    current = self._open(kind, above)
            else:
                while current is not main and self._is_complete(current):
                    current = current.above or main
            if kind is Kind.CONDITION and self.kinds[first] is Word.NOUN:
                self.kinds[first] = Word.ACT  # "Erfolgt die Verfügung"
            goes_on = before == "," and current is main is self.of[segment.start - 2]
            if goes_on and self._is_gapped(segment, main):
                gap = self._open(Kind.MAIN, main)
                segment, parts = self._verbs_at_end(segment), segment
                gap.places = [at for at in parts if at not in segment]
                for at in gap.places:
                    self.of[at] = gap
            for at in segment:
                if current is main:
                    main = current = self._joined_main(main, at)
                current.places.append(at)
                self.of[at] = current

    def _is_gapped(self, segment: range, main: Clause) -> bool:
        """Whether words behind a comma are a clause without its verb: "der Mieter trägt die Last, der Bote die Kosten".

        Two phrases follow each other there, the second of which has the preposition of one before the comma, or none.
        """
        start = segment.start + (self.kinds[segment.start] is Word.JOIN)
        nouns = [at for at in segment if self.kinds[at] is Word.NOUN]
        if not nouns or "N" not in self.table.cases.get(self.words[start], "") or not self._has_verb(main):
            return False
        inner = range(start, self._verbs_at_end(segment).start)
        if any(self.kinds[at] in (Word.VERB, Word.ACT) for at in inner):
            return False
        earlier = {self.words[at] for at in main.places if self.kinds[at] is Word.PREPOSITION}
        behind = [at for at in inner if at > nouns[0] and self.kinds[at - 1] in (Word.NOUN, Word.MODIFIER)]
        return any(
            self.words[at] in earlier
            or (self.kinds[at] is Word.DETERMINER and "G" not in self.table.cases[self.words[at]])
            for at in behind
        )

    def _verbs_at_end(self, segment: range) -> range:
        """The verbs that end a run of words."""
        at = segment.stop
        while at > segment.start and self.table.verb_last and self.kinds[at - 1] in (Word.VERB, Word.ACT):
            at -= 1
        return range(at, segment.stop)

    def _joined_main(self, main: Clause, at: int) -> Clause:
        """The main clause of a finite verb: another one than the one before where that has its predicate already."""
        plain = self.kinds[at] is Word.ACT and self.kinds[at - 1] in (Word.NOUN, Word.MODIFIER)
        plain = plain and not any(self.kinds[one] is Word.VERB for one in main.places)
        plain = plain and not self.words[at].endswith(self.table.infinitives or "n")
        helps = self.kinds[at] is Word.VERB and self.words[at] in self.table.finite
        if not (plain or helps) or not self._has_verb(main):
            return main
        joins = [
            place
            for place, one in enumerate(main.places)
            if self.kinds[one] is Word.JOIN and self.words[one] not in self.table.conditions  # "mehr als 50 Euro"
        ]
        if not joins:
            return main
        own = main.places[joins[-1] + 1 :]
        kinds = {self.kinds[one] for one in own}
        led = not own or (self.kinds[own[0]] is not Word.PREPOSITION and kinds & {Word.NOUN, Word.SMALL})
        if not led or kinds & {Word.ACT, Word.VERB} or (own and not self._predicate_before(main, own[0])):
            return main
        clause = self._open(Kind.MAIN, main)
        clause.places = own
        del main.places[joins[-1] + 1 :]
        for one in own:
            self.of[one] = clause
        return clause

    def _predicate_before(self, clause: Clause, at: int) -> bool:
        return any(one < at and self.kinds[one] in (Word.ACT, Word.VERB) for one in clause.places)

    def _first(self, segment: range) -> int:
        at = segment.start
        passed = self.table.joins | self.table.skipped
        while at + 1 < segment.stop and self.words[at] in passed - self.table.conditions:
            at += 1
        return at

    def _kind_of(self, segment: range, first: int, before: str, later: Sequence[range], main: Clause) -> Kind | None:
        """The kind of the clause that a segment opens; None where it goes on with one."""
        table, word = self.table, self.words[first]
        if word in table.resumes:
            return Kind.MAIN
        if self.asks and not segment.start:
            return None
        doubtful = word in table.joins | table.prepositions  # "seit er wohnt", "seit dem Tag"
        if word in table.conditions and (not doubtful or self.kinds[segment[-1]] in (Word.ACT, Word.VERB)):
            return Kind.CONDITION
        if word in table.contents:
            return Kind.SAID
        if before == ",":
            pronoun = first + 1 if word in table.prepositions and first + 1 < segment.stop else first
            if self.words[pronoun] in table.relatives and not self._is_article(pronoun, segment):
                return Kind.RELATIVE
            if self._has_infinitive(segment) and not any(self.kinds[at] is Word.VERB for at in segment):
                return Kind.SAID
            verbs = any(self.kinds[at] in (Word.VERB, Word.ACT) for at in segment)
            if not verbs and main.places and not self._waits(main) and self._has_verb(main):
                ahead = (one for one in later if self._has_infinitive(one))
                if any(not any(self.kinds[at] is Word.VERB for at in one) for one in ahead):
                    return Kind.SAID
        elif before in _BREAKS and not self.asks and (word in table.verbs | table.passives or word.endswith("t")):
            # "Wird sie übernommen, so haftet er": a condition without a word for it.
            opens = (self.words[one.start] for one in later)
            if any(one in table.resumes or one in table.verbs | table.passives for one in opens):
                return Kind.CONDITION
        return None

    def _is_article(self, at: int, segment: range) -> bool:
        """Whether a word that may open a relative clause is the article of a noun: "dem Eigentümer"."""
        if self.words[at] not in self.table.cases:
            return False
        at += 1
        while at < segment.stop and (self.kinds[at] in (Word.MODIFIER, Word.SMALL)):
            at += 1
        if at < segment.stop and self.kinds[at] is Word.PREPOSITION:  # "die in diesem Gesetz vorgesehenen Gerichte"
            held = (one for one in range(at + 1, segment.stop - 1) if self.kinds[one] is Word.MODIFIER)
            return any(self.kinds[one - 1] is Word.NOUN and self.kinds[one + 1] is Word.NOUN for one in held)
        return at < segment.stop and self.kinds[at] is Word.NOUN

    def _has_infinitive(self, segment: range) -> bool:
        return any(
            self.words[at] == self.table.infinitive and self._ends_as_verb(at + 1, segment) for at in segment
        ) or (any(self.table.inner_infinitive.fullmatch(self.words[at]) is not None for at in segment))

    def _ends_as_verb(self, at: int, segment: range) -> bool:
        return at < segment.stop and self.kinds[at] in (Word.ACT, Word.SMALL) and self.words[at].endswith("n")

    def _is_complete(self, clause: Clause) -> bool:
        """Whether the verb of a clause that depends has been said."""
        last = clause.places[-1] if clause.places else 0
        return bool(clause.places) and self.kinds[last] in (Word.ACT, Word.VERB)

    def _above_waits(self, clause: Clause) -> bool:
        """Whether the clause above is an infinitive whose verb is still to come."""
        above = clause.above
        return above is not None and above.kind is Kind.SAID and not self.predicate(above)

    def _waits(self, clause: Clause) -> bool:
        """Whether a clause has a verb that needs another one, and not that."""
        return any(self.kinds[at] is Word.VERB for at in clause.places) and not self.predicate(clause)

    def is_adjective(self, at: int) -> bool:
        """Whether a word ends as adjectives and adverbs do."""
        return self.words[at].endswith(self.table.adjectives)

    def is_feminine(self, at: int) -> bool:
        """Whether a noun ends, in the singular or the plural, as feminine ones do."""
        return self.words[at].removesuffix("en").endswith(self.table.feminine)

    def predicate(self, clause: Clause) -> list[int]:
        """The places of what a clause says."""
        return [at for at in clause.places if self.kinds[at] is Word.ACT]

    def _divide_in_order(self) -> None:
        """French: a word opens a clause that depends; it ends at a comma, or where another verb follows its own."""
        main = current = self._open(Kind.MAIN, None)
        aside = False  # whether the clause opened behind a comma, which closes it alone
        for at, word in enumerate(self.words):
            if word in _BREAKS:
                main = current = self._open(Kind.MAIN, None)
                continue
            if self.kinds[at] is Word.MARK:
                while current is not main and self._has_verb(current):
                    current = current.above or main
                    if aside:
                        break
                continue
            gap = self.kinds[at] is Word.JOIN and at + 1 < len(self.words) and self.words[at + 1] in self.table.others
            after = at > 0 and self.words[at - 1] == "," and current is main
            if after and (gap or self._is_gapped(self._run(at), main)) and not self._has_verb_behind(at):
                main = current = self._open(Kind.MAIN, None)  # "..., et ceux de l'enlèvement à la charge de l'acheteur"
            if (kind := self._opens(at)) is not None:
                aside = at > 0 and self.kinds[at - 1] is Word.MARK and kind is Kind.RELATIVE
                sibling = kind is current.kind is Kind.CONDITION
                current = self._open(kind, current.above if sibling else current)
            elif current.kind is Kind.RELATIVE and self._has_verb(current) and self._ends_relative(at, main):
                ends = self.kinds[at - 1] in (Word.NOUN, Word.MODIFIER, Word.ACT)
                current = (current.above or main) if ends else current
            if current is main:
                main = current = self._joined_main(main, at)
            current.places.append(at)
            self.of[at] = current

    def _ends_relative(self, at: int, main: Clause) -> bool:
        """Whether a verb is the main clause's, which a relative clause stands in."""
        return self.words[at] in self.table.finite or (
            self.kinds[at] is Word.ACT
            and self.kinds[at - 1] in (Word.NOUN, Word.MODIFIER)
            and not self._has_verb(main)
            and not self.words[at].endswith((*self.table.participles, *self.table.infinitives))
        )

    def _has_verb_behind(self, at: int) -> bool:
        """Whether a finite verb follows before the next mark."""
        return any(self.words[one] in self.table.finite or self.kinds[one] is Word.ACT for one in self._run(at))

    def _run(self, at: int) -> range:
        """The places from one to the next mark."""
        ends = (one for one in range(at, len(self.words)) if self.kinds[one] is Word.MARK)
        return range(at, next(ends, len(self.words)))

    def _opens(self, at: int) -> Kind | None:
        """The kind of the clause that a word opens; None where it opens none."""
        word, table = self.words[at], self.table
        elided = word in table.elided and self.words[at + 1 : at + 2] and self.words[at + 1] in table.inverse
        if word in table.conditions or elided:
            return Kind.CONDITION
        asks = self.asks and (at == 0 or (at == 1 and self.words[0] in table.prepositions))
        if word not in table.relatives or asks:
            return None
        if word in table.contents:
            if self.words[at + 1 : at + 2] and self.words[at + 1] in table.prepositions:
                return None  # "ne peut que par testament"
            if at and (self.words[at - 1] in table.verbs or self.words[at - 1].endswith(table.infinitives)):
                return Kind.SAID
        return Kind.RELATIVE

    def _has_verb(self, clause: Clause) -> bool:
        return any(self.kinds[at] in (Word.VERB, Word.ACT) for at in clause.places)

    def leads_in(self, clause: Clause) -> bool:
        """Whether words without a verb lead into a list: "Pour l'application dans les îles :"."""
        last = clause.places[-1] if clause.places else len(self.words)
        return self.words[last + 1 : last + 2] == [":"] and not self._has_verb(clause)

    def is_copular(self, clause: Clause) -> bool:
        """Whether a clause says with a noun what its subject is."""
        words = (self.words[at] for at in clause.places)
        return not self.predicate(clause) and not self.table.to_be.isdisjoint(words)

    def _is_definition(self, clause: Clause) -> bool:
        """Whether a relative clause says what its subject is: "La vente est une convention par laquelle l'un ..."."""
        above, parts = clause.above, self.language.parts
        if clause.kind is not Kind.RELATIVE or above is None or parts is None or not above.states():
            return False
        verbs = [at for at in above.places if self.kinds[at] is Word.VERB]
        before = [at for at in above.places if at < clause.places[0] and self.kinds[at] is Word.DETERMINER]
        return (
            self.is_copular(above)
            and len(verbs) == 1
            and bool(before)
            and before[-1] == verbs[0] + 1
            and self.words[before[-1]] in parts.determiners - parts.definite - parts.negates_all
        )
