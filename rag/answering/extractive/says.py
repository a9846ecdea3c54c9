"""Whether a sentence states what a question asks, in languages that tell roles by case and position. Pure.

A sentence answers where a clause that is its statement has the act of the question, and the same things in their roles.
A relative clause, a condition and an infinitive within one of these state nothing. Where roles cannot be told, they are
not the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from rag.answering.extractive.clause_reading import CONTENT, Clause, Kind, Word
from rag.answering.extractive.roles import Reading, Role


@dataclass(frozen=True, slots=True)
class Thing:
    """A thing that a question asks about: where it stands in the question, and whether a stem of a sentence is it.

    Attributes:
        party: whether a stem is it as somebody who acts or to whom something is done.
    """

    at: int
    meets: Callable[[str], bool]
    party: Callable[[str], bool]


def says(question: Reading, things: Sequence[Thing], sentence: Reading, before: AbstractSet[str] = frozenset()) -> bool:
    """Whether a sentence states what a question asks: its acts, each with the same things in the same roles.

    Args:
        things: what the question asks about, all of which the sentence has somewhere.
        before: stems of the sentences that the sentence's nouns take up.
    """
    question = _with_capitals(question, sentence)
    again = [
        Thing(at, thing.meets, thing.party)  # "the tenant ... if the tenant": a thing that is named twice has two roles
        for thing in things
        for at, stem in enumerate(question.stems)
        if at != thing.at and stem == question.stems[thing.at] and question.kinds[at] in CONTENT
    ]
    if any(question.only_denies(thing.meets) < sentence.only_denies(thing.meets) for thing in things):
        return False
    for clause in question.clauses:
        own = [thing for thing in (*things, *again) if question.of[thing.at] is clause]
        if own and not _Match(question, clause, own, sentence, before).found():
            return False
    return True


def _with_capitals(question: Reading, sentence: Reading) -> Reading:
    """A question that was typed in small letters, with the capitals of the sentence's nouns behind articles."""
    table = question.table
    if not table.nouns_by_capital or any(word[:1].isupper() for word in question.raw[1:]):
        return question
    nouns = {stem for at, stem in enumerate(sentence.stems) if sentence.kinds[at] is Word.NOUN}
    words: list[str] = []
    for at, word in enumerate(question.raw):
        before = question.words[max(at - 1, 0)]
        leads = (
            before in table.cases or before in table.prepositions | table.joins or before.endswith(table.inflections)
        )
        words.append(word.capitalize() if at and leads and question.stems[at] in nouns else word)
    return Reading(" ".join(words), question.language, table)


def _met(reading: Reading, at: int) -> Callable[[Thing], bool]:
    return lambda thing: thing.meets(reading.stems[at])


@dataclass(frozen=True, slots=True)
class _Match:
    """One clause of a question and the sentence that may say it."""

    question: Reading
    asked: Clause
    things: Sequence[Thing]
    sentence: Reading
    before: AbstractSet[str]

    def found(self) -> bool:
        """Whether a clause of the sentence says it."""
        clauses = self.sentence.clauses
        if self.asked.states():
            clauses = [one for one in clauses if one.states()]
        else:
            clauses = [one for one in clauses if any(self._acts(thing, one) for thing in self._asked_acts())]
            if self.asked.kind is Kind.RELATIVE:
                return self._describes(clauses)
            if not clauses:  # a condition in other words
                return self._is_readable() and self._is_of_actor()
        return any(self._is_said(one) or self._is_named(one) for one in clauses)

    def _describes(self, clauses: Sequence[Clause]) -> bool:
        """Whether a sentence describes a thing as a question's relative clause does; `clauses` have its act.

        What only describes in the question is not stated in the sentence: who refuses somebody that refuses shelter
        does not refuse shelter. Where the act is no predicate, the things stand beside what the sentence states.
        """
        question, sentence = self.question, self.sentence
        if not clauses:
            stated = [(one, sentence.roles(one)) for one in sentence.clauses if one.states()]
            nouns = [thing for thing in self.things if self._is_noun(thing)]
            return all(
                any(roles.get(at, Role.BESIDE) is Role.BESIDE for at in map(int, one.places) if self._is(thing, at))
                or not any(self._is(thing, at) for at in one.places)
                for thing in nouns
                for one, roles in stated
            )
        role, about = question.role_of_pronoun(self.asked), question.antecedents(self.asked)
        for one in clauses:
            if one.states() or not self._is_said(one):
                continue
            found = sentence.roles(one)
            same = sentence.role_of_pronoun(one) is role and (
                role is not Role.OPEN or question.is_oblique(self.asked, sentence.words[one.places[0]])
            )
            if not about or (one.kind is Kind.RELATIVE and same and not about.isdisjoint(sentence.antecedents(one))):
                return True
            if any(found[at] is role and sentence.stems[at] in about for at in found):
                return True
        return False

    def _is_readable(self) -> bool:
        """Whether a clause of the question has a verb that was found."""
        return any(self.question.kinds[at] in (Word.VERB, Word.ACT) for at in self.asked.places)

    def _is_of_actor(self) -> bool:
        """Whether a noun that names the act has nobody else as its actor: "nach Kündigung durch den Vermieter"."""
        sentence, roles = self.sentence, self.question.roles(self.asked)
        actors = [thing for thing in self.things if roles.get(thing.at) is Role.ACTOR]
        names = [
            at
            for at in range(len(sentence.kinds))
            if sentence.kinds[at] is Word.NOUN and any(map(_met(sentence, at), self._asked_acts()))
        ]
        behind = [at for name in names for at in sentence.behind(name)]
        return not (actors and names) or any(thing.meets(sentence.stems[at]) for thing in actors for at in behind)

    def _asked_acts(self) -> list[Thing]:
        return [thing for thing in self.things if self.question.kinds[thing.at] is Word.ACT]

    def _acts(self, thing: Thing, clause: Clause) -> bool:
        kinds, stems = self.sentence.kinds, self.sentence.stems
        return any(kinds[at] is Word.ACT and thing.meets(stems[at]) for at in clause.places)

    def _is_said(self, clause: Clause) -> bool:
        """Whether a clause has the acts of the question, and its things in their roles."""
        if not all(self._acts(thing, clause) for thing in self._asked_acts()):
            return False
        sentence = self.sentence
        if self._is_of_another(clause):
            return False
        asked, found = self.question.roles(self.asked), sentence.roles(clause)
        joined = clause.above if clause.kind is Kind.MAIN else None
        spoken = [*clause.places, *(joined.places if joined is not None else ())]
        subject = Role.OBJECT if sentence.is_passive(clause) else Role.ACTOR
        told = 0 if self.question.is_copular(self.asked) else sum(map(sentence.is_pronoun, spoken))
        above = (
            sentence.roles(clause.above) if clause.kind in (Kind.SAID, Kind.MAIN) and clause.above is not None else {}
        )
        for thing in self.things:
            role = asked.get(thing.at, Role.BESIDE)
            own = [at for at in found if self._is(thing, at)]
            if role in (Role.ACTOR, Role.RECEIVER):
                own = [at for at in own if thing.party(sentence.stems[at])]
            if role is Role.BESIDE:
                if not self._is_beside_same(thing, asked, found, clause):
                    return False
            elif not own and role is subject and self._is_noun(thing) and subject in found.values():
                return False
            elif not own and role is Role.ACTOR and above:
                if not any(above[at] is role and self._is(thing, at) for at in above):
                    return False
            elif own:
                if role is Role.OPEN or all(found[at] is not role for at in own):
                    return False
            elif not any(map(thing.meets, self.before)):
                told -= self._is_noun(thing)  # each pronoun stands for one thing
                if told < 0 or not self._stands_for(thing, role, clause, spoken):
                    return False
        if self._is_more(clause) or self._is_swapped(asked, found) or not self._has_same_actor(asked, found):
            return False
        # "Hat", "bekommt": what the question leaves to a word that says nothing, the sentence may not say with another.
        words = {self.question.words[at] for at in self.asked.places}
        free = self._asked_acts() or words & sentence.table.linking or self.asked.kind is not Kind.MAIN
        acts = (at for at in sentence.predicate(clause) if not sentence.is_adjective(at))
        if not free and any(sentence.words[at] not in words for at in acts):
            return False
        if self.asked.kind is Kind.MAIN and self.question.asks_manner() and not self._has_manner(clause):
            return False
        who = self.question.words[:1] and self.question.words[0] in self.question.table.who
        passive = who and self.asked.kind is Kind.MAIN and sentence.is_passive(clause)
        return not passive or Role.ACTOR in found.values()

    def _is_of_another(self, clause: Clause) -> bool:
        """Whether the act is what somebody is made or allowed to do: "peut autoriser l'époux à vendre"."""
        sentence, own = self.sentence, self._asked_acts()
        acts = sentence.predicate(clause)
        met = [at for at in acts if any(map(_met(sentence, at), own))]
        led = bool(met) and sentence.words[met[0] - 1] in sentence.table.before_infinitive
        above = [at for at in acts if met and at < met[0] and sentence.words[at].endswith(sentence.table.infinitives)]
        return led and any(sentence.kinds[at] is Word.NOUN for at in range(above[-1] if above else met[0], met[0]))

    def _stands_for(self, thing: Thing, role: Role, clause: Clause, spoken: Sequence[int]) -> bool:
        """Whether a pronoun of a clause may stand for a thing that another clause names, and not only beside another.

        Who acts is the subject there, where the act is done to nobody else, and not that where a pronoun says "the
        latter".
        """
        sentence = self.sentence
        latter = not sentence.table.latter.isdisjoint(sentence.words[at] for at in spoken)
        if not self._is_noun(thing):
            return any(map(thing.meets, sentence.stems))
        for one in sentence.clauses:
            roles = sentence.roles(one) if one is not clause else dict[int, Role]()
            own = [roles[at] for at in roles if self._is(thing, at)]
            subject = Role.OBJECT if sentence.is_passive(one) else Role.ACTOR
            actor = any((found is subject) != latter for found in own) and (
                latter or Role.RECEIVER not in roles.values()
            )
            if actor if role is Role.ACTOR else any(found is not Role.BESIDE for found in own):
                return True
        return False

    def _is_more(self, clause: Clause) -> bool:
        """Whether a clause says what something is made, which makes another act of it: "ernennt zum Stellvertreter"."""
        sentence = self.sentence
        acts = {at for at in sentence.predicate(clause) if any(map(_met(sentence, at), self._asked_acts()))}
        for at in clause.places:
            if sentence.words[at] in sentence.table.becoming and at + 1 < len(sentence.kinds):
                head = next((one for one in range(at, len(sentence.kinds)) if sentence.kinds[one] is Word.NOUN), None)
                beside = head is not None and (head + 1 in acts or sentence.kinds[head + 1 : head + 2] == [Word.MARK])
                if acts and beside and head is not None and not any(map(_met(sentence, head), self.things)):
                    return True
        return False

    def _has_manner(self, clause: Clause) -> bool:
        """Whether a clause tells how, in words that the question does not have."""
        sentence = self.sentence
        told = [at for at in clause.places if not any(thing.meets(sentence.stems[at]) for thing in self.things)]
        return any(
            sentence.words[at] in sentence.table.manner
            or (sentence.kinds[at] is Word.ACT and sentence.is_adjective(at))
            for at in told
        )

    def _is_named(self, clause: Clause) -> bool:
        """Whether a noun of a clause names the act, and what it is done to follows it: "hat Anzeige zu machen"."""
        acts = self._asked_acts()
        sentence = self.sentence
        found = sentence.roles(clause)
        how = self.asked.kind is Kind.MAIN and self.question.asks_manner()
        needed = how and not sentence.table.needed.isdisjoint(sentence.words[at] for at in clause.places)
        named = {at for at in found if sentence.kinds[at] is Word.NOUN and any(map(_met(sentence, at), acts))}
        # "Zur Übertragung ist die Einigung erforderlich": how it is done.
        led = {at for at in named if needed and sentence.words[sentence.start(at)] in sentence.table.becoming}
        names = [at for at in named if at in led or found[at] in (Role.ACTOR, Role.OBJECT)]
        if how and not led and not self._has_manner(clause):
            return False
        # "Kann die Befriedigung verweigern": what is done with the act that the noun names is another one.
        other = [at for at in sentence.predicate(clause) if not sentence.is_adjective(at)]
        if other and (sentence.table.to_be | sentence.table.passives).isdisjoint(
            sentence.words[at] for at in clause.places
        ):
            return False
        if len([one for one in acts if not self.question.is_adjective(one.at)]) != 1 or not names:
            return False
        asked = self.question.roles(self.asked)
        for thing in self.things:
            role = asked.get(thing.at, Role.BESIDE)
            own = [at for at in found if thing.meets(sentence.stems[at])]
            if role is Role.ACTOR and not any(found[at] is role and at not in names for at in own):
                return False
            if role in (Role.RECEIVER, Role.OPEN) and not any(found[at] is role for at in own):
                return False
            follows = any(found[at] is Role.BESIDE for at in own) or any(map(thing.meets, self.before))
            if role is Role.OBJECT and not follows:
                return False
        return True

    def _has_same_actor(self, asked: Mapping[int, Role], found: Mapping[int, Role]) -> bool:
        """Whether who acts in a condition is who acts in the question, where a pronoun says so: "s'il refuse"."""
        question = self.question
        pronouns = question.table.pronouns & (question.table.subjects | question.table.either)
        taken_up = not pronouns.isdisjoint(question.words[at] for at in self.asked.places)
        if self.asked.kind is not Kind.CONDITION or not taken_up or Role.ACTOR in asked.values():
            return True
        actors = [at for at in found if found[at] is Role.ACTOR and self.sentence.kinds[at] is Word.NOUN]
        stems = {
            question.stems[at]
            for clause in question.clauses
            for at, role in (question.roles(clause) if clause.kind is Kind.MAIN else {}).items()
            if role is Role.ACTOR
        }
        return not actors or not stems or any(self.sentence.stems[at] in stems for at in actors)

    def _is_swapped(self, asked: Mapping[int, Role], found: Mapping[int, Role]) -> bool:
        """Whether two things have each other's preposition: "das Eigentum an dem Boot geht auf die Ware über"."""
        question, sentence = self.question, self.sentence
        led = [(one, question.words[question.start(one.at)]) for one in self.things if question.is_led(one.at)]
        said = [
            {sentence.words[sentence.start(at)] for at in found if self._is(one, at) and sentence.is_led(at)}
            for one, _ in led
        ]
        pairs = list(zip((word for _, word in led), said, strict=True))
        return any(
            mine in theirs_said and theirs in mine_said and mine not in mine_said and theirs not in theirs_said
            for at, (mine, mine_said) in enumerate(pairs)
            for theirs, theirs_said in pairs[at + 1 :]
        )

    def _is_beside_same(
        self, thing: Thing, asked: Mapping[int, Role], found: Mapping[int, Role], clause: Clause
    ) -> bool:
        """Whether what belongs to a noun of the question does not belong to another one alone: "officier de police"."""
        if self.question.kinds[thing.at] is Word.MODIFIER:
            return True
        head = self.question.owner(thing.at)
        same = next((one for one in self.things if one.at == head), None)
        places = [at for at, stem in enumerate(self.sentence.stems) if thing.meets(stem)]
        if places and self._is_noun(thing):  # "Er haftet für den Hof, und sie haftet für das Vieh"
            places = [at for at in places if self._is_within(at, clause)]
            if not places:
                return False
        own = [found[at] for at in places if at in found]
        if self.question.is_led(thing.at) and set(own) == {Role.ACTOR}:
            return False
        owners = [self.sentence.owner(at) for at in places]
        if head < 0 or not owners:
            return True
        role = asked.get(head, Role.BESIDE)
        meets = same.meets if same is not None else self.question.stems[head].__eq__
        return any(
            (one < 0 and found.get(at) in (Role.BESIDE, Role.RECEIVER))
            or (one >= 0 and meets(self.sentence.stems[one]) and (role is Role.BESIDE or found.get(one, role) is role))
            for at, one in zip(places, owners, strict=True)
        )

    def _is_within(self, at: int, clause: Clause) -> bool:
        """Whether a place is in a main clause, in one that it goes on with, below it, or in the words that lead in."""
        one = self.sentence.of[at]
        while one is not None and one.kind is not Kind.MAIN:
            one = one.above
        main: Clause | None = clause
        while main is not None and main.kind is not Kind.MAIN:
            main = main.above
        goes_on = one is main or (main is not None and one is main.above)
        return one is None or goes_on or self.sentence.leads_in(one)

    def _is_noun(self, thing: Thing) -> bool:
        return self.question.kinds[thing.at] is Word.NOUN

    def _is(self, thing: Thing, at: int) -> bool:
        """Whether a word of the sentence is a thing of the question; in German a noun is compared with a noun."""
        question, sentence = self.question, self.sentence
        if not thing.meets(sentence.stems[at]):
            return False
        if not question.table.nouns_by_capital or question.kinds[thing.at] is not Word.NOUN:
            return True
        # "Gesellschaft" and "Gesellschafter" have one stem, and "Miete" and "Mieter".
        one = question.stems[thing.at] == sentence.stems[at]
        apart = one and question.is_feminine(thing.at) != sentence.is_feminine(at)
        genders = {question.gender(thing.at), sentence.gender(at)} - {""} if one else set[str]()
        return sentence.kinds[at] is Word.NOUN and not apart and len(genders) < 2
