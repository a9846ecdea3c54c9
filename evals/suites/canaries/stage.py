"""What canaries run on: a store, providers that echo and a log of their own, and the tally of what was found."""

from __future__ import annotations

import io
import logging
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Literal, cast

from evals.suites.canaries.facts import Fact, Probe
from evals.suites.canaries.provider import DIMENSIONS, EchoProvider, echo_provider
from rag import Engine
from rag.mcp.errors import private_handler
from rag.models.openai import OpenAIModel
from rag.settings import Settings, load_settings
from rag.store.database import Database
from rag.store.starter import set_up_store
from retrieval.entry_points.reranking import NO_RERANKING, Reranking
from retrieval.providers.openai_embedding import OpenAIEmbedder

Place = Literal["tables", "logs", "errors", "others", "files"]
PLACES: tuple[Place, ...] = ("tables", "logs", "errors", "others", "files")
_KEY = "canary-key"
_PROVIDER_SECONDS = 0.3


@dataclass
class Haul:
    """Where something of a fact was found, and how much was searched."""

    facts: list[Fact]
    probe: Probe
    found: dict[tuple[Place, str], set[int]] = field(default_factory=dict[tuple[Place, str], set[int]])
    calls: int = 0
    searched: int = 0  # characters or bytes

    def search(self, place: Place, where: str, data: str | bytes) -> None:
        """Search what a place holds; `where` tells a reader which part of it."""
        self.searched += len(data)
        numbers = self.probe.found(data)
        if numbers:
            self.found.setdefault((place, where), set()).update(numbers)

    def left_in(self, place: Place) -> set[int]:
        """The facts of which something was left in a place."""
        return {number for (one, _), numbers in self.found.items() if one == place for number in numbers}


@dataclass(frozen=True, slots=True)
class Stage:
    """What every way of sending facts works with."""

    folder: Path  # whatever is written anywhere below is searched
    settings: Settings
    engine: Engine
    provider: EchoProvider
    haul: Haul
    log: io.StringIO


@contextmanager
def stage(sample: Path, facts: list[Fact], traces: Literal["redacted", "full"]) -> Generator[Stage]:
    """A store on an embedded server of its own, providers that echo, and a log that takes everything."""
    with (
        tempfile.TemporaryDirectory(prefix="lexscope-canaries-", ignore_cleanup_errors=True) as name,
        echo_provider() as provider,
        _logged() as log,
    ):
        folder = Path(name)
        folder.chmod(0o755)  # as root the embedded server runs as another user
        given = load_settings(
            data_dir=folder / "data", provider="extractive", embedding="none", reranker="none", traces=traces,
            pool_size=4, telemetry="table", telemetry_file=folder / "telemetry.jsonl", request_seconds=30.0,
            server_idle_seconds=0,
        )  # fmt: skip
        # Whatever the environment says: the server is one that nobody else uses.
        settings = given.model_copy(update={"database_url": None})
        with Database(settings) as database:
            set_up_store(database)
            with Engine(
                database, settings, model=_model(provider), embedder=_embedder(provider), reranking=_reranking(provider)
            ) as engine:
                engine.ingest([sample])
                yield Stage(folder, settings, engine, provider, Haul(facts, Probe(facts)), log)


@contextmanager
def _logged() -> Generator[io.StringIO]:
    """What the server's own log handler writes, of every logger and level."""
    written, root = io.StringIO(), logging.getLogger()
    handler, level = cast("logging.StreamHandler[io.StringIO]", private_handler()), root.level
    handler.setStream(written)
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    try:
        yield written
    finally:
        root.removeHandler(handler)
        root.setLevel(level)


def _model(provider: EchoProvider) -> OpenAIModel:
    return OpenAIModel(_KEY, "canary", f"{provider.address}/v1", backoff_seconds=0.001)


def _embedder(provider: EchoProvider) -> OpenAIEmbedder:
    return OpenAIEmbedder(
        _KEY, dimensions=DIMENSIONS, base_url=f"{provider.address}/v1", query_seconds=_PROVIDER_SECONDS,
        backoff_seconds=0.001,
    )  # fmt: skip


def _reranking(provider: EchoProvider) -> Reranking:
    if find_spec("cohere") is None:
        return NO_RERANKING
    from retrieval.providers.cohere_reranking import CohereReranker

    return Reranking(
        CohereReranker(
            _KEY, base_url=provider.address, deadline_seconds=_PROVIDER_SECONDS, backoff_seconds=0.001
        ),
        5,
        5,
    )  # fmt: skip


def search_log(on: Stage) -> None:
    """What has been logged since the last time."""
    on.haul.search("logs", "the log of this process", on.log.getvalue())
    on.log.seek(0)
    on.log.truncate()
