"""Makes the file by which vectors of multilingual-e5-small are centred: what law and questions have in common.

    python -m evals.multilingual_centres --out FILE [--without NAME ...]

The store of the settings has to hold law in other languages than English; questions are those of `data/lay` in the same
languages. Each language counts alike. What is left out by its name, a file or a language, takes no part.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evals.question_adapter import DATA, write_safetensors
from rag import Engine
from rag.settings import load_settings
from retrieval.nodes import stored_jurisdictions
from retrieval.providers.multilingual_embedding import LANGUAGES, LAW, MODEL, QUESTION, MultilingualEmbedder
from retrieval.queries import QUERIES

Floats = NDArray[np.float32]
TEXTS = 2000  # of a language's law, evenly spread


def law_texts(engine: Engine) -> dict[str, list[str]]:
    """What is embedded of law in each language."""
    texts: dict[str, list[str]] = defaultdict(list)
    with engine.database.read() as conn:
        for jurisdiction in stored_jurisdictions(conn):
            values: dict[str, Any] = {
                "jurisdiction": jurisdiction, "document_id": None, "after": -1, "stale": False, "model": "",
                "languages": sorted(LANGUAGES), "limit": None,
            }  # fmt: skip
            for _, text, _, language in conn.execute(QUERIES["find_texts_to_embed"], values):
                texts[language].append(text)
    return {language: each[:: -(-len(each) // TEXTS)] for language, each in texts.items()}


def questions(without: set[str]) -> dict[str, list[str]]:
    """Questions of the sets by their language."""
    texts: dict[str, list[str]] = defaultdict(list)
    for file in sorted((DATA / "lay").glob("*.jsonl")):
        for line in file.read_text(encoding="utf-8").splitlines() if file.stem not in without else ():
            record = json.loads(line)
            texts[record["language"]].append(record["question"])
    return {language: each for language, each in texts.items() if language in LANGUAGES}


def main() -> None:
    """The command line above."""
    parser = argparse.ArgumentParser(prog="python -m evals.multilingual_centres", description=__doc__)
    parser.add_argument("--out", type=Path, required=True, metavar="FILE", help="where the centres are written")
    parser.add_argument(
        "--without", action="append", default=list[str](), metavar="NAME", help="a file or a language; may be repeated"
    )
    given = parser.parse_args()
    without, embedder = set[str](given.without), MultilingualEmbedder(centred=False)
    with Engine.open(load_settings()) as engine:
        law = law_texts(engine)
    asked = questions(without)
    vectors: dict[str, list[Floats]] = {LAW: [], QUESTION: []}
    for language in sorted((law.keys() & asked.keys()) - without):
        vectors[LAW].append(np.array(embedder.embed(law[language]).vectors, np.float32).mean(0))
        vectors[QUESTION].append(np.array([embedder.embed_query(each) for each in asked[language]], np.float32).mean(0))
    centres = {kind: np.mean(each, 0).astype(np.float16) for kind, each in vectors.items()}
    write_safetensors(given.out, centres, {"model": MODEL})


if __name__ == "__main__":
    main()
