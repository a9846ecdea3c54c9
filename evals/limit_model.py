"""Trains the model of limits that name no provision: `rag/ingest/limits.json`.

    python -m evals.limit_model --out FILE [--without AUTHOR ...]

Law: all sets of `data/laws`. Of a law in `train` every pair is labelled; of the others those of the rules that contexts
are asked for. What a provision reads like is learned from whole provisions, by language; what says that one limits
another is learned from pairs, over all languages, by the readings of models that had not seen the pair's author. Each
author is then left out in turn, and what is found on that author's law is printed. With `--without` the model is
written without some authors, so that `python -m evals laws` can be asked about their law.
"""

from __future__ import annotations

import argparse
import json
import sys
from base64 import b64encode
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from struct import pack
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evals.suites.laws.given import SmallLaw, law_of, native, read_law
from rag.ingest.formats.base import Source
from rag.ingest.formats.registry import format_named
from rag.ingest.limits import HEADS, SCALE, LimitFinder, model_from, sentence_node
from rag.ingest.reading import annotate_once
from rag.jurisdictions.by_language import annotating
from rag.jurisdictions.registry import jurisdiction_for
from rag.languages.registry import known_language, language_rules
from rag.law.jurisdiction import DocumentIndex
from rag.law.passages import Passage, read_passage
from retrieval.paths import parse_urn

DATA = Path(__file__).parent / "data" / "laws"
AUTHORS = {"half1": "half", "half2": "half", "second1": "second", "second2": "second"}  # of sets by one author
LANGUAGES = ("de", "en", "fr", "ja")
DECAY_OF_RUNS, DECAY_OF_PAIRS = 0.03, 1.0  # penalty of squared weights
SEEN = 3  # provisions that have a run of tokens
PARTLY = 0.5  # weight of a provision of a law whose pairs are not all labelled, where it is not known to limit
RIGHT = 0.63  # share of the pairs taken for limits that are to be, of authors left out
Floats = NDArray[np.float64]


@dataclass(slots=True)
class Labelled:
    """A law with what limits what.

    Attributes:
        limits: pairs of URNs, limit and rule.
        unknown: pairs of which nothing is known: parts of a limit, or of a rule and what contains it.
        heads: by URN for each of `HEADS` whether the provision reads like it; None where nothing is known.
        rules: what limits are known of; None: of every provision.
    """

    author: str
    language: str
    index: DocumentIndex
    passages: dict[str, Passage]
    defining: set[str]
    stated: set[tuple[str, str]]
    limits: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])
    unknown: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])
    heads: dict[str, list[bool | None]] = field(default_factory=dict[str, list[bool | None]])
    rules: set[str] | None = None
    runs: dict[str, list[int]] = field(default_factory=dict[str, list[int]])  # by URN, see `token_runs`

    def finder(self, stored: Mapping[str, Any]) -> LimitFinder:
        """A finder of its limits by a model."""
        language, model = known_language(self.language), model_from(stored, self.language)
        if language is None or model is None:
            raise ValueError(f"{self.language}: no such language")
        return LimitFinder(self.index, language, model, self.passages, self.defining)


@dataclass(slots=True)
class Pair:
    """A provision that reads like a limit and one that it may limit."""

    author: str
    language: str
    features: list[str]
    right: bool | None
    stated: bool  # its words say so for certain
    score: int = 0


def read_laws() -> list[Labelled]:
    """All laws of the sets."""
    sets: list[tuple[str, SmallLaw]] = []
    for folder in sorted(path for path in DATA.iterdir() if path.is_dir()):
        author = AUTHORS.get(folder.name, folder.name)
        sets += [(author, read_law(path)) for path in sorted(folder.glob("*.json"))]
        for path in sorted(folder.glob("*.jsonl")):
            laws = (json.loads(line) for line in path.read_text(encoding="utf-8").splitlines())
            sets += [(path.stem, law_of(given)) for given in laws]
    return [_labelled(author, law) for author, law in sets]


def _labelled(author: str, law: SmallLaw) -> Labelled:
    with TemporaryDirectory(prefix="lexscope-limits-") as place:
        file = Path(place) / "law.jsonl"
        file.write_text(native(law), encoding="utf-8")
        document = format_named("lexjsonl").parse(Source(file, file.parent))
    annotate_once(document)
    rules = language_rules(law.language)
    reader = annotating(jurisdiction_for(parse_urn(document.corpus.urn).jurisdiction), law.language)
    if rules is None or reader is None:
        raise ValueError(f"{law.given['id']}: law that nothing is looked for in")
    index = DocumentIndex(document, rules.links.own)
    out = Labelled(
        author, law.language, index,
        {node.urn: read_passage(node, index, reader) for node in document.nodes},
        {definition.node_urn for definition in document.definitions},
        {(link.source_urn, link.target_urn) for link in document.links if link.kind not in _UNCERTAIN},
    )  # fmt: skip
    _label(out, law)
    return out


_UNCERTAIN = ("cites", "may_limit", "may_define")


def _label(out: Labelled, law: SmallLaw) -> None:
    """Read the labels of an author, by provision that has text."""
    given, tree = law.given, out.index.tree
    texts = {node.urn for node in tree.nodes if node.text and sentence_node(node, tree) is node}

    def spoken(key: str) -> set[str]:
        """A provision, the sentence that it is an item of, or where it has no text of its own the parts that have."""
        return {sentence_node(tree.by_urn[law.urns[key]], tree).urn} & texts or law.below(key) & texts

    whole: set[str] = set()
    complete = "limits" in given
    if complete:
        labels = [(each["limit"], each["rule"]) for each in given["limits"]]
        for each in given["limits"]:
            whole |= spoken(each["limit"]) if each["how"] == "whole law" else set[str]()
    else:
        labels = [(key, expected["rule"]) for expected in given["expect"] for key in expected["exceptions"]]
        out.rules = {urn for expected in given["expect"] for urn in spoken(expected["rule"])}
    limited, limiting = set[str](), set[str]()
    for limit, rule in labels:
        limited |= spoken(rule)
        out.limits |= {(source, target) for source in spoken(limit) for target in spoken(rule)}
        limiting |= spoken(limit)
        line = law.above(rule) | law.below(rule)
        out.unknown |= {(source, target) for source in law.below(limit) for target in line}
    of_all = complete and bool(whole)  # then every rule of the law is known
    for urn in texts:
        operative = True if urn in limited | (out.rules or set()) else False if urn in out.defining or of_all else None
        out.heads[urn] = [urn in limiting - whole, urn in whole, operative]
        if not complete and urn in limiting:
            out.heads[urn][1] = None


def fit(rows: Sequence[Sequence[int]], size: int, right: Floats, weight: Floats, decay: float, scale: Floats) -> Floats:
    """Logistic regression by Adam: the weights of columns, the bias last.

    Args:
        rows: the columns that each row has.
        right, weight: (rows,), 0 or 1, and how much a row counts.
        scale: (rows,), the value of a row in its columns.
    """
    owners = np.repeat(np.arange(len(rows)), [len(row) for row in rows])
    columns = np.fromiter((column for row in rows for column in row), np.intp)
    values = scale[owners]
    weights, mean, square = np.zeros(size + 1), np.zeros(size + 1), np.zeros(size + 1)
    steps = 200
    for step in range(1, steps + 1):
        logits = np.bincount(owners, values * weights[columns], len(rows)) + weights[-1]
        error = (1 / (1 + np.exp(-logits)) - right) * weight
        gradient = np.append(np.bincount(columns, values * error[owners], size), error.sum())
        gradient[:-1] += decay * weights[:-1]
        mean, square = 0.9 * mean + 0.1 * gradient, 0.99 * square + 0.01 * gradient**2
        rate = 0.3 * (1 - (step - 1) / steps)
        weights -= rate * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.99**step)) + 1e-8)
    return weights


def train_runs(laws: Iterable[Labelled]) -> dict[str, Any]:
    """What provisions of one language read like, as `model_from` reads it; runs that few provisions have left out."""
    provisions = [(law, urn) for law in laws for urn in law.runs]
    seen = Counter(run for law, urn in provisions for run in law.runs[urn])
    numbers = sorted(run for run, times in seen.items() if times >= SEEN)
    places = {number: place for place, number in enumerate(numbers)}
    steps, units, biases = list[NDArray[np.int64]](), list[int](), list[int]()
    for head in range(len(HEADS)):
        known = [(law, urn) for law, urn in provisions if law.heads[urn][head] is not None]
        right = np.array([bool(law.heads[urn][head]) for law, urn in known], float)
        partly = np.array([law.rules is not None for law, _ in known])
        weight = np.where(partly & (right == 0), PARTLY, 1.0)
        rows = [[places[run] for run in law.runs[urn] if run in places] for law, urn in known]
        scale = np.array([1 / max(1, len(row)) ** 0.5 for row in rows])
        weights = fit(rows, len(numbers), right, weight, DECAY_OF_RUNS, scale) * SCALE
        units.append(max(1, int(np.ceil(np.abs(weights[:-1]).max() / 127))))
        steps.append(np.rint(weights[:-1] / units[-1]).astype(np.int64))
        biases.append(int(np.rint(weights[-1])))
    packed = b"".join(pack(">I3b", number, *(int(of[place]) for of in steps)) for place, number in enumerate(numbers))
    return {"bias": biases, "unit": units, "weights": b64encode(packed).decode()}


def pairs_of(law: Labelled, stored: Mapping[str, Any]) -> Iterator[Pair]:
    """The pairs of a law that a model weighs."""
    for limit, rule, features in law.finder(stored).pairs(law.stated):
        named = (limit.node.urn, rule.node.urn)
        known = named in law.limits or (named not in law.unknown and (law.rules is None or named[1] in law.rules))
        stated = any((limit.node.urn, urn) in law.stated for urn in rule.chain)
        yield Pair(law.author, law.language, features, named in law.limits if known else None, stated)


def train_pairs(pairs: Sequence[Pair]) -> dict[str, int]:
    """The weights of what is said of a pair."""
    known = [pair for pair in pairs if pair.right is not None]
    names = sorted({feature for pair in known for feature in pair.features})
    places = {name: place for place, name in enumerate(names)}
    rows = [[places[feature] for feature in pair.features] for pair in known]
    right = np.array([bool(pair.right) for pair in known], float)
    ones = np.ones(len(known))
    weights = fit(rows, len(names), right, ones, DECAY_OF_PAIRS, ones) * SCALE
    return {name: int(np.rint(weights[place])) for name, place in (*places.items(), ("", -1))}


def score(pair: Pair, weights: Mapping[str, int]) -> int:
    """As `LimitModel.score`."""
    return weights[""] + sum(weights.get(feature, 0) for feature in pair.features)


def least_score(pairs: Iterable[Pair]) -> int:
    """The lowest score from which enough of the pairs that no words state are right."""
    found = sorted((-pair.score, bool(pair.right)) for pair in pairs if pair.right is not None and not pair.stated)
    best, right = 10 * SCALE, 0
    for number, (negative, one) in enumerate(found, 1):
        right += one
        if right >= RIGHT * number and number >= 10:
            best = -negative
    return best


def train(laws: Sequence[Labelled], out: Path) -> None:
    """Train on some laws, write the model and print what is found of each author left out."""
    blank = {"bias": [0] * len(HEADS), "unit": [1] * len(HEADS), "weights": ""}
    stored: dict[str, Any] = {"pair": {"": 0}, "least": 0, "runs": dict.fromkeys(LANGUAGES, blank)}
    for law in laws:
        finder = law.finder(stored)
        for node in law.index.document.nodes:
            if node.urn in law.heads and law.index.section(node) is not None:
                law.runs[node.urn] = sorted(finder.runs(node))
    authors = sorted({law.author for law in laws})
    pairs: list[Pair] = []
    for author in authors:
        others = [law for law in laws if law.author != author]
        own = [law for law in laws if law.author == author]
        kept = {
            language: train_runs([law for law in others if law.language == language])
            for language in sorted({law.language for law in own})
        }
        pairs += [pair for law in own for pair in pairs_of(law, {**stored, "runs": kept})]
    for author in authors:
        weights = train_pairs([pair for pair in pairs if pair.author != author])
        for pair in pairs:
            if pair.author == author:
                pair.score = score(pair, weights)
    stored["least"] = least_score(pairs)
    stored["pair"] = train_pairs(pairs)
    stored["runs"] = {language: train_runs([law for law in laws if law.language == language]) for language in LANGUAGES}
    out.write_text(json.dumps(stored, ensure_ascii=False, indent=0, sort_keys=True) + "\n", encoding="utf-8")
    print(f"{len(laws)} laws, {len(pairs)} pairs; least score {stored['least']}")
    for name, of in (
        *((author, [pair for pair in pairs if pair.author == author]) for author in authors),
        *((language, [pair for pair in pairs if pair.language == language]) for language in LANGUAGES),
        ("all", pairs),
    ):
        _print_found(name, of, [law for law in laws if name in (law.author, law.language, "all")], stored["least"])


def _print_found(name: str, pairs: Iterable[Pair], laws: Iterable[Labelled], least: int) -> None:
    """How many pairs that no words state are found, and how many of those found are right."""
    open_pairs = [pair for pair in pairs if pair.right is not None and not pair.stated]
    found = [bool(pair.right) for pair in open_pairs if pair.score >= least]
    missing = sum(
        not any((limit, unit.urn) in law.stated for unit in law.index.chain(law.index.tree.by_urn[rule]))
        for law in laws
        for limit, rule in law.limits
    )
    print(
        f"{name:10} limits not stated {missing:4}  looked at {sum(bool(pair.right) for pair in open_pairs):4}  "
        f"found {sum(found):4} ({sum(found) / max(1, missing):.3f})  "
        f"right {sum(found) / max(1, len(found)):.3f} of {len(found)}"
    )


def main(arguments: Sequence[str]) -> None:
    """Train and write a model."""
    parser = argparse.ArgumentParser(
        prog="python -m evals.limit_model", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path, required=True, metavar="FILE", help="where the model is written")
    parser.add_argument("--without", nargs="*", default=[], metavar="AUTHOR", help="whose laws are not learned from")
    options = parser.parse_args(arguments)
    train([law for law in read_laws() if law.author not in options.without], options.out)


if __name__ == "__main__":
    main(sys.argv[1:])
