"""From a request to its rules: the one it names, or the best entry points."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cache
from typing import Protocol

from retrieval.entry_points.dense import (
    StoredModel,
    StoredVectors,
    check_embedder,
    model_of,
    stored_model,
    stored_vectors,
)
from retrieval.entry_points.filters import Part, joined, passing, unit_part
from retrieval.entry_points.legs import EntryPoint, EntryPoints, Mode, find_entry_points, read_words
from retrieval.entry_points.lexical import CANDIDATES, Filters
from retrieval.entry_points.meanings import MOST_MEANINGS, find_meanings
from retrieval.entry_points.question_words import read_question_words, searched_words
from retrieval.entry_points.reranking import Reranking, leg_hit
from retrieval.entry_points.sources import SourceRow, search_filters
from retrieval.errors import ProviderError
from retrieval.languages import checked_language, is_idle
from retrieval.model import ScopedContext
from retrieval.nodes import Connection, NodeVersion, Readable, versions_by_urn
from retrieval.paths import expand_jurisdictions, is_path, is_urn, parse_urn, urns_in, without_urns
from retrieval.providers.embedding import Embedder, query_vector
from retrieval.providers.model_card import known_languages
from retrieval.providers.packaged_embedding import PackagedEmbedder
from retrieval.references import lookup
from retrieval.references.grammars import Grammars, NamedPlaces
from retrieval.references.law_names import cited_by_name, unheld_in
from retrieval.references.pipeline import MAX_REFERENCE, WrittenReference
from retrieval.references.resolution import resolve_reference
from retrieval.tag_query import SEVERAL

# A question that names a law as a whole, as in "the maximum fine under the GDPR": only that law is searched.
# The law's name is no word of its provisions and its title no rule, so neither is looked for there.

_POSITION = 2000  # numbers the values of this filter past those of tags and edges


@dataclass(frozen=True, slots=True)
class NamedLaw:
    """What is left of a question, and where to look for it."""

    question: str  # without the names of the laws
    cited: list[str]  # what it cites beside them
    laws: list[str]  # URNs of those laws
    filters: Filters
    note: str  # what to say of that; empty where everything is searched


def named_law(
    conn: Connection, question: str, references: Sequence[WrittenReference], filters: Filters
) -> NamedLaw | None:
    """Where to look for a question that names whole laws, or chapters of them.

    Args:
        references: those that it was found to hold.

    Returns:
        None where it names none that the store holds in force and the filters let pass, or says nothing beside.
    """
    cited = list(dict.fromkeys(urn for reference in references for urn in reference.urns))
    whole = {urn: node for urn in cited if (node := _container(conn, urn, filters)) is not None}
    if not whole:
        return None
    # Two grammars may read the same words.
    rest = _without(
        question, [reference for reference in references if reference.urns and whole.keys() >= set(reference.urns)]
    )
    if all(is_idle(word, filters.language) for word in searched_words(rest, filters.language)):
        return None
    others = [urn for urn in cited if urn not in whole]
    if others:  # the provisions that are cited are what is asked about, wherever they stand
        return NamedLaw(rest, others, [*whole], filters, "")
    given = [Part("", filters.where)] if filters.where else []
    keys = sorted({(node.jurisdiction, node.node_id) for node in whole.values()})
    where = joined([*given, unit_part("named law", _POSITION, keys)])
    titles = ", ".join(dict.fromkeys(node.heading or node.urn for node in whole.values()))
    note = f"Only the law that the question names was searched: {titles}."
    return NamedLaw(rest, [], [*whole], replace(filters, where=where), note)


def _container(conn: Connection, urn: str, filters: Filters) -> NodeVersion | None:
    """The law, or the part of one, that a URN names; None for a provision, whose own words answer."""
    versions = [node_version for node_version in versions_by_urn(conn, [urn]) if node_version.in_force(filters.at_date)]
    wholes = [
        version for version in versions if version.kind == "section" or (version.parent_id is None and not version.text)
    ]
    return next(iter(passing(conn, wholes, filters)), None)


# A match is clear where each leg that ran puts one rule first, this far before the next, and it has this share of what
# is asked, by rarity. Of 493 lay questions, asked in words, 24 were clear when the share was that of the best of the
# first five hits, and 23 of these right; without the distance 35, and 28.
CLEAR = 0.7
AHEAD = 0.1


def is_clear(found: EntryPoints) -> bool:
    """Whether a search leaves no doubt that its first rule is what the question is about.

    A phrase of the thesauri that names a provision of this rule counts for words and distance: where "key fee" names
    the section on key fees, it is clear, however much of a story is told around it, unless vectors put another first.
    """
    if not found.points:
        return False
    first, *others = found.points
    if found.legs.get("dense") and first.legs.get("dense") != 1.0:
        return False
    if any(f"{hit.target}:".startswith(f"{first.rule.urn}:") for hit in found.synonyms if hit.is_urn):
        return True
    if others and first.score - others[0].score < AHEAD:
        return False
    return found.share >= CLEAR and (not found.legs.get("lexical") or first.legs.get("lexical") == 1.0)


# A rule leads by less where the nearest vector is its own too: where legs disagree the distance has to be this.
AHEAD_OF_VECTORS = 0.25


def leads(found: EntryPoints) -> bool:
    """Whether the first rule stands apart from the next (without vectors: has the most words), or is cited (0050)."""
    points = found.points
    if not points or "citation" in points[0].legs:
        return bool(points)
    nearest, rule = found.legs.get("dense"), points[0].rule
    if not nearest:
        return points[0].legs.get("lexical") == 1.0
    section = found.sections.get((nearest[0].jurisdiction, nearest[0].id))
    around = {nearest[0].rule_id, section.id} if section else {nearest[0].rule_id}
    agreed = nearest[0].jurisdiction == rule.jurisdiction and not around.isdisjoint((rule.node_id, *rule.ancestor_ids))
    least = AHEAD if agreed else AHEAD_OF_VECTORS
    return len(points) == 1 or points[0].ranked_by - points[1].ranked_by >= least


# What comes near enough to be worth a look. Of 326 English questions whose rule was among the first three, 312 have a
# node this similar (by all-MiniLM-L6-v2), and of 10 about no law at all 3.
NEAR = 0.35
# Among fewer the nearest is further away. Of 36 questions about no law 0 and 4 come as near as NEAR_SMALL to one of a
# hundred provisions, of 40 2, 7 and 1 as near as NEAR to one of 12,000, 17,000 and 5,000.
NEAR_NODES, NEAR_SMALL, SMALL = 1_000, 0.25, 100
# Of 331 German and 430 French ones .88 and .91 have a text of law this similar by multilingual-e5-small, its vectors
# centred, and of 15 each about no law at all 5 and 4.
NEAR_APART = 0.32
# By words alone the best score that tells this, in words that one node alone has (0052). Of the same in German, French
# and English 36 of 41, 55 of 57 and 212 of 216 have as much, and of 30 about no law at all 11.
EVIDENCE = 2.0


def comes_near(found: EntryPoints) -> bool:
    """Whether what was found has to do with the question: by similarity, where vectors were compared, else by words.

    By either, where vectors of another language's model were compared: the nearest of these tell less.
    """
    nearest = found.legs.get("dense")
    near = bool(nearest) and nearest[0].score >= (NEAR_APART if found.apart else _near_among(found.nodes))
    return near or (found.evidence >= EVIDENCE and (found.apart or not nearest))


def _near_among(nodes: float) -> float:
    """The similarity that is near among so many nodes, on a line over their logarithm."""
    size = min(max(nodes or NEAR_NODES, SMALL), NEAR_NODES)
    return NEAR_SMALL + (NEAR - NEAR_SMALL) * math.log(size / SMALL) / math.log(NEAR_NODES / SMALL)


# Further rules join the context when they come this close to the first.
CLOSE_ENOUGH = 0.8


@dataclass(frozen=True, slots=True)
class QuestionVector:
    """A question's embedding by the store's model; empty where the dense leg is off, which the notes explain."""

    vector: list[float] | None = None
    model: StoredModel | None = None
    notes: list[str] = field(default_factory=list[str])
    languages: frozenset[str] = frozenset()  # that the model says it knows; none where it does not say
    apart: frozenset[str] = frozenset()  # of them those of which the store has another model's vectors
    embed: Callable[[str], list[float]] | None = None  # gives the question's vector for law in one of these
    is_apart: bool = False  # whether it is such a vector
    remade: frozenset[str] = frozenset()  # languages whose vectors in the store are none that this embedder makes
    without: Mapping[tuple[str, str], int] = field(default_factory=dict[tuple[str, str], int])
    # (jurisdiction, language) -> rules that have no vector yet

    def missing(self, filters: Filters) -> list[str]:
        """What to say of the law searched where some of it has no vector yet."""
        if self.vector is None:
            return []
        missing = sum(self.without.get((code, filters.language), 0) for code in filters.jurisdictions)
        rules = "rule has" if missing == 1 else "rules have"
        return [
            f"dense: {missing:,} {rules} no vector yet and are found by words only; `lexscope embed` makes them"
        ] * (missing > 0)

    def for_law(self, language: str, mode: Mode) -> QuestionVector:
        """The same for law in a language; beside other legs without the vector where the model knows others only."""
        if self.vector is None:
            return self
        if language in self.apart and self.embed is not None:
            try:
                return replace(
                    self, vector=self.embed(language), apart=frozenset(), languages=frozenset({language}), is_apart=True
                )
            except ProviderError as error:
                return QuestionVector(notes=[*self.notes, f"dense: skipped ({error.code})"])
        if language in self.remade:
            told = f"the store's vectors for {language} are none of this encoder's; see `lexscope doctor`"
            return QuestionVector(notes=[*self.notes, f"dense: skipped ({told})"])
        if mode != "hybrid" or not self.languages or language in self.languages:
            return self
        known = ", ".join(sorted(self.languages))
        return QuestionVector(
            notes=[*self.notes, f"dense: skipped (the embedding model says that it knows {known}, not {language})"]
        )


# Of the vector of a question, what that of its statutory terms is worth beside the words it was asked in.
TERMS = 1.0


EmbeddedFor = Callable[[StoredVectors], QuestionVector]  # the question's vector, once the store's model is known


def embedding_of(
    database: Readable, embedder: Embedder | None, question: str, mode: Mode, terms: Sequence[str] = ()
) -> EmbeddedFor:
    """The question's vector where the store is read: a model in this process embeds it then, in the reader's snapshot.

    Any other is asked here, outside any transaction: it may let its caller wait.

    Raises:
        ConfigurationError: the embedder is not the store's model.
    """
    if isinstance(embedder, PackagedEmbedder):
        return lambda stored: embedded(stored, embedder, question, mode, terms)
    vector = embed_question(database, embedder, question, mode, terms)
    return lambda stored: vector


def embed_question(
    database: Readable, embedder: Embedder | None, question: str, mode: Mode, terms: Sequence[str] = ()
) -> QuestionVector:
    """The question's vector, outside any transaction; see `embedded`."""
    if embedder is None or not _compares(question, mode):
        return embedded(StoredVectors(None, {}), embedder, question, mode)
    with database.read() as conn:
        stored = stored_vectors(conn)
    return embedded(stored, embedder, question, mode, terms)


def _compares(question: str, mode: Mode) -> bool:
    """Whether vectors are compared: not with words alone, and not for a URN."""
    return mode != "keyword" and not is_urn(question)


def embedded(
    stored: StoredVectors, embedder: Embedder | None, question: str, mode: Mode, terms: Sequence[str] = ()
) -> QuestionVector:
    """The question's vector; a provider that fails switches the leg off, with a note.

    Args:
        embedder: None where no model is set.
        mode: `keyword` compares no vector.
        terms: statutory terms that a model named for the question; the vector is between the question's and theirs.

    Raises:
        ConfigurationError: the embedder is not the store's model.
    """
    if not _compares(question, mode):
        return QuestionVector()
    if embedder is None:
        return QuestionVector(notes=["dense: skipped (no embedding model is set; words alone were compared)"])
    if stored.model is None:
        return QuestionVector(notes=["dense: skipped (the store has no embeddings; `lexscope embed` makes them)"])
    if isinstance(embedder, PackagedEmbedder) and embedder.by_default and model_of(embedder) != stored.model:
        return QuestionVector(
            notes=[
                f"dense: skipped (the store's vectors come from {stored.model.model}; set LEXSCOPE_EMBEDDING to what "
                "made them, or take the store over with `lexscope reembed`)"
            ]
        )
    check_embedder(stored.model, embedder)
    try:
        vector = _with_terms(embedder, question, terms)
    except ProviderError as error:
        return QuestionVector(notes=[f"dense: skipped ({error.code})"])
    languages, found = known_languages(embedder), QuestionVector(vector, stored.model, without=stored.without)
    if not isinstance(embedder, PackagedEmbedder):
        return replace(found, languages=languages)
    apart = embedder.apart
    remade = frozenset(code for code, edition in stored.editions.items() if apart.get(code) != edition)

    @cache
    def embed(language: str) -> list[float]:
        return _with_terms(embedder.in_language(language), question, terms)

    own = languages - remade
    return replace(found, languages=own, apart=frozenset(apart) - remade, embed=embed, remade=remade)


def _with_terms(embedder: Embedder, question: str, terms: Sequence[str]) -> list[float]:
    """The vector between a question's and that of its terms; raises what `Embedder.embed` raises."""
    vector = query_vector(embedder, question)
    if terms:
        named = query_vector(embedder, "; ".join(terms))
        scale = TERMS * math.hypot(*vector) / math.hypot(*named)
        vector = [own + scale * other for own, other in zip(vector, named, strict=True)]
    return vector


class OtherDays(Protocol):
    """Names law of other days that would answer where none in force does."""

    def __call__(self, conn: Connection, question: str, filters: Filters, found: EntryPoints, at_date: date, /) -> str:
        """A sentence for the refusal; empty where there is no such law."""
        ...


class Struck(Protocol):
    """Says what courts did to provisions."""

    def __call__(self, conn: Connection, chains: dict[str, list[str]], at_date: date, /) -> Mapping[str, str]:
        """By URN, of those that have an override in effect; each is given with what contains it, and itself."""
        ...


class MeaningsAsked(Protocol):
    """Reads which term a question asks the meaning of."""

    def __call__(self, question: str, language: str, /) -> Sequence[str]:
        """What the term may be, normalised, the likeliest first; nothing where it is no such question.

        What the question cites, and the places that it names, are blank in it.
        """
        ...


@dataclass(frozen=True, slots=True)
class Searcher:
    """What looking for rules takes beside the store and the question; the program's own is `rag.searching`."""

    grammars: Grammars
    other_days: OtherDays
    reranking: Reranking
    today: date  # of "in force" where a reference tells no date
    struck: Struck
    spoken: Callable[[str, Sequence[str]], str]  # which of some languages a text is in; empty where that is not clear
    meanings: MeaningsAsked
    beside: tuple[str, ...] = ()  # jurisdictions that the same question is asked of side by side: a place is theirs


@dataclass(slots=True)
class Found:
    """What a request came to: its rules, or the context that says why there are none."""

    targets: list[NodeVersion]
    missing: ScopedContext | None
    filters: Filters
    points: EntryPoints = field(default_factory=EntryPoints)
    # What the request is about: the rules and laws that it names, or the rule that it clearly matches.
    asked: frozenset[str] = frozenset()

    def after(self, tried: Sequence[NodeVersion], count: int) -> list[NodeVersion]:
        """The rules that were found beside these, those nearest to the best of them; none where all were tried."""
        known = {(rule.jurisdiction, rule.node_id) for rule in tried}
        rest = [point for point in self.points.points if (point.rule.jurisdiction, point.rule.node_id) not in known]
        return _closest(rest, count)


def find_points(
    conn: Connection,
    searcher: Searcher,
    question: str,
    filters: Filters,
    mode: Mode,
    vector: QuestionVector,
    limit: int,
    *,
    expand_synonyms: bool = True,
    named: Sequence[str] = (),
    depth: int = CANDIDATES,
    terms: Sequence[str] = (),
    with_hits: bool = False,
) -> EntryPoints:
    """The entry points of a question; `named` are provisions that the whole question names, and come first.

    `depth` is how many nodes the lexical leg ranks; `terms` are searched beside the question's own words; `with_hits`
    reads the nodes that matched beside their rules.
    """
    vector = vector.for_law(filters.language, mode)
    places = _places(searcher, question, filters.jurisdictions)
    chosen = filters.jurisdictions
    if places.kept:
        filters = replace(filters, jurisdictions=places.kept, named=())
    if is_urn(question):  # nothing but the node itself is meant
        cited = [parse_urn(question).text]
        found = find_entry_points(conn, "", filters, mode="semantic", cited=cited, limit=limit)
    else:
        question = places.matter
        references = searcher.grammars.cited_in(question, filters.jurisdictions)
        matter = _without(question, references)
        question = without_urns(question)  # of which no provision has a word
        law = named_law(conn, question, references, filters)

        def found_in(question: str, cited: Sequence[str], filters: Filters) -> EntryPoints:
            return find_entry_points(
                conn, question, filters, mode=mode, cited=list(dict.fromkeys([*named, *cited])), vector=vector.vector,
                model=vector.model, limit=limit, expand_synonyms=expand_synonyms, depth=depth, terms=terms,
                with_hits=with_hits,
            )  # fmt: skip

        found = found_in(law.question, law.cited, law.filters) if law else EntryPoints()
        if law and found.points:
            found.named = law.laws
            found.warnings += [law.note] if law.note else []
        else:
            found = found_in(question, [urn for reference in references for urn in reference.urns], filters)
        found.matter, found.apart = matter, vector.is_apart
        found.unheld = unheld_in(conn, filters.jurisdictions, matter)
        if vector.model is not None and not found.legs.get("dense") and stored_model(conn) != vector.model:
            # Between the question's embedding and this snapshot; the old vectors are gone.
            found.warnings.append("dense: skipped (the store went over to another embedding model; ask again)")
    found.absent, found.elsewhere = places.absent, bool(places.absent) and not places.kept
    found.warnings[:0] = [*vector.notes, *vector.missing(filters), *_of_places(places, filters, chosen)]
    return found


def _without(question: str, references: Sequence[WrittenReference]) -> str:
    """A question without the words of what it cites, which no provision has to repeat."""
    for reference in references:
        question = f"{question[: reference.start]}{' ' * (reference.end - reference.start)}{question[reference.end :]}"
    return question


def _places(searcher: Searcher, question: str, searched: Sequence[str]) -> NamedPlaces:
    """The places that a question names; one whose law another jurisdiction asked beside has is not absent."""
    found = searcher.grammars.places_in(question, searched)
    if not found.absent or not searcher.beside:
        return found
    among = [*searched, *(code for item in searcher.beside for code in item.split("|") if code not in searched)]
    return found._replace(absent=searcher.grammars.places_in(question, among).absent)


def _of_places(places: NamedPlaces, filters: Filters, chosen: Sequence[str]) -> list[str]:
    """What to say of the countries and states that a question names."""
    if places.absent:
        searched = ", ".join(filters.jurisdictions)
        return [f"The question names {', '.join(places.absent)}, and only law of {searched} was searched."]
    if filters.jurisdictions != tuple(chosen):
        return [f"Only law of {', '.join(filters.jurisdictions)} was searched, for the question names the place."]
    return []


def find_rules(
    conn: Connection,
    searcher: Searcher,
    question: str,
    at_date: date,
    sources: Sequence[SourceRow],
    vector: QuestionVector,
    *,
    jurisdiction: str | None,
    language: str | None,
    rules: int,
    candidates: int,
    terms: Sequence[str] = (),
    day_given: bool = True,
) -> Found:
    """The rules of a request; or, where there are none, the context that says why.

    Args:
        question: what was asked, which may be a reference.
        at_date: the date of the law.
        jurisdiction: narrows law and grammars.
        rules: most of them.
        candidates: most that are ranked.
        terms: searched beside the question's own words.
        day_given: whether the date was asked for; else a day that the words of a reference name comes before it, and is
            that of the filters returned.

    Raises:
        InputError: the request's filters cannot be used.
    """
    language = checked_language(language)
    if is_urn(question):
        targets, missing = lookup.find_targets(conn, [question], at_date)
        language = language or (targets[0].language if targets else None)
        codes = tuple(sorted({target.jurisdiction for target in targets}))
        return Found(targets, missing, Filters(codes, language or "en", at_date), asked=_urns(targets))
    known = {source.jurisdiction for source in sources}
    if expand_jurisdictions(jurisdiction, known):
        named = _named_rules(conn, searcher, question, at_date, jurisdiction, language, day_given=day_given)
        if named is not None:
            targets, missing, warnings, at_date = named
            codes = tuple(sorted({target.jurisdiction for target in targets} or known))
            filters = Filters(codes, language or (targets[0].language if targets else "en"), at_date)
            return Found(targets, missing, filters, EntryPoints(warnings=warnings), _urns(targets))
    filters, notes = filters_of(conn, searcher, question, at_date, sources, jurisdiction, language)
    if (defined := _defined(conn, searcher, question, filters, rules)) is not None:
        defined.points.warnings[:0] = notes
        return defined
    reranking = searcher.reranking
    found = find_points(
        conn, searcher, question, filters, "hybrid", vector, max(rules, candidates, reranking.candidates), terms=terms
    )
    found.warnings[:0] = notes
    if reranking.on:
        reranked = reranking.apply(conn, found.points, question, at_date)
        found.points = reranked.points
        found.warnings.extend(reranked.warnings)
        found.legs["rerank"] = [leg_hit(point) for point in reranked.points if point.relevance_score is not None]
    if not found.points:
        told = searcher.other_days(conn, question, filters, found, at_date)
        message = "No provision in the store matches the question. That is not a statement that no law exists."
        missing = lookup.empty_context("insufficient", [], at_date, f"{message} {told}".rstrip())
        return Found([], missing, filters, found)
    return Found(_closest(found.points, rules), None, filters, found, _asked_for(found))


def filters_of(
    conn: Connection,
    searcher: Searcher,
    question: str,
    at_date: date,
    sources: Sequence[SourceRow],
    jurisdiction: str | None,
    language: str | None,
) -> tuple[Filters, list[str]]:
    """The filters a question is searched with, and what to say of its language; see `search_filters`.

    Where no word that every sentence has tells the question's language ("vice caché"), it is the one whose law has
    the most of its words.

    Raises:
        InputError: a malformed or unknown jurisdiction, or a language the store has no law in.
    """
    chosen = expand_jurisdictions(jurisdiction, {source.jurisdiction for source in sources})

    def knowing(languages: Sequence[str]) -> str:
        unknown = {
            code: len(read_question_words(conn, question, (), language=code, jurisdictions=chosen).unknown)
            for code in languages
        }
        least = [code for code, count in unknown.items() if count == min(unknown.values())]
        return least[0] if len(least) == 1 else ""

    return search_filters(
        sources, jurisdiction, language, at_date, lambda among: searcher.spoken(question, among) or knowing(among)
    )


def rules_kept(
    conn: Connection, searcher: Searcher, question: str, at_date: date, urns: Sequence[str], language: str
) -> Found:
    """The rules of an earlier request for a further question; those that it cites beside them come first.

    The question's words are read, so that what answers is chosen by them; where it only cites, nothing is to choose.

    Raises:
        InputError: one is not a URN.
    """
    targets, missing = lookup.find_targets(conn, urns, at_date)
    codes = tuple(sorted({target.jurisdiction for target in targets}))
    points = EntryPoints()
    if missing is None:
        references = searcher.grammars.cited_in(question, codes)
        points.matter = _without(question, references)
        known = {target.urn for target in targets}
        for urn in dict.fromkeys(urn for reference in references for urn in reference.urns):
            cited, why = lookup.find_targets(conn, [urn], at_date)
            points.warnings += [why.message] if why is not None else []
            targets = [*(version for version in cited if version.urn not in known), *targets]
        filters = Filters(codes, language, at_date)
        words = read_words(conn, points, points.matter, filters, expand_synonyms=True, with_kin=True)
        points.rarity = dict(words.rarity) if words.rarity or words.unknown else None  # None: it only cites
    return Found(targets, missing, Filters(codes, language, at_date), points, _urns(targets))


def _urns(targets: Sequence[NodeVersion]) -> frozenset[str]:
    return frozenset(target.urn for target in targets)


def _asked_for(found: EntryPoints) -> frozenset[str]:
    """What a question cites and the laws that it names; where it cites no rule, the first one if its match is clear."""
    cited = [point.rule.urn for point in found.points if "citation" in point.legs]
    clear = [point.rule.urn for point in found.points[:1] if is_clear(found)]
    return frozenset([*(cited or clear), *found.named])


def _named_rules(
    conn: Connection,
    searcher: Searcher,
    question: str,
    at_date: date,
    jurisdiction: str | None,
    language: str | None,
    *,
    day_given: bool,
) -> tuple[list[NodeVersion], ScopedContext | None, list[str], date] | None:
    """The rule that the whole text names, as `resolve` finds it, with warnings and the day; None for a question."""
    grammars = searcher.grammars
    asked = grammars.provision_asked_for(question).rstrip(" ?.")
    if not asked or len(asked) > MAX_REFERENCE:
        return None
    text, _ = grammars.dated(asked)
    read = any(parser.tag_queries(text) for parser in grammars.parsers_for(jurisdiction))
    # A provision of law that the filter leaves out is none of the law that is left, whatever words they share.
    elsewhere = not read and any(
        query.hint is None for parser in grammars.parsers_for(None) for query in parser.tag_queries(text)
    )
    own = not read and not elsewhere and bool(cited_by_name(text))  # of a document by its name, if the store has it
    lawless = grammars.names_no_law(text)
    if " " in text and not (read or elsewhere or own or lawless):
        return None
    found = resolve_reference(conn, grammars, asked, today=searcher.today, jurisdiction=jurisdiction, language=language)
    warnings = list[str]()
    if found.at_date != searcher.today:  # its words name a day
        if not day_given:
            at_date = found.at_date
        elif found.at_date != at_date:
            day, other = at_date.isoformat(), found.at_date.isoformat()
            warnings = [f"The law of {day} was asked for, and the words of the reference name {other}; {day} counts."]
    if found.urn is not None:
        return *lookup.find_targets(conn, [found.urn], at_date), [*found.warnings, *warnings], at_date
    if own and not found.tag_queries:
        return None  # no document of the store has that name
    several = [candidate.urn for candidate in found.candidates]
    if found.status == "ambiguous" and all(candidate.hint == SEVERAL for candidate in found.candidates):
        return *lookup.find_targets(conn, several, at_date), warnings, at_date
    if found.status == "ambiguous":
        return [], lookup.empty_context("not_found", several, at_date, found.message, several), warnings, at_date
    if elsewhere or lawless or is_path(text) or any(query.hint is None for query in found.tag_queries):
        message = f"{found.message} That is not a statement that no such law exists."
        return [], lookup.empty_context("not_found", [], at_date, message, found.suggestions), warnings, at_date
    return None


def _defined(conn: Connection, searcher: Searcher, question: str, filters: Filters, rules: int) -> Found | None:
    """The definitions that a question asks for which asks for nothing but what a term means; None for any other."""
    places = _places(searcher, question, filters.jurisdictions)
    if places.absent:
        return None
    references = searcher.grammars.cited_in(places.matter, filters.jurisdictions)
    terms = searcher.meanings(without_urns(_without(places.matter, references)), filters.language)
    if not terms:
        return None
    where = places.kept or filters.jurisdictions
    urns = dict.fromkeys(
        [*(urn for reference in references for urn in reference.urns), *(urn for _, _, urn in urns_in(question))]
    )
    cited = [node for node in versions_by_urn(conn, urns) if node.in_force(filters.at_date)] if urns else []
    if len(urns) > len({node.urn for node in cited}):
        return None  # what it names is not there, and another law's definition is no answer
    found = find_meanings(conn, terms, where, filters.language, filters.at_date, cited, max(rules, MOST_MEANINGS))
    if not found.rules:
        return None
    points = EntryPoints(meaning=found.term, meanings=found.total, warnings=[found.note])
    return Found([*found.rules], None, replace(filters, jurisdictions=where), points, _urns(found.rules))


def _closest(points: Sequence[EntryPoint], count: int) -> list[NodeVersion]:
    """The rules that come near the best one, none of them inside another."""
    rules: list[NodeVersion] = []
    for point in points:
        if point.ranked_by < points[0].ranked_by * CLOSE_ENOUGH or len(rules) == count:
            break
        new = point.rule
        if not any(
            new.jurisdiction == rule.jurisdiction
            and (new.node_id in rule.ancestor_ids or rule.node_id in new.ancestor_ids)
            for rule in rules
        ):
            rules.append(new)
    return rules
