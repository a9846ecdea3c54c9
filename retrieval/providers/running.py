"""What the encoders that come in packages have in common: texts side by side, one a call of onnxruntime."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, cast

from retrieval.providers.embedding import EmbeddingBatch, Progress, model_vectors

PROVIDER = "packaged"
MAX_TOKENS = 256
THREADS = 2
_TURN = 64  # texts between two calls of `progress`

Encoded = tuple[list[float], bool]  # a text's vector, and whether the text was longer than the model reads
Encode = Callable[[str], Encoded]


def encode_one(encode: Encode, dimensions: int, text: str) -> Encoded:
    """What a model makes of a text; raises ProviderError where it fails."""
    cut = False

    def vectors() -> list[list[float]]:
        nonlocal cut
        vector, cut = encode(text)
        return [vector]

    return model_vectors(PROVIDER, dimensions, 1, vectors)[0], cut


def encode_all(encode: Encode, dimensions: int, texts: Sequence[str], progress: Progress | None) -> EmbeddingBatch:
    """The same of several texts; each vector depends on its own text alone."""
    vectors: list[list[float]] = []
    shortened = 0
    # onnxruntime lets go of the interpreter's lock while it computes.
    with ThreadPoolExecutor(THREADS, "lexscope-encoder") as threads:
        for start in range(0, len(texts), _TURN):
            turn = texts[start : start + _TURN]
            for vector, cut in threads.map(partial(encode_one, encode, dimensions), turn):
                vectors.append(vector)
                shortened += cut
            if progress is not None:
                progress(len(turn))
    return EmbeddingBatch(vectors, shortened)


def session_of(weights: Mapping[str, Any], *, heads: int, epsilon: float) -> Callable[[Any], list[float]]:
    """What makes a vector of a text's embedded tokens, (1, tokens, hidden); see `sentence_encoder.encoder_graph`.

    Raises:
        ImportError: onnxruntime, or numpy, which comes with it, is not installed.
    """
    runtime: Any = importlib.import_module("onnxruntime")
    from retrieval.providers import sentence_encoder as graph

    options = runtime.SessionOptions()
    options.intra_op_num_threads = 1  # texts are encoded side by side, not in parts
    options.log_severity_level = 3
    made = graph.encoder_graph(weights, heads=heads, epsilon=epsilon)
    session = runtime.InferenceSession(made, options, providers=["CPUExecutionProvider"])

    def vector(embedded: Any) -> list[float]:
        return cast("list[float]", session.run([graph.OUTPUT], {graph.INPUT: embedded})[0][0].tolist())

    return vector
