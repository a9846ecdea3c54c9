"""Trains the readers of definitions: `rag/languages/*/definitions.weights`.

    python -m evals.definition_reader [--language CODE ...] [--without AUTHOR] [--write]

Law: the sets of `data/laws` but for `sixth`. Of a law in `train` every definition is labelled; of the others those that
a context needs, and those that patterns read. `data/definitions/*.txt` has single sentences, the terms that they define
in braces; most define something, others only sound like it. Sentences of the shared law in which neither a pattern nor
a first reader sees a definition tell what most law reads like; of their text nothing but weights is kept.

Each author of `train` is left out in turn, and what the patterns, the reader and both find in that author's laws is
printed: shares of the (node, term) that are labelled, and of those found. `sure` is the margin from which on at least
`RIGHT` of what the reader adds to the patterns is right on the authors left out; with less than that, but more than
nothing, it may be one.

The reader is a conditional random field whose chains without a term have a weight of their own, trained by AdaGrad.
"""

from __future__ import annotations

import argparse
import json
import re
import struct
import sys
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

import rag
from evals.suites.catalogue import SHARED
from evals.suites.ingest.suite import read
from evals.suites.laws.given import SmallLaw, law_of, native, read_law
from rag.ingest.definitions import LikelyDefinitions
from rag.ingest.formats.base import Source
from rag.ingest.formats.registry import discover, format_named
from rag.jurisdictions.by_language import annotating
from rag.jurisdictions.registry import jurisdiction_for
from rag.languages.definition_reader import (
    ENTRY,
    FIRST,
    FURTHER,
    OUT,
    TABLES,
    Surroundings,
    Weights,
    code,
    likely_terms,
    piece_features,
    pieces,
    plain_features,
    sentences,
    whole_features,
)  # fmt: skip
from rag.languages.registry import language_rules, term_rules
from rag.law.entries import with_entries
from rag.law.jurisdiction import DocumentIndex, Jurisdiction
from rag.law.nodes import Definition, ParsedNode
from rag.law.passages import Passage, read_passage
from retrieval.paths import parse_urn

DATA = Path(__file__).parent / "data"
HELD_BACK = ("sixth",)
LANGUAGES = ("de", "en", "fr", "ja")
SPACED = {"de": True, "en": True, "fr": True, "ja": False}
EPOCHS, RATE, DROPOUT, SEED = 10, 0.15, 0.2, 0
BACKGROUND = {
    "de": ("de-gesetze-md",), "fr": ("fr-legalize-md",), "ja": ("jp-egov-xml",),
    "en": ("us-uslm2", "uk-clml", "ecfr-xml", "dc-code-xml/us/dc/council/code/titles/8"),
}  # fmt: skip
PLAIN, PLAIN_WEIGHT = 1_200, 0.2  # sentences of the shared law in each language, and their weight
PARTLY = 0.5  # weight of a sentence of a law whose definitions are not all labelled
SCALE = 64  # weights are multiples of its inverse
SMALLEST = 2  # of a weight that is kept
PASSED = 0.99  # share of the defining sentences that the sum over their words has to let through
RIGHT = 0.85
CLEARLY_NOT = -1  # the margin below which a sentence of the shared law is taken to define nothing
_NEVER = -1e9
Floats = NDArray[np.float64]
Places = NDArray[np.intp]


@dataclass(slots=True)
class Sentence:
    """A sentence with the tags of its pieces, by its features.

    Attributes:
        author, law, key: who wrote it, and the provision that it is in.
        text, spans: its words, and where its pieces stand in them.
        known: whether a pattern reads a definition in it.
    """

    author: str
    law: str
    key: str
    text: str
    spans: list[tuple[int, int]]
    tags: list[int]
    pieces: list[list[str]]
    whole: list[str]
    plain: list[str]
    around: Surroundings
    known: bool = False
    weight: float = 1.0


@dataclass(slots=True)
class Labelled:
    """What an author's laws define by (law, key): the names of each term, and the terms that patterns read."""

    defined: dict[tuple[str, str], list[list[str]]] = field(default_factory=dict[tuple[str, str], list[list[str]]])
    patterns: dict[tuple[str, str], list[str]] = field(default_factory=dict[tuple[str, str], list[str]])


# --- what there is to learn from -------------------------------------------------------------------------------------

_DETERMINER = re.compile(r"(?:the|an?|les?|la|une?|des|du|der|die|das|dem|den|eine?[rsnm]?)\s+|l['’]", re.IGNORECASE)
_OPEN = re.compile(r"[“„«「\"‘']\s?\Z")


def sentence_of(
    text: str, span: tuple[int, int], terms: Sequence[tuple[int, int]], around: Surroundings, *, spaced: bool
) -> Sentence:
    """A sentence of a text, with the terms that it defines by their spans in the text."""
    start, end = span
    places = pieces(text, start, end, spaced=spaced)
    tags = [OUT] * len(places)
    for first, last in sorted(terms):
        inside = [at for at, (begin, stop) in enumerate(places) if begin >= first and stop <= last]
        if inside and not any(tags[at] for at in inside):
            for at in inside:
                tags[at] = FURTHER
            tags[inside[0]] = FIRST
    words = [text[first:last] for first, last in places]
    return Sentence(
        "", "", "", text[start:end], [(first - start, last - start) for first, last in places], tags,
        piece_features(words, around, spaced=spaced) if words else [],
        sorted(whole_features(words, around, spaced=spaced)) if words else [],
        sorted(plain_features(text[start:end], spaced=spaced)), around,
    )  # fmt: skip


def written(language: str) -> Iterator[Sentence]:
    """The single sentences of a language."""
    for line in (DATA / "definitions" / f"{language}.txt").read_text(encoding="utf-8").splitlines():
        text, terms = "", list[tuple[int, int]]()
        for part in re.split(r"(\{[^}]*\})", line):
            if part.startswith("{"):
                terms.append((len(text), len(text) + len(part) - 2))
            text += part.strip("{}") if part.startswith("{") else part
        for span in sentences(text):
            yield sentence_of(text, span, terms, Surroundings(), spaced=SPACED[language])


def read_laws() -> Iterator[tuple[str, SmallLaw]]:
    """All laws but those held back, with their authors."""
    for folder in sorted(path for path in (DATA / "laws").iterdir() if path.is_dir() and path.name not in HELD_BACK):
        for path in sorted(folder.glob("*.json")):
            yield folder.name, read_law(path)
        for path in sorted(folder.glob("*.jsonl")):
            for line in path.read_text(encoding="utf-8").splitlines():
                yield path.stem, law_of(json.loads(line))


def labelled(author: str, law: SmallLaw, weights: Weights, labels: Labelled) -> Iterator[Sentence]:
    """The sentences of a law; what it defines goes into the labels."""
    language = law.language
    with TemporaryDirectory(prefix="lexscope-definitions-") as place:
        file = Path(place) / "law.jsonl"
        file.write_text(native(law), encoding="utf-8")
        document = format_named("lexjsonl").parse(Source(file, file.parent))
    rules, jurisdiction = language_rules(language), jurisdiction_for(parse_urn(document.corpus.urn).jurisdiction)
    jurisdiction = annotating(jurisdiction, language)
    if rules is None or jurisdiction is None:
        raise ValueError(f"{law.given['id']}: law that nothing is looked for in")
    reading = with_entries(document, rules.lists)
    index = DocumentIndex(reading.document, rules.links.own)
    passages = {node.urn: read_passage(node, index, jurisdiction) for node in reading.document.nodes}
    finder = rules.definition_finder(index, jurisdiction, passages.__getitem__)
    reader = LikelyDefinitions(index, weights)
    keys = {urn: key for key, urn in law.urns.items()}
    complete, name = "defines" in law.given, str(law.given["id"])
    entries: dict[str, list[dict[str, Any]]] = {}
    for entry in law.given.get("defines", ()):
        entries.setdefault(entry["node"], []).append(entry)
        labels.defined.setdefault((name, entry["node"]), []).append([entry["term"], *entry["aliases"]])
    for expected in law.given.get("expect", ()):
        for entry in expected["definitions"]:
            entries.setdefault(entry["node"], []).append({**entry, "aliases": [], "meaning": None})
    placed: set[int] = set()
    for node in reading.document.nodes:
        key = keys.get(reading.origins.get(node.urn, node.urn))
        known = finder.definitions(passages[node.urn])
        if not node.text or key is None:
            continue
        labels.patterns.setdefault((name, key), []).extend(definition.term for definition in known)
        cut = node.urn in reading.changed
        terms = list(_marked(node.text, entries.get(key, ()), placed, cut=cut))
        if not complete:
            terms += _read(node.text, known)
        around = reader.surroundings(node)
        for span in sentences(node.text):
            out = sentence_of(node.text, span, terms, around, spaced=SPACED[language])
            by_form = any(each.words is None or span[0] <= each.words[0] < span[1] for each in known)
            if out.pieces and (complete or any(out.tags)):
                weight = 1.0 if complete else PARTLY
                yield replace(out, author=author, law=name, key=key, known=by_form, weight=weight)


def background(language: str, weights: Weights) -> list[Sentence]:
    """Sentences of the shared law in which patterns read no definition, chosen by their nodes' URNs."""
    rules = language_rules(language)
    chosen: list[tuple[int, LikelyDefinitions, ParsedNode, list[Definition]]] = []
    for path in (SHARED / name for name in BACKGROUND[language]):
        for form, source in discover(path).sources if path.exists() else ():
            for document in read(form, source):
                jurisdiction = annotating(jurisdiction_for(parse_urn(document.corpus.urn).jurisdiction), language)
                if document.corpus.language[:2] != language or rules is None or jurisdiction is None:
                    continue
                index = DocumentIndex(document, rules.links.own)
                passage_of = cache(partial(_passage, index, jurisdiction))
                finder, reader = (
                    rules.definition_finder(index, jurisdiction, passage_of),
                    LikelyDefinitions(index, weights),
                )
                for node in document.nodes:
                    order = code(node.urn)
                    if node.text and node.structure_type not in ("NOTE", "TABLE", "ROOT") and order % 4 == 0:
                        chosen.append((order, reader, node, finder.definitions(passage_of(node.urn))))
    chosen.sort(key=lambda each: (each[0], each[2].urn))
    out: list[Sentence] = []
    for _, reader, node, known in chosen:
        if not known and len(out) < PLAIN:
            around = reader.surroundings(node)
            found = (sentence_of(node.text, span, (), around, spaced=SPACED[language]) for span in sentences(node.text))
            out += [replace(each, weight=PLAIN_WEIGHT) for each in found if each.pieces]
    return out


def _passage(index: DocumentIndex, jurisdiction: Jurisdiction, urn: str) -> Passage:
    node = index.node(urn)
    if node is None:
        raise KeyError(urn)
    return read_passage(node, index, jurisdiction)


def _marked(
    text: str, entries: Sequence[Mapping[str, Any]], placed: set[int], *, cut: bool
) -> Iterator[tuple[int, int]]:
    """Where a text names the terms that its author says it defines: in quotation marks, else nearest to the meaning.

    Of a provision that is read in parts (`cut`) a term is where its meaning is, else in the first part that has it.
    """
    for entry in entries:
        meaning = text.find(entry["meaning"][:30]) if entry["meaning"] else -1
        if cut and (meaning < 0 if entry["meaning"] else id(entry) in placed):
            continue
        end = meaning + len(entry["meaning"] or "")
        for name in (entry["term"], *entry["aliases"]):
            at = [found.start() for found in re.finditer(re.escape(name), text, re.IGNORECASE)]
            best = [place for place in at if _OPEN.search(text[:place])] or at
            if meaning >= 0:
                best = [place for place in best if place + len(name) <= meaning or place >= end] or best
                best.sort(key=lambda place: min(abs(place + len(name) - meaning), abs(place - end)))
            if best:
                placed.add(id(entry))
                yield _without_determiner(text, best[0], best[0] + len(name))


def _read(text: str, known: Sequence[Definition]) -> Iterator[tuple[int, int]]:
    """Where the terms stand that patterns read in a text."""
    for definition in known:
        start = definition.words[0] if definition.words is not None else 0
        found = [match.start() for match in re.finditer(re.escape(definition.term), text, re.IGNORECASE)]
        best = [at for at in found if at >= start] or found
        best = [at for at in best if _OPEN.search(text[:at])] or best
        if best:
            yield _without_determiner(text, best[0], best[0] + len(definition.term))


def _without_determiner(text: str, start: int, end: int) -> tuple[int, int]:
    determiner = _DETERMINER.match(text, start, end)
    return (determiner.end(), end) if determiner is not None and determiner.end() < end else (start, end)


# --- training --------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Model:
    """Weights as they are learned, a row for each feature: outside, first, further; of a whole sentence the first."""

    features: dict[str, int]
    weights: Floats  # (features, 3)
    steps: Floats  # (3, 3)


def _vocabulary(lists: Sequence[Sequence[str]]) -> dict[str, int]:
    """The features that occur twice, numbered."""
    counts = Counter(name for names in lists for name in set(names))
    return {name: number for number, name in enumerate(sorted(name for name, count in counts.items() if count > 1))}


def _rows(names: Sequence[str], features: Mapping[str, int]) -> Places:
    return np.array([features[name] for name in names if name in features], np.intp)


def _sums(scores: Floats, steps: Floats) -> tuple[Floats, Floats, float]:
    """Forward and backward sums in logarithms, and the total, of chains with these scores of pieces and steps."""
    size = len(scores)
    ahead, behind = np.zeros_like(scores), np.zeros_like(scores)
    ahead[0] = scores[0] + steps[OUT]
    for at in range(1, size):
        ahead[at] = scores[at] + np.logaddexp.reduce(ahead[at - 1][:, None] + steps, axis=0)
    for at in range(size - 2, -1, -1):
        behind[at] = np.logaddexp.reduce(steps + (scores[at + 1] + behind[at + 1])[None, :], axis=1)
    return ahead, behind, float(np.logaddexp.reduce(ahead[-1]))


def train(learned: Sequence[Sentence], epochs: int = EPOCHS) -> Model:
    """Learn a chain and the weights of whole sentences; the mean of the second half of the passes."""
    random = np.random.default_rng(SEED)
    features = _vocabulary([[*(name for piece in each.pieces for name in piece), *each.whole] for each in learned])
    rows = [[_rows(names, features) for names in each.pieces] for each in learned]
    wholes = [_rows(each.whole, features) for each in learned]
    tags = [np.array(each.tags, np.intp) for each in learned]
    weights, steps = np.zeros((len(features), 3)), np.zeros((3, 3))
    squares, step_squares = np.full(len(features), 1e-2), np.full((3, 3), 1e-2)
    mean, mean_steps = np.zeros_like(weights), np.zeros_like(steps)
    order = np.arange(len(learned))
    for epoch in range(epochs):
        random.shuffle(order)
        for number in order.tolist():
            kept = [row[random.random(len(row)) > DROPOUT] for row in rows[number]]
            whole = wholes[number][random.random(len(wholes[number])) > DROPOUT]
            push, push_steps, push_whole = _slopes(weights, steps, kept, whole, tags[number])
            weight = learned[number].weight
            for row, slope in zip(kept, push * weight, strict=True):
                if np.abs(slope).max() > 1e-3 * weight:
                    squares[row] += (slope * slope).sum()
                    weights[row] -= RATE * slope[None, :] / np.sqrt(squares[row])[:, None]
            if abs(push_whole) > 1e-3:
                squares[whole] += (push_whole * weight) ** 2
                weights[whole, 0] -= RATE * push_whole * weight / np.sqrt(squares[whole])
            step_squares += (push_steps * weight) ** 2
            steps -= RATE * push_steps * weight / np.sqrt(step_squares)
        if epoch >= epochs // 2:
            mean += weights
            mean_steps += steps
    rest = epochs - epochs // 2
    return Model(features, mean / rest, mean_steps / rest)


def _slopes(
    weights: Floats, steps: Floats, rows: Sequence[Places], whole: Places, tags: Places
) -> tuple[Floats, Floats, float]:
    """How the loss of a sentence changes with its pieces' scores, the steps, and the score of the whole."""
    allowed = steps.copy()
    allowed[OUT, FURTHER] = _NEVER
    scores = np.stack([weights[row].sum(0) for row in rows])
    ahead, behind, total = _sums(scores, allowed)
    silent = float(np.exp(scores[:, OUT].sum() + steps[OUT, OUT] * len(tags) - total))
    lift = float(np.exp(min(weights[whole, 0].sum(), 30.0)))
    norm = silent + (1 - silent) * lift
    chances = np.exp(ahead + behind - total) * lift / norm
    chances[:, OUT] = 1 - chances[:, FIRST] - chances[:, FURTHER]
    push_steps = np.zeros((3, 3))
    for at in range(1, len(tags)):
        pairs = np.exp(ahead[at - 1][:, None] + allowed + (scores[at] + behind[at])[None, :] - total)
        pairs[OUT, OUT] -= silent
        pairs *= lift / norm
        pairs[OUT, OUT] += silent / norm
        pairs[tags[at - 1], tags[at]] -= 1
        push_steps += pairs
    push = chances
    push[np.arange(len(tags)), tags] -= 1
    push_steps[OUT] += push[0]
    return push, push_steps, (1 - silent) * lift / norm - float(tags.any())


def train_words(learned: Sequence[Sentence]) -> tuple[dict[str, float], float]:
    """Weights of single words by which most defining sentences reach a sum, and that sum."""
    random = np.random.default_rng(SEED)
    features = _vocabulary([each.plain for each in learned])
    rows = [_rows(each.plain, features) for each in learned]
    weights, squares, bias = np.zeros(len(features)), np.full(len(features), 1e-2), 0.0
    order = np.arange(len(learned))
    for _ in range(2 * EPOCHS):
        random.shuffle(order)
        for number in order.tolist():
            row = rows[number][random.random(len(rows[number])) > DROPOUT]
            slope = 1 / (1 + np.exp(-weights[row].sum() - bias)) - any(learned[number].tags)
            squares[row] += slope * slope
            weights[row] -= RATE * slope / np.sqrt(squares[row])
            bias -= 0.01 * slope
    sums = sorted(float(weights[row].sum()) for row, each in zip(rows, learned, strict=True) if any(each.tags))
    return dict(zip(features, weights.tolist(), strict=True)), sums[int((1 - PASSED) * len(sums))]


def _least_whole(model: Model, learned: Sequence[Sentence]) -> float:
    """The sum over whole sentences that most defining ones reach."""
    defining = [each for each in learned if any(each.tags)]
    sums = sorted(float(model.weights[_rows(each.whole, model.features), 0].sum()) for each in defining)
    return sums[int((1 - PASSED) * len(sums))]


def packed(model: Model, words: Mapping[str, float], least: float, least_whole: float, *, spaced: bool) -> Weights:
    """The weights as integers; `sure` is set when authors are left out."""

    def whole(value: float) -> int:
        return round(value * SCALE)

    def table(names: Mapping[str, float]) -> dict[int, int]:
        found = {code(name): whole(value) for name, value in sorted(names.items())}
        return {key: value for key, value in found.items() if abs(value) >= SMALLEST}

    chain = {name: model.weights[row] for name, row in model.features.items() if not name.startswith("S")}
    steps: list[list[float]] = model.steps.tolist()
    return Weights(
        spaced, 0, -4 * SCALE, whole(least), whole(least_whole),
        tuple((whole(before[OUT]), whole(before[FIRST]), whole(before[FURTHER])) for before in steps),
        table(words),
        table({name: float(model.weights[row, 0]) for name, row in model.features.items() if name.startswith("S")}),
        table({name: float(row[FIRST] - row[OUT]) for name, row in chain.items()}),
        table({name: float(row[FURTHER] - row[OUT]) for name, row in chain.items()}),
    )  # fmt: skip


def write(weights: Weights, path: Path) -> None:
    """Write the file that `read_weights` reads."""
    values: dict[str, Any] = {each.name: getattr(weights, each.name) for each in fields(weights) if each.init}
    tables: list[Mapping[int, int]] = [values[name] for name in TABLES]
    head = values | {name: len(values[name]) for name in TABLES}
    entries = b"".join(struct.pack(ENTRY, *entry) for table in tables for entry in sorted(table.items()))
    path.write_bytes(json.dumps(head).encode() + b"\n" + zlib.compress(entries, 9))


# --- what it finds ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Found:
    """A term that the reader finds: where, how sure, whether the author says so, whether no pattern finds it."""

    law: str
    key: str
    term: str
    margin: int
    right: bool
    added: bool


def found_in(read: Sequence[Sentence], weights: Weights, labels: Labelled, language: str) -> list[Found]:
    """What a reader finds in an author's sentences."""
    out: dict[tuple[str, str, str], Found] = {}
    for each in read:
        for likely in likely_terms(each.text, 0, len(each.text), each.around, weights):
            term, place = each.text[likely.start : likely.end], (each.law, each.key)
            right = any(_same(term, name, language) for names in labels.defined.get(place, ()) for name in names)
            added = not each.known and not any(_same(term, other, language) for other in labels.patterns[place])
            known = out.get((*place, term))
            if known is None or known.margin < likely.margin:
                out[*place, term] = Found(*place, term, likely.margin, right, added)
    return list(out.values())


def _same(one: str, other: str, language: str) -> bool:
    """Whether two names are of one term: inflected, or with or without a word before it."""
    normalise = term_rules(language).normalise
    one, other = normalise(one), normalise(other)
    first, second = one.split(), other.split()
    short = min(len(one), len(other))
    inflected = short >= 5 and abs(len(one) - len(other)) <= 3 and one[: short - 2] == other[: short - 2]
    within = abs(len(first) - len(second)) <= 2 and (first[-len(second) :] == second or second[-len(first) :] == first)
    return one == other or inflected or (bool(first and second) and within)


def threshold(found: Sequence[Found], share: float) -> int:
    """The least margin such that of what is found with it or more beside the patterns this share is right."""
    ordered = sorted((each for each in found if each.added), key=lambda each: -each.margin)
    right, best = 0, max((each.margin for each in ordered), default=0) + 1
    for count, each in enumerate(ordered, 1):
        right += each.right
        if right >= share * count:
            best = each.margin
    return best


def report(name: str, labels: Labelled, found: Sequence[Found], sure: int, language: str) -> None:
    """Print what patterns, reader and both find in an author's laws."""
    wanted = [(place, names) for place, entries in labels.defined.items() for names in entries]
    by_form = {place: set(terms) for place, terms in labels.patterns.items()}
    by_reader: dict[tuple[str, str], set[str]] = {}
    both = {place: set(terms) for place, terms in by_form.items()}
    for each in found:
        if each.margin >= sure:
            by_reader.setdefault((each.law, each.key), set()).add(each.term)
            if each.added:
                both.setdefault((each.law, each.key), set()).add(each.term)
    for what, terms in (("patterns", by_form), ("reader", by_reader), ("both", both)):
        hits = sum(
            any(_same(term, name, language) for term in terms.get(place, ()) for name in names)
            for place, names in wanted
        )
        given = [(place, term) for place, those in terms.items() for term in those]
        right = sum(
            any(_same(term, name, language) for names in labels.defined.get(place, ()) for name in names)
            for place, term in given
        )
        print(
            f"{name} {what}: recall {hits / len(wanted):.3f} of {len(wanted)}, "
            f"precision {right / max(1, len(given)):.3f} of {len(given)}",
            flush=True,
        )


def _learn(learned: Sequence[Sentence], plain: Sequence[Sentence], language: str) -> Weights:
    """Weights learned from sentences of which all is known, and from those that a first reader passes by."""
    spaced = SPACED[language]
    first = packed(train(learned, EPOCHS // 2), {}, 0.0, -9.0, spaced=spaced)
    first = replace(first, doubtful=CLEARLY_NOT * SCALE)
    kept = [each for each in plain if not likely_terms(each.text, 0, len(each.text), each.around, first)]
    everything = [*learned, *kept]
    model, (words, least) = train(everything), train_words(everything)
    return packed(model, words, least, _least_whole(model, learned), spaced=spaced)


def train_language(language: str, without: str, *, save: bool) -> None:
    """Leave each author out, print what is found, and write the weights learned from all."""
    empty = Weights(SPACED[language], 0, 0, 0, 0, ((0, 0, 0),) * 3, {}, {}, {}, {})
    labels: dict[str, Labelled] = {}
    known: list[Sentence] = []
    for author, law in read_laws():
        if law.language == language and author != without:
            known += labelled(author, law, empty, labels.setdefault(author, Labelled()))
    single, plain = list(written(language)), background(language, empty)
    authors = sorted(author for author, label in labels.items() if label.defined)
    found: dict[str, list[Found]] = {}
    for author in authors:
        # Where only one author labelled everything, half of that author's laws are left out.
        laws = sorted({each.law for each in known if each.author == author})
        left_out = set(laws if len(authors) > 1 else laws[::2])
        if len(authors) == 1:
            labels[author].defined = {
                place: names for place, names in labels[author].defined.items() if place[0] in left_out
            }
            labels[author].patterns = {
                place: terms for place, terms in labels[author].patterns.items() if place[0] in left_out
            }
        rest = [each for each in known if each.author != author or each.law not in left_out]
        weights = _learn([*rest, *single], plain, language)
        mine = [each for each in known if each.author == author and each.law in left_out]
        found[author] = found_in(mine, weights, labels[author], language)
    everything = [each for those in found.values() for each in those]
    sure = threshold(everything, RIGHT)
    for author in authors:
        report(author, labels[author], found[author], sure, language)
    print(f"{language}: sure from {sure}", flush=True)
    if save:
        weights = replace(_learn([*known, *single], plain, language), sure=sure, doubtful=0)
        path = Path(rag.__file__).parent / "languages" / language / "definitions.weights"
        write(weights, path)
        sizes = [len(weights.words), len(weights.whole), len(weights.first), len(weights.further)]
        print(f"{language}: {path.stat().st_size} bytes, {sizes} weights")


def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m evals.definition_reader",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--language", action="append", choices=LANGUAGES, help="only this one; may be repeated (all)")
    parser.add_argument("--without", default="", metavar="AUTHOR", help="whose laws are not learned from")
    parser.add_argument("--write", action="store_true", help="write the weights beside the languages")
    options = parser.parse_args(arguments)
    for language in options.language or LANGUAGES:
        train_language(language, options.without, save=options.write)


if __name__ == "__main__":
    main(sys.argv[1:])
