"""Trains the adapter of questions: `retrieval/providers/question_adapter.safetensors`.

    python -m evals.question_adapter --out FILE [--without NAME ...] [--spare FILE]

The store of the settings has to hold the law that the questions are about, with vectors of the packaged encoder; torch
has to be installed, which nothing else needs. The model's weights stay as they are: for three matrices of the attention
of each of the last three layers two thin ones are trained (LoRA), so that of all sections of a law those that
answer it come first. A section is scored as the product scores it without words: by its nearest node and by the mean of
its nodes. It is trained anew from several seeds, and what each adds to a matrix is averaged.

Questions: `data/lay`, `data/colloquial.jsonl` and `data/adapter`, those in English with a provision in the store. What
is left out by its name (a file, a split of `data/colloquial.jsonl`, a jurisdiction, `adapter` for its folder) is asked
before and after, by vectors alone. A question that a provision of the file of `--spare` answers (a URN a line) is
neither trained on nor asked.
"""

from __future__ import annotations

import argparse
import importlib
import json
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from evals.suites.retrieval.asking import same_provision
from rag import Engine, clock
from rag.languages.registry import language_told
from rag.settings import load_settings
from rag.store.database import Connection
from retrieval.entry_points.fusion import SECTION
from retrieval.entry_points.sources import search_filters, stored_sources
from retrieval.errors import InputError
from retrieval.providers.packaged_embedding import FILES, PLAIN, PackagedEmbedder
from retrieval.providers.packages import PACKAGE, package_folder
from retrieval.providers.running import MAX_TOKENS
from retrieval.providers.sentence_encoder import read_safetensors

DATA = Path(__file__).parent / "data"
RANK, EPOCHS, BATCH, RATE, DECAY, DROPOUT = 16, 6, 32, 2e-3, 0.01, 0.2
SHARPNESS = 25.0  # of the softmax over similarities
BESIDE = 0.5  # of the model's own vector, in training; questions are asked with a little more of it (0057)
ADAPTED = ("attention.self.query", "attention.self.value", "attention.output.dense")
LAYERS, HEADS, HIDDEN, EPSILON = 6, 12, 384, 1e-12
FIRST = 3  # the layers below it are as they were
_NODES = """select n.jurisdiction, n.node_id, n.ancestor_ids, n.rule_id, n.urn,
    n.structure_type in ('SECTION', 'ARTICLE', 'APPENDIX') and n.kind <> 'section' as cited, e.embedding::text
from legal_nodes n left join node_embeddings e on e.jurisdiction = n.jurisdiction and e.node_version_id = n.id
where n.language = 'en' and n.validity @> %s::date order by n.jurisdiction, n.id"""
Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Asked:
    """A question: the set and jurisdiction that it is left out by, its law, and the provisions that answer it."""

    text: str
    names: frozenset[str]
    jurisdictions: tuple[str, ...]
    gold: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Law:
    """The sections of the store: jurisdiction, URN, vectors of the nodes, and their mean scaled to length one."""

    jurisdictions: NDArray[np.str_]
    urns: list[str]
    nodes: list[Floats]
    means: Floats


@dataclass(frozen=True, slots=True)
class Searched:
    """The law of some jurisdictions in torch: sections, by their numbers in `Law`, and which of them holds a node."""

    sections: NDArray[np.intp]
    nodes: Any  # (nodes, HIDDEN)
    halves: Any  # the same in half the precision
    holders: Any  # (nodes,)
    means: Any  # (sections, HIDDEN)


@dataclass(frozen=True, slots=True)
class Task:
    """What a question is trained on: its law, and the places of the sections that answer it."""

    asked: Asked
    plain: Floats  # (HIDDEN,)
    law: Searched
    answers: NDArray[np.intp]


def read_questions(conn: Connection) -> list[Asked]:
    """All questions of the sets, each with its law; those about law that the store does not have are left out."""
    sources = stored_sources(conn)
    folders = [sorted((DATA / folder).glob("*.jsonl")) for folder in ("lay", "adapter")]
    out: list[Asked] = []
    for file in (*folders[0], DATA / "colloquial.jsonl", *folders[1]):
        name = "adapter" if file.parent.name == "adapter" else file.stem
        for line in file.read_text(encoding="utf-8").splitlines():
            record = cast("dict[str, Any]", json.loads(line))
            text, where = str(record["question"]), str(record["jurisdiction"])
            if record.get("law_language", record["language"]) != "en" or not record["gold"]:
                continue
            try:
                told = partial(language_told, text)
                filters, _ = search_filters(sources, where, "en", clock.today(), told)
            except InputError:
                continue
            names = frozenset([str(record.get("split", name)), file.stem, where])
            out.append(Asked(text, names, filters.jurisdictions, tuple(map(str, record["gold"]))))
    return out


def read_law(conn: Connection) -> Law:
    """Every section in English with vectors, in force today."""
    rows = conn.execute(_NODES, (clock.today(),)).fetchall()
    cited = {row[1]: row[4] for row in rows if row[5]}
    urns = {row[1]: row[4] for row in rows}
    found: dict[tuple[str, int], list[Floats]] = defaultdict(list)
    for code, _, line, rule, _, _, vector in rows:
        if vector is not None:
            section = next((node for node in reversed(line) if node in cited), rule)
            found[code, section].append(np.array(json.loads(vector), np.float32))
    nodes = [np.stack(each) for each in found.values()]
    means = np.stack([each.mean(0) for each in nodes])
    means /= np.linalg.norm(means, axis=1, keepdims=True)
    codes = np.array([code for code, _ in found])
    return Law(codes, [urns[section] for _, section in found], nodes, means)


def searched(torch: Any, law: Law, jurisdictions: Sequence[str]) -> Searched:
    """The sections of some jurisdictions."""
    sections = np.flatnonzero(np.isin(law.jurisdictions, jurisdictions))
    parts = [law.nodes[section] for section in sections]
    holders = np.repeat(np.arange(len(parts)), [len(each) for each in parts])
    nodes = torch.from_numpy(np.concatenate(parts))
    means = torch.from_numpy(law.means[sections])
    return Searched(sections, nodes, nodes.bfloat16(), torch.from_numpy(holders), means)


def tasks_of(torch: Any, law: Law, questions: Sequence[Asked]) -> list[Task]:
    """The questions that a section of their law answers, each with that law."""
    encoder = PackagedEmbedder()
    laws = {named: searched(torch, law, named) for named in {question.jurisdictions for question in questions}}
    golden = {urn for question in questions for urn in question.gold}
    holders = {gold: [i for i, urn in enumerate(law.urns) if same_provision(gold, urn)] for gold in golden}
    out: list[Task] = []
    for question in questions:
        own = laws[question.jurisdictions]
        answers = np.flatnonzero(np.isin(own.sections, [i for gold in question.gold for i in holders[gold]]))
        if len(answers):
            plain = np.array(encoder.embed([question.text]).vectors[0], np.float32)
            out.append(Task(question, plain, own, answers))
    return out


class Encoder:
    """The model in torch, with its adapter; `adapter` maps `NAME.down` and `NAME.up` to parameters."""

    def __init__(self, torch: Any, file: Path) -> None:
        self.torch, self.functional = torch, torch.nn.functional
        self.weights = {name: torch.from_numpy(np.array(one)) for name, one in read_safetensors(file).items()}
        self.halves = {name: one.bfloat16() for name, one in self.weights.items() if name.startswith("encoder.")}
        self.adapter: dict[str, Any] = {}

    def start(self, seed: int) -> None:
        """A new adapter, which changes nothing yet."""
        torch = self.torch
        torch.manual_seed(seed)
        for name in (f"encoder.layer.{layer}.{part}" for layer in range(FIRST, LAYERS) for part in ADAPTED):
            self.adapter[f"{name}.down"] = (torch.randn(RANK, HIDDEN) / HIDDEN**0.5).requires_grad_()
            self.adapter[f"{name}.up"] = torch.zeros(HIDDEN, RANK, requires_grad=True)

    def below(self, texts: Sequence[Sequence[int]]) -> list[Any]:
        """What the adapted layers read of texts given as tokens, each (its tokens, HIDDEN); texts of similar length
        together.
        """
        weights, at = self.weights, "embeddings"
        by_length: list[int] = sorted(range(len(texts)), key=lambda i: len(texts[i]))
        out: dict[int, Any] = {}
        for start in range(0, len(texts), BATCH):
            chosen = by_length[start : start + BATCH]
            tokens = [self.torch.tensor([*texts[i]]) for i in chosen]
            padded = self.torch.nn.utils.rnn.pad_sequence(tokens, batch_first=True)
            mask = self._mask(tokens)
            with self.torch.no_grad():
                x = weights[f"{at}.word_embeddings.weight"][padded]
                x = x + weights[f"{at}.position_embeddings.weight"][: padded.shape[1]]
                x = self._normal(x + weights[f"{at}.token_type_embeddings.weight"][0], f"{at}.LayerNorm")
                for layer in range(FIRST):
                    x = self._layer(x, mask, layer, 0.0)
            out.update({i: x[row, : len(texts[i])].clone() for row, i in enumerate(chosen)})
        return [out[i] for i in range(len(texts))]

    def vectors(self, texts: Sequence[Any], dropout: float = 0.0) -> Any:
        """The adapted model's vectors of texts, each as `below` gives it: (texts, HIDDEN), of length one."""
        mask = self._mask(texts)
        x = self.torch.nn.utils.rnn.pad_sequence(list(texts), batch_first=True)
        for layer in range(FIRST, LAYERS):
            x = self._layer(x, mask, layer, dropout)
        return self.functional.normalize((x * mask[:, :, None]).sum(1) / mask.sum(1)[:, None], dim=1)

    def _mask(self, texts: Sequence[Any]) -> Any:
        lengths = self.torch.tensor([len(text) for text in texts])
        return self.torch.arange(int(lengths.max())) < lengths[:, None]

    def _layer(self, x: Any, mask: Any, layer: int, dropout: float) -> Any:
        """One layer's output of the output of the one below it, both (texts, tokens, HIDDEN)."""
        at, shape = f"encoder.layer.{layer}", (*x.shape[:2], HEADS, HIDDEN // HEADS)
        query, key, value = (
            self._linear(x, f"{at}.attention.self.{name}", dropout).view(shape).transpose(1, 2)
            for name in ("query", "key", "value")
        )
        found = self.functional.scaled_dot_product_attention(query, key, value, attn_mask=mask[:, None, None, :])
        attended = self._linear(found.transpose(1, 2).reshape(x.shape), f"{at}.attention.output.dense", dropout)
        x = self._normal(x + attended, f"{at}.attention.output.LayerNorm")
        inner = self.functional.gelu(self._linear(x, f"{at}.intermediate.dense", dropout))
        return self._normal(x + self._linear(inner, f"{at}.output.dense", dropout), f"{at}.output.LayerNorm")

    def _linear(self, x: Any, name: str, dropout: float) -> Any:
        # In half the precision it takes half as long; the product rounds these matrices further.
        out = self.functional.linear(x.bfloat16(), self.halves[f"{name}.weight"]).float() + self.weights[f"{name}.bias"]
        if f"{name}.up" not in self.adapter:
            return out
        thin = self.functional.linear(self.functional.dropout(x, dropout), self.adapter[f"{name}.down"])
        return out + self.functional.linear(thin, self.adapter[f"{name}.up"])

    def _normal(self, x: Any, name: str) -> Any:
        return self.functional.layer_norm(
            x, (HIDDEN,), self.weights[f"{name}.weight"], self.weights[f"{name}.bias"], EPSILON
        )


def train(encoder: Encoder, tasks: Sequence[Task], read: Sequence[Any], seed: int) -> None:
    """Train the adapter on questions as `Encoder.below` gives them, texts of similar length together."""
    torch, chance = encoder.torch, np.random.default_rng(seed)
    optimiser = torch.optim.AdamW(encoder.adapter.values(), lr=RATE, weight_decay=DECAY)
    steps, step = EPOCHS * -(-len(tasks) // BATCH), 0
    for epoch in range(EPOCHS):
        by_length: list[int] = np.argsort([len(each) + chance.normal() * 8 for each in read]).tolist()
        batches = [by_length[start : start + BATCH] for start in range(0, len(tasks), BATCH)]
        losses: list[float] = []
        order: list[int] = chance.permutation(len(batches)).tolist()
        for chosen in order:
            step += 1
            for group in optimiser.param_groups:
                group["lr"] = RATE * min(1.0, 10 * step / steps) * max(0.02, 1 - step / steps)
            batch = [tasks[i] for i in batches[chosen]]
            own = encoder.vectors([read[i] for i in batches[chosen]], DROPOUT)
            plain = torch.from_numpy(np.stack([task.plain for task in batch]))
            asked = encoder.functional.normalize(own + BESIDE * plain, dim=1)
            loss = _loss(torch, batch, asked)
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            losses.append(loss.item())
        print(f"epoch {epoch + 1}: loss {np.mean(losses):.3f}", file=sys.stderr)


def _scores(law: Searched, nodes: Any, vectors: Any) -> Any:
    """How the product weighs each section's nearest node and its mean for some questions: (sections, questions).

    Args:
        law: what is searched.
        nodes: its nodes in the precision that they are compared in.
        vectors: of the questions: (questions, HIDDEN).
    """
    similarities = (nodes @ vectors.T.to(nodes.dtype)).float()
    empty, holders = vectors.new_zeros(len(law.sections), len(vectors)), law.holders[:, None].expand(similarities.shape)
    nearest = empty.scatter_reduce(0, holders, similarities, "amax", include_self=False)
    return (1 - SECTION) * nearest + SECTION * (law.means @ vectors.T)


def _loss(torch: Any, tasks: Sequence[Task], vectors: Any) -> Any:
    """How unlikely the sections that answer are, by a softmax over the scores of all sections of the law; the mean."""
    total = 0.0
    for law in {id(task.law): task.law for task in tasks}.values():
        own = [place for place, task in enumerate(tasks) if task.law is law]
        scores = SHARPNESS * _scores(law, law.halves, vectors[own])
        answering = [torch.logsumexp(scores[tasks[place].answers, i], 0) for i, place in enumerate(own)]
        total = total + (torch.logsumexp(scores, 0) - torch.stack(answering)).sum()
    return total / len(tasks)


def averaged(adapters: Sequence[Mapping[str, Floats]]) -> dict[str, Floats]:
    """One adapter that adds to each matrix the mean of what several add; its rank is the sum of theirs."""
    out: dict[str, Floats] = {}
    for name in adapters[0]:
        parts = [adapter[name] for adapter in adapters]
        down = name.endswith(".down")
        out[name] = np.concatenate(parts, 0) if down else np.concatenate(parts, 1) * np.float32(1 / len(parts))
    return out


def _ask(law: Law, tasks: Sequence[Task], vectors: Any) -> str:
    """R@1, R@3 and R@10 of questions by vectors alone, each section once; any of several provisions counts."""
    places: list[int] = []
    for task, vector in zip(tasks, vectors, strict=True):
        scores = _scores(task.law, task.law.nodes, vector[None])[:, 0].numpy()
        first: list[int] = task.law.sections[np.argsort(-scores, kind="stable")[:10]].tolist()
        hits = [any(same_provision(gold, law.urns[number]) for gold in task.asked.gold) for number in first]
        places.append(hits.index(True) if any(hits) else 10)
    return " ".join(f"{np.mean([place < depth for place in places]):.3f}" for depth in (1, 3, 10))


def write_safetensors(file: Path, tensors: dict[str, NDArray[np.float16]], about: dict[str, str]) -> None:
    """Write matrices in half precision, with a description."""
    header: dict[str, Any] = {"__metadata__": about}
    offset = 0
    for name, one in tensors.items():
        header[name] = {"dtype": "F16", "shape": list(one.shape), "data_offsets": [offset, offset + one.nbytes]}
        offset += one.nbytes
    head = json.dumps(header).encode()
    head += b" " * (-len(head) % 8)
    with file.open("wb") as out:
        out.write(len(head).to_bytes(8, "little") + head)
        for one in tensors.values():
            out.write(one.tobytes())


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="python -m evals.question_adapter", description=__doc__)
    parser.add_argument("--out", type=Path, metavar="FILE", help="where the adapter is written; else it is only tried")
    parser.add_argument(
        "--without", action="append", default=[], metavar="NAME", help="what is not trained on; may be repeated"
    )
    parser.add_argument("--spare", type=Path, metavar="FILE", help="provisions whose questions are left aside")
    parser.add_argument("--seeds", type=int, default=3, metavar="N", help="trainings that are averaged (%(default)s)")
    given = parser.parse_args()
    torch: Any = importlib.import_module("torch")
    with Engine.open(load_settings(traces="off")) as engine, engine.database.read() as conn:
        questions, law = read_questions(conn), read_law(conn)
    spared: list[str] = given.spare.read_text(encoding="utf-8").split() if given.spare else []
    kept = [each for each in questions if not any(same_provision(gold, urn) for gold in each.gold for urn in spared)]
    print(f"{len(questions) - len(kept)} questions spared", file=sys.stderr)
    tasks = tasks_of(torch, law, kept)
    used = [task for task in tasks if task.asked.names.isdisjoint(given.without)]
    held = [task for task in tasks if not task.asked.names.isdisjoint(given.without)]
    print(f"{len(used)} questions to train on, {len(held)} left out, {len(law.urns)} sections", file=sys.stderr)
    tokenizer: Any = importlib.import_module("tokenizers").Tokenizer.from_file(
        str(package_folder(PACKAGE) / "model" / "tokenizer.json")
    )
    tokenizer.no_padding()
    tokenizer.enable_truncation(MAX_TOKENS)

    encoder = Encoder(torch, package_folder(PACKAGE) / "model" / "model.safetensors")

    def read(tasks: Sequence[Task]) -> list[Any]:
        return encoder.below([tokenizer.encode(task.asked.text).ids for task in tasks])

    trained: list[dict[str, Floats]] = []
    below = read(used)
    for seed in range(given.seeds):
        encoder.start(seed)
        train(encoder, used, below, seed)
        trained.append({name: one.detach().numpy() for name, one in encoder.adapter.items()})
    adapter = averaged(trained)
    if held:
        encoder.adapter = {name: torch.from_numpy(one) for name, one in adapter.items()}
        plain = torch.from_numpy(np.stack([task.plain for task in held]))
        with torch.no_grad():
            own = torch.cat([encoder.vectors([text]) for text in read(held)])
        print(f"left out, by the model alone:     {_ask(law, held, plain)}")
        joined = encoder.functional.normalize(own + PLAIN * plain, dim=1)
        print(f"left out, with the adapter:       {_ask(law, held, joined)}")
    if given.out:
        about = {
            "license": "MIT", "model": f"all-MiniLM-L6-v2, SHA-256 {FILES['model.safetensors']}",
            "trained on": f"{len(used)} questions of evals/data/lay, colloquial.jsonl and adapter, {given.seeds} seeds",
        }  # fmt: skip
        write_safetensors(given.out, {name: one.astype(np.float16) for name, one in adapter.items()}, about)


if __name__ == "__main__":
    main()
