"""What provisions may take from others that they do not name, by a learned model (`limits.json`).

"A blind person needs no ticket" limits the provision that asks for tickets, wherever that stands in the law. Nothing
says so for certain, so the link is `may_limit`. Two steps, both linear in the text and both in whole numbers:

1. A provision is read by its runs of one to three tokens: how much it reads like a limit of another provision, like a
   limit of the whole law, and like something that is limited at all (it asks, forbids or allows).
2. A provision that reads like a limit is paired with those of its section, and in a short law with those elsewhere that
   share most of its words; each pair is weighed by what `_features` says of it.

The weights are trained by `evals/limit_model.py`.
"""

from __future__ import annotations

import json
import re
from base64 import b64decode
from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from itertools import pairwise
from math import isqrt
from struct import iter_unpack
from typing import Any
from zlib import crc32

from rag.languages.base import Language
from rag.languages.sentences import sentences_of
from rag.languages.stems import WORD, families, telling_stems
from rag.law.jurisdiction import DocumentIndex
from rag.law.nodes import CONTAINER_TYPES, Link, ParsedNode, Tree
from rag.law.passages import Passage, after_number

_NUMBERS = (1 << 32) - 1  # a run of tokens is known by its number, up to this
HEADS = ("limit", "whole", "rule")  # what a provision is read for, see above
SCALE = 100  # of a score, in logits
_CLAUSE_END = re.compile(r"[.;:](?=\s|\Z)|[。；]|\n")
_FULL_STOPS = frozenset('.。!?)"”»')
_MASK = "§"  # what a citation's characters become: it has brackets and dots that end no words and no sentence
_TOKEN = re.compile(r"§+|\d+|[\u3040-\u30ff\u3400-\u9fff々]|[^\W\d_\u3040-\u30ff\u3400-\u9fff々]+")
_SECTIONS = 40  # of a short law; in a longer one as many of a unit say how rare a word is
_NEAREST, _LIKEST, _ELSEWHERE = 4, 10, 8  # provisions of the same section before it; like it there; like it elsewhere
_MOST = 3  # provisions that one provision is said to limit
_QUOTED = 120  # characters of the sentence that a link quotes
_CANDIDATE = -200  # least score of a provision that is looked at as a limit


@dataclass(frozen=True, slots=True)
class LimitModel:
    """The weights for one language. All are whole numbers, `SCALE` to the logit.

    Attributes:
        runs: for each run of tokens that was seen in training, by its number, its weight for each of `HEADS`.
        bias: what each of these starts from.
        pair: the weights of what is said of a pair; `""` is what all pairs start from.
        least: the score from which a pair is taken for a limit.
    """

    runs: Mapping[int, tuple[int, ...]]
    bias: tuple[int, ...]
    pair: Mapping[str, int]
    least: int

    def scores(self, runs: Iterable[int]) -> tuple[int, ...]:
        """How much a provision with these runs reads like each of `HEADS`."""
        known = [weights for run in runs if (weights := self.runs.get(run)) is not None]
        length = isqrt(SCALE * SCALE * len(known))
        totals = map(sum, zip(*known, strict=True)) if known else ()
        return (
            tuple(bias + SCALE * total // length for total, bias in zip(totals, self.bias, strict=True))
            if known
            else self.bias
        )

    def score(self, features: Iterable[str]) -> int:
        """How likely the first provision of a pair limits the second, as a logit."""
        return self.pair[""] + sum(self.pair.get(feature, 0) for feature in features)


@cache
def _stored() -> dict[str, Any]:
    stored: dict[str, Any] = json.loads(files("rag.ingest").joinpath("limits.json").read_text(encoding="utf-8"))
    return stored


@cache
def limit_model(language: str) -> LimitModel | None:
    """The model of a language; None where it was not trained."""
    return model_from(_stored(), language)


def model_from(stored: Mapping[str, Any], language: str) -> LimitModel | None:
    """The model of a language from what the trainer wrote."""
    runs: Mapping[str, Any] | None = stored["runs"].get(language)
    if runs is None:
        return None
    # Four bytes of a run's number, and a byte for each of its weights; `unit` is what one step of that stands for.
    table = {
        number: tuple(unit * step for unit, step in zip(runs["unit"], steps, strict=True))
        for number, *steps in iter_unpack(">I3b", b64decode(runs["weights"]))
    }
    return LimitModel(table, tuple(runs["bias"]), stored["pair"], stored["least"])


def clauses_of(text: str, language: str, start: int = 0) -> list[tuple[int, int]]:
    """Spans of a text from an offset on, cut behind its sentences, semicolons and colons, without these marks."""
    ends = {end for _, end in sentences_of(text, language)}
    stops = [stop for stop in _CLAUSE_END.finditer(text, start) if stop[0] != "." or stop.end() in ends]
    starts = [start, *(stop.end() for stop in stops)]
    return list(zip(starts, (*(stop.start() for stop in stops), len(text)), strict=True))


def token_runs(clauses: Iterable[str], heading: str) -> set[int]:
    """The numbers of the runs of one to three tokens of each clause of a text, and of the tokens of its heading."""
    found: set[int] = set()
    for clause in clauses:
        numbers = [_number(token) for token in _TOKEN.findall(clause.lower())]
        if not numbers:
            continue
        numbers = [1, *numbers, 2]
        found.update(number & _NUMBERS for number in numbers)
        found.update((31 * a + b) & _NUMBERS for a, b in pairwise(numbers))
        found.update(
            (961 * a + 31 * b + c) & _NUMBERS for a, b, c in zip(numbers, numbers[1:], numbers[2:], strict=False)
        )
    found.update((17 * _number(token) + 7) & _NUMBERS for token in _TOKEN.findall(heading.lower()))
    return found


@lru_cache(65536)
def _number(token: str) -> int:
    if token[0] == _MASK:
        return 5
    return 3 if token.isdigit() else crc32(token.encode())


@dataclass(frozen=True, slots=True)
class Provision:
    """A provision as limits are looked for.

    Attributes:
        place: its number in the document.
        section: what people cite it by.
        chain: URNs of itself and all that contains it.
        words, titles: families of the words of its text, and of its heading and its section's.
        cites: URNs of the provisions that its text cites, without its section.
        scores: see `LimitModel.scores`; empty where it says what words mean.
    """

    node: ParsedNode
    place: int
    section: ParsedNode
    chain: frozenset[str]
    words: frozenset[str]
    titles: frozenset[str]
    cites: frozenset[str]
    scores: tuple[int, ...]


class _Scope:
    """The provisions among which one is compared, in document order, and how much each of their words tells."""

    def __init__(self, sections: Iterable[list[Provision]]) -> None:
        self.provisions: list[Provision] = []
        self.first: dict[str, int] = {}  # the number of the first provision of each section, by the section's URN
        for provisions in sections:
            self.first[provisions[0].section.urn] = len(self.provisions)
            self.provisions += provisions
        self.having: dict[str, list[int]] = {}  # their numbers by words
        for number, provision in enumerate(self.provisions):
            for word in provision.words:
                self.having.setdefault(word, []).append(number)
        # Four times the binary logarithm of how rare a word is.
        rarity = (len(self.provisions) + 1) ** 4
        self.weights = {word: (rarity // len(having) ** 4).bit_length() for word, having in self.having.items()}

    def weight(self, words: Iterable[str]) -> int:
        """How much some words tell together."""
        return sum(map(self.weights.__getitem__, words))

    def shares(self, provision: Provision) -> Counter[int]:
        """How much the words tell that each of the provisions has in common with one."""
        found: Counter[int] = Counter()
        for word in provision.words:
            weight = self.weights[word]
            for number in self.having[word]:
                found[number] += weight
        return found


def sentence_node(node: ParsedNode, tree: Tree) -> ParsedNode:
    """The node that begins the sentence which a node is an item of; the node itself where it is none."""
    parent = tree.parent(node)
    return sentence_node(parent, tree) if parent is not None and _is_open(parent) else node


def _is_open(node: ParsedNode) -> bool:
    """Whether the words of a provision before its parts go on in these."""
    words = node.intro_text.rstrip()
    return bool(words) and node.structure_type not in CONTAINER_TYPES and words[-1] not in _FULL_STOPS


class LimitFinder:
    """Finds what the provisions of one document may take from others without naming them."""

    def __init__(
        self,
        index: DocumentIndex,
        language: Language,
        model: LimitModel,
        passages: Mapping[str, Passage],
        defining: Collection[str],
    ) -> None:
        """`passages` by URN; `defining`: URNs of nodes that say what words mean, which limit nothing and are not
        limited."""
        self._index, self._language, self._model = index, language, model
        self._passages, self._defining = passages, defining
        self._known_words: dict[str, frozenset[str]] = {}
        self._sections: dict[str, list[Provision]] = {}  # by URN, in document order
        for place, node in enumerate(index.document.nodes):
            section = index.section(node)
            told = section is not None and node.text and node.kind not in ("decision", "notice")
            if section is not None and told and sentence_node(node, index.tree) is node:
                self._sections.setdefault(section.urn, []).append(self._read(node, place, section))
        beside: dict[str | None, list[str]] = {}
        self._short = short = len(self._sections) <= _SECTIONS
        for urn, provisions in self._sections.items():
            beside.setdefault(None if short else provisions[0].section.parent_urn, []).append(urn)
        self._scopes: dict[str, _Scope] = {}  # by sections
        for urns in beside.values():
            for start in range(0, len(urns), _SECTIONS):
                part = urns[start : start + _SECTIONS]
                scope = _Scope(self._sections[urn] for urn in part)
                self._scopes.update(dict.fromkeys(part, scope))

    def links(self, known: Collection[tuple[str, str]]) -> Iterator[Link]:
        """Links `may_limit`, in document order; none beside an exception to the same provision or what contains it.

        Args:
            known: source and target of the exceptions that the document's words state.
        """
        found: dict[str, list[tuple[int, Provision, Provision]]] = {}
        for limit, rule, features in self.pairs(known):
            score = self._model.score(features)
            if score >= self._model.least and not any((limit.node.urn, urn) in known for urn in rule.chain):
                found.setdefault(limit.node.urn, []).append((-score, limit, rule))
        for likely in found.values():
            likely.sort(key=lambda pair: (pair[0], pair[2].place))
            for _, limit, rule in likely[:_MOST]:
                yield self._link(limit.node, rule.node)

    def pairs(self, known: Collection[tuple[str, str]]) -> Iterator[tuple[Provision, Provision, list[str]]]:
        """Each provision that reads like a limit, one that it may limit, and what is said of the two."""
        stated: dict[str, set[str]] = {}
        for source, target in known:
            stated.setdefault(source, set()).add(target)
        for urn, provisions in self._sections.items():
            for limit in provisions:
                if limit.scores and limit.scores[0] >= _CANDIDATE:
                    yield from self._pairs(limit, self._scopes[urn], stated.get(limit.node.urn, set[str]()))

    def runs(self, node: ParsedNode) -> set[int]:
        """What a provision is read by, see `token_runs`."""
        masked = _masked(self._passages[node.urn])
        clauses = clauses_of(masked, self._language.code)
        return token_runs((masked[start:end] for start, end in clauses), self._titles(node))

    def _read(self, node: ParsedNode, place: int, section: ParsedNode) -> Provision:
        passage = self._passages[node.urn]
        cites = {
            cited.urn
            for citation in passage.citations
            if (cited := self._index.node(citation.urn)) is not None and self._index.section(cited) is not None
        }
        return Provision(
            node, place, section,
            frozenset(unit.urn for unit in self._index.chain(node)),
            self._families(self._sentence(node)),
            self._families(self._titles(node)),
            frozenset(cites - {section.urn}),
            () if node.urn in self._defining else self._model.scores(self.runs(node)),
        )  # fmt: skip

    def _titles(self, node: ParsedNode) -> str:
        section = self._index.section(node)
        return node.heading if section is None or section is node else f"{node.heading} {section.heading}"

    def _sentence(self, node: ParsedNode) -> str:
        """The words of a provision and of the items that its sentence goes on in, without what they cite."""
        items = self._index.tree.children(node.urn) if _is_open(node) else []
        return " ".join((_masked(self._passages[node.urn]).replace(_MASK, " "), *map(self._sentence, items)))

    def _families(self, text: str) -> frozenset[str]:
        known, found = self._known_words, set[str]()
        for word in set(WORD.findall(text.lower())):
            if (shared := known.get(word)) is None:
                shared = families(telling_stems(word, self._language), self._language)
                known[word] = shared = frozenset(word for word in shared if len(word) > 1 and not word.isdigit())
            found |= shared
        return frozenset(found)

    def _pairs(
        self, limit: Provision, scope: _Scope, stated: set[str]
    ) -> Iterator[tuple[Provision, Provision, list[str]]]:
        """A limit with the provisions before it in its section, those like it there, and those like it elsewhere."""
        shares = scope.shares(limit)
        first = scope.first[limit.section.urn]
        here = range(first, first + len(self._sections[limit.section.urn]))

        def may_be_limited(number: int) -> bool:
            rule = scope.provisions[number]
            return bool(rule.scores) and rule.node.urn not in limit.chain and limit.node.urn not in rule.chain

        beside = [number for number in here if may_be_limited(number)]
        others = shares if self._short else ()
        elsewhere = [number for number in others if number not in here and may_be_limited(number)]
        likest = sorted((*beside, *elsewhere), key=lambda number: (-shares[number], number))
        ranks = {number: rank for rank, number in enumerate(likest)}
        near = [number for number in likest if number in here]
        far = [number for number in likest if number not in here]
        before = [number for number in beside if scope.provisions[number].place < limit.place]
        for number in sorted({*near[:_LIKEST], *before[-_NEAREST:], *far[:_ELSEWHERE]}):
            rule = scope.provisions[number]
            common = scope.weight(limit.words & rule.words)
            said = _features(limit, rule, stated)
            said += _of_likeness(common, scope.weight(limit.words), scope.weight(rule.words))
            rank = min(4, ranks[number])
            where = _where(limit, rule)
            side = "before" if rule.place < limit.place else "after"
            said += [
                f"rank {rank}", f"rank {rank} {number in here}", f"common {where} {_bucket(common, (6, 12, 24, 40))}",
                f"common {side} {_bucket(common, (6, 12, 24))}",
            ]  # fmt: skip
            if number in here:
                said += [f"rank beside {min(3, near.index(number))}", f"beside {min(3, len(beside))}"]
                said += [f"first {number == beside[0]}"]
            else:
                said.append(f"nothing beside {not beside}")
            yield limit, rule, said

    def _link(self, limit: ParsedNode, rule: ParsedNode) -> Link:
        """A link that quotes the sentence of the limit which reads most like one."""
        text, masked = self._passages[limit.urn].text, _masked(self._passages[limit.urn])
        sentences: list[tuple[int, int, int]] = []
        for at, end in clauses_of(masked, self._language.code, after_number(text)):
            if words := text[at:end].lstrip():
                likely = self._model.scores(token_runs([masked[at:end]], ""))[0]
                sentences.append((-likely, end - len(words), end))
        _, start, end = min(sentences, default=(0, 0, len(text)))
        cut = "…" if end - start > _QUOTED else ""
        if cut:
            end = text.rfind(" ", start + _QUOTED // 2, start + _QUOTED) if " " in text[start : start + _QUOTED] else -1
            end = end if end > start else start + _QUOTED
        place = {"start": str(start), "end": str(end)}
        said = {"phrase": text[start:end], "phrase_start": place["start"], "phrase_end": place["end"]}
        return Link(limit.urn, "may_limit", f"{text[start:end]}{cut}", rule.urn, {**place, **said})


def _where(limit: Provision, rule: Provision) -> str:
    """Where a rule stands as seen from a limit: in its section, in the same unit, or elsewhere."""
    if rule.section is limit.section:
        return "section"
    return "unit" if rule.section.parent_urn == limit.section.parent_urn else "law"


def _bucket(value: int, bounds: Sequence[int]) -> int:
    return bisect_right(bounds, value)


def _features(limit: Provision, rule: Provision, stated: set[str]) -> list[str]:
    """What a pair is weighed by, without how much the words of the two have in common.

    Args:
        stated: URNs of what the limit's words are said to except.
    """
    where = _where(limit, rule)
    distance = f"distance {max(-4, min(6, limit.place - rule.place))}"
    likely, whole, asks = limit.scores
    cited = "nothing" if not limit.cites else "the rule" if limit.cites & rule.chain else "another"
    excepted = "nothing" if not stated else "the rule" if stated & rule.chain else "another"
    return [
        where, distance, f"{distance} {where == 'section'}",
        f"limit {_bucket(likely, (-200, -100, -50, 0, 50, 100, 200))}",
        f"limit {where} {_bucket(likely, (-100, 0, 100))}",
        f"whole {_bucket(whole, (-500, -400, -300, -200))}", f"limit asks {_bucket(asks, (-100, 100, 200))}",
        f"rule {_bucket(rule.scores[2], (-200, -100, 0, 100, 200, 300))}",
        f"rule limits {_bucket(rule.scores[0], (-200, -100, 0, 100, 200))}",
        f"titles {min(2, len(limit.titles & rule.titles))}", f"rule has title {min(2, len(limit.titles & rule.words))}",
        f"limit has title {min(2, len(limit.words & rule.titles))}",
        f"rule is section {rule.node is rule.section}", f"limit is section {limit.node is limit.section}",
        f"cites {cited}", f"excepts {excepted}",
    ]  # fmt: skip


def _of_likeness(common: int, limit: int, rule: int) -> list[str]:
    """How much the words tell that a limit and a rule have in common, by itself and of all that they have."""
    shares = (5, 10, 20, 30, 50)
    return [
        f"common {_bucket(common, (3, 6, 12, 17, 29, 46))}",
        f"of limit {_bucket(100 * common // max(1, limit), shares)}",
        f"of rule {_bucket(100 * common // max(1, rule), shares)}",
    ]


def _masked(passage: Passage) -> str:
    """A passage's text with `_MASK` for each character of its citations."""
    text, parts, at = passage.text, list[str](), 0
    for citation in sorted(passage.citations, key=lambda citation: citation.whole_start):
        if citation.whole_end > at:
            start = max(at, citation.whole_start)
            parts += (text[at:start], _MASK * (citation.whole_end - start))
            at = citation.whole_end
    return "".join((*parts, text[at:]))
