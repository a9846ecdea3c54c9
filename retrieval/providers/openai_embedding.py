"""Vectors by OpenAI's embeddings API, or a compatible one.

No tokenizer runs here: the number of tokens is estimated on the safe side, and where a provider still refuses, the
certain bound holds that no byte-level encoding makes more tokens than bytes.
"""

from __future__ import annotations

import array
import base64
import binascii
import math
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, cast

from retrieval.errors import ConfigurationError, ProviderRejected
from retrieval.providers.embedding import (
    EmbeddingBatch,
    Progress,
    beginning,
    certain_beginning,
    check_texts,
    estimated_tokens,
)
from retrieval.providers.openai import (
    DEFAULT_BASE_URL,
    OpenAIEndpoint,
    Reply,
    check_text,
    clean_request_id,
    is_invalid_request,
    read_object,
    reported_error,
    unusable,
)
from retrieval.strict_json import member

if TYPE_CHECKING:
    from openai import OpenAI

# Documented limits of OpenAI's embeddings API.
MAX_INPUTS = 2048
MAX_INPUT_TOKENS = 8192
# Below the limit of a request, 300,000: estimates err, and a request over it is refused as a whole.
_REQUEST_TOKENS = 200_000
# A float as JSON text takes up to 26 bytes; compatible servers may ignore the request for base64.
_BYTES_PER_NUMBER = 32
_BYTES_PER_ITEM = 512
_BYTES_PER_REPLY = 65_536

# Any one character fits.
_LEAST_INPUT_TOKENS = 4


class OpenAIEmbedder:
    """A model behind OpenAI's embeddings API or a compatible one. Holds no connection; safe to share by threads.

    Args:
        api_key: sent as a bearer token; never part of a message or a repr.
        model: its name. The text-embedding-3 family is asked for `dimensions`; others give what they have.
        dimensions: the length of every vector; a reply with another is rejected.
        base_url: up to and including `/v1`; None is OpenAI's own.
        deadline_seconds: for each request, its retry included.
        query_seconds: the same for the one request that a question waits for.
        max_inputs: texts in one request, 1 to 2,048.
        max_input_tokens: tokens of one text; a longer one is embedded by its beginning and counted as shortened.
        connect_seconds: the most that one attempt spends on getting connected.
        backoff_seconds: the pause before the retry where the provider names none.

    Raises:
        ConfigurationError: the key, the address or a number cannot be used.
    """

    def __init__(
        self,
        api_key: str,
        model: str = "text-embedding-3-small",
        dimensions: int = 1536,
        base_url: str | None = None,
        *,
        deadline_seconds: float = 60.0,
        query_seconds: float = 10.0,
        max_inputs: int = MAX_INPUTS,
        max_input_tokens: int = MAX_INPUT_TOKENS,
        connect_seconds: float = 10.0,
        backoff_seconds: float = 0.5,
    ) -> None:
        if not 1 <= max_inputs <= MAX_INPUTS or dimensions < 1 or max_input_tokens < _LEAST_INPUT_TOKENS:
            raise ConfigurationError(
                f"The embedder takes 1 to {MAX_INPUTS} inputs a request, inputs of at least {_LEAST_INPUT_TOKENS} "
                "tokens, and vectors of at least one dimension."
            )
        self.model = model
        self.dimensions = dimensions
        self.deadline_seconds = deadline_seconds
        self.query_seconds = min(query_seconds, deadline_seconds)
        self.max_inputs = max_inputs
        self.max_input_tokens = max_input_tokens
        self._endpoint = OpenAIEndpoint(
            api_key, base_url or DEFAULT_BASE_URL, connect_seconds=connect_seconds, backoff_seconds=backoff_seconds
        )

    def embed(self, texts: Sequence[str], progress: Progress | None = None) -> EmbeddingBatch:
        """Embed texts in as few requests as the limits allow; see `Embedder.embed`.

        Raises:
            InputError: a text is empty or cannot be sent; names its position. Nothing is sent then.
            ProviderTimeout: a request got no complete reply within its deadline.
            ProviderRejected: refused, or the reply's vectors are not usable.
            ProviderError: unreachable or unavailable.
        """
        return self._embed(texts, progress, self.deadline_seconds)

    def embed_query(self, text: str) -> list[float]:
        """Embed a question, whose asker waits: the deadline is `query_seconds`; raises what `embed` raises."""
        return self._embed([text], None, self.query_seconds).vectors[0]

    def _embed(self, texts: Sequence[str], progress: Progress | None, seconds: float) -> EmbeddingBatch:
        check_texts(texts)
        for position, text in enumerate(texts, start=1):
            check_text(text, f"text {position} to embed")
        vectors: list[list[float]] = []
        shortened = tokens = 0
        for batch in self._batches(texts):
            result = self._embed_batch(batch, seconds)
            vectors += result.vectors
            shortened += result.shortened
            tokens += result.tokens
            if progress is not None:
                progress(len(batch))
        return EmbeddingBatch(vectors, shortened, tokens)

    def _batches(self, texts: Sequence[str]) -> Iterator[list[str]]:
        batch: list[str] = []
        total = 0
        for text in texts:
            size = min(estimated_tokens(text), self.max_input_tokens)
            if batch and (len(batch) == self.max_inputs or total + size > _REQUEST_TOKENS):
                yield batch
                batch, total = [], 0
            batch.append(text)
            total += size
        if batch:
            yield batch

    def _embed_batch(self, texts: list[str], seconds: float) -> EmbeddingBatch:
        limit = self.max_input_tokens
        inputs = [text if estimated_tokens(text) <= limit else beginning(text, limit) for text in texts]
        certain = [certain_beginning(text, limit) for text in inputs]
        try:
            vectors, tokens = self._request(inputs, seconds)
        except ProviderRejected as rejected:
            # The estimate may have been too low for dense text; if no input was that long, the refusal stands.
            if not is_invalid_request(rejected) or certain == inputs:
                raise
            inputs = certain
            vectors, tokens = self._request(inputs, seconds)
        return EmbeddingBatch(vectors, sum(map(str.__ne__, inputs, texts)), tokens)

    def _request(self, inputs: list[str], seconds: float) -> tuple[list[list[float]], int]:
        max_bytes = _BYTES_PER_REPLY + len(inputs) * (self.dimensions * _BYTES_PER_NUMBER + _BYTES_PER_ITEM)

        def send(client: OpenAI) -> Reply:
            from openai import omit

            raw = client.embeddings.with_raw_response.create(
                model=self.model,
                input=inputs,
                dimensions=self.dimensions if self.model.startswith("text-embedding-3") else omit,
                encoding_format="base64",
            )
            return Reply(raw.content, clean_request_id(raw.request_id))

        def read(reply: Reply) -> tuple[list[list[float]], int]:
            return self._read(reply, len(inputs), max_bytes)

        return self._endpoint.call(send, read, seconds=seconds, max_bytes=max_bytes)

    def _read(self, reply: Reply, count: int, max_bytes: int) -> tuple[list[list[float]], int]:
        provider = self._endpoint.provider
        envelope = read_object(provider, reply, max_bytes)
        error = envelope.get("error")
        if error is not None:
            code = member(error, "code")
            raise reported_error(provider, code if isinstance(code, str) else None, reply.request_id)
        data = envelope.get("data")
        items = cast("list[object]", data) if isinstance(data, list) else []
        found: dict[int, object] = {}
        for item in items:
            index = member(item, "index")
            if type(index) is not int or index in found:
                raise unusable(provider, "embeddings without an index each", reply.request_id)
            found[index] = member(item, "embedding")
        if sorted(found) != list(range(count)):
            raise unusable(provider, "a wrong number of embeddings", reply.request_id)
        vectors = [self._vector(found[index], reply.request_id) for index in range(count)]
        tokens = member(envelope.get("usage"), "prompt_tokens")
        return vectors, tokens if type(tokens) is int and tokens >= 0 else 0

    def _vector(self, raw: object, request_id: str | None) -> list[float]:
        provider = self._endpoint.provider
        vector = _decoded(raw) if isinstance(raw, str) else _numbers(raw)
        if vector is None:
            raise unusable(provider, "an embedding that is no list of numbers", request_id)
        if len(vector) != self.dimensions:
            raise unusable(provider, "an embedding of the wrong dimension", request_id)
        if not all(map(math.isfinite, vector)):
            raise unusable(provider, "an embedding that is not finite", request_id)
        if not any(vector):
            raise unusable(provider, "an embedding that is zero", request_id)
        return vector


def _decoded(text: str) -> list[float] | None:
    """The vector of a base64 text: 32-bit floats, little-endian."""
    try:
        raw = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None
    if len(raw) % 4:
        return None
    numbers = array.array("f", raw)
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers.tolist()


def _numbers(value: object) -> list[float] | None:
    members = cast("list[object]", value) if isinstance(value, list) else None
    if members is None or not all(type(number) in (int, float) for number in members):
        return None
    try:
        return [float(cast("float", number)) for number in members]
    except OverflowError:
        return None
