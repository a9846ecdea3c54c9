"""All settings in one frozen object; the only reader of the environment."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError, model_validator

from retrieval.errors import ConfigurationError
from retrieval.providers.packages import is_installed

GRACE_SECONDS = 5.0  # between the deadline that an answer or verification keeps and the end of its call


def default_data_dir() -> Path:
    """Where the embedded server keeps its data when nothing says otherwise.

    As root, a folder whose parents are open to all users anyway, for the server runs as another user.
    """
    if os.name == "nt":
        from platformdirs import user_data_path  # needed on no other system

        return user_data_path("lexscope", appauthor=False)
    if os.geteuid() == 0:
        return Path("/var/lib/lexscope")
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "lexscope"


# Further names of a variable; LEXSCOPE_ and the setting's own name comes first.
_USUAL_NAMES = {
    "database_url": "DATABASE_URL",
    "openai_api_key": "OPENAI_API_KEY",
    "openai_base_url": "OPENAI_BASE_URL",
    "embedding": "LEXSCOPE_EMBEDDINGS",
    "cohere_api_key": "CO_API_KEY",
    "cohere_base_url": "CO_API_URL",
}


class Settings(BaseModel):
    """Settings, from arguments first and `LEXSCOPE_*` variables second.

    `DATABASE_URL`, `OPENAI_API_KEY`, `OPENAI_BASE_URL`, `CO_API_KEY` and `CO_API_URL` are read under their usual names.
    """

    model_config = ConfigDict(frozen=True, extra="ignore", hide_input_in_errors=True)

    database_url: SecretStr | None = Field(
        default=None,
        description="PostgreSQL to use; without it the embedded server starts in data_dir",
    )
    read_url: SecretStr | None = Field(
        default=None, description="PostgreSQL to read from, such as a standby; database_url is then only written to"
    )
    stale_seconds: float | None = Field(
        default=None, ge=0, le=86400, description="how far a standby may lie behind before it is not read any more"
    )
    prepare: Literal["auto", "on", "off"] = Field(
        default="auto",
        description="prepared statements; auto: not through a pooler, where each transaction may meet another session",
    )
    data_dir: Path = Field(default_factory=default_data_dir, description="folder of the embedded server's data")
    server_idle_seconds: float = Field(
        default=300.0, ge=0, le=86400, description="how long the embedded server stays after its last client"
    )
    laws: Path | None = Field(
        default=None, description="folder of more laws that references may name: de.toml, fr.toml"
    )
    pool_size: int = Field(default=8, ge=1, le=64, description="database connections at most")
    statement_timeout_seconds: float = Field(default=30.0, gt=0, le=600, description="limit of one read statement")
    provider: Literal["auto", "extractive", "openai", "replay", "ollama", "lmstudio", "vllm", "llamacpp"] = Field(
        default="auto",
        description="who drafts answers; auto: openai where a key is set, else extractive; the last four: a server of "
        "that kind on this machine at its usual port, without a key",
    )
    recordings: Path | None = Field(default=None, description="recorded answers of the provider replay, a .jsonl file")
    openai_api_key: SecretStr | None = Field(
        default=None,
        description="key of the OpenAI-compatible provider",
    )
    openai_base_url: str | None = Field(
        default=None,
        description="base URL of an OpenAI-compatible provider",
    )
    openai_model: str = Field(default="gpt-5-mini", description="model that drafts answers; pin a dated name")
    openai_api: Literal["auto", "responses", "chat"] = Field(
        default="auto", description="calls that the provider has: the Responses API or chat completions; auto finds out"
    )
    judge: Literal["auto", "none", "model", "local", "replay"] = Field(
        default="auto",
        description="who judges statements that code neither proves nor refutes; auto: the provider's model where one "
        "drafts; local: a sentence-pair model on this machine; replay: recorded judgements",
    )
    judge_model: str | None = Field(
        default=None, description="model that judges: the provider's name for it; for local its folder"
    )
    judgements: Path | None = Field(default=None, description="recorded judgements of the judge replay, a .jsonl file")
    rewriting: Literal["auto", "none", "model", "replay"] = Field(
        default="auto",
        description="who names statutory terms for a question that is asked; auto: the provider's model where one "
        "drafts; replay: recorded ones",
    )
    rewritings: Path | None = Field(default=None, description="recorded terms of the rewriting replay, a .jsonl file")
    read_at_ingest: bool = Field(
        default=False, description="whether `ingest` has the provider's model read each law, as `read-law` does later"
    )
    embedding: Literal["auto", "none", "packaged", "fastembed", "openai", "local"] = Field(
        default="auto",
        description="dense leg; auto: packaged (all-MiniLM-L6-v2, for other languages than English "
        "multilingual-e5-small) where it is installed, else openai where a key is set, else none; fastembed: a model "
        "of its list; local: a sentence-transformers model",
    )
    embedding_model: str | None = Field(
        default=None,
        description="embedding model: openai's name for it; for local a folder or a name in the cache; for packaged "
        "the folder of its files where the package is not installed",
    )
    embedding_dimensions: int | None = Field(
        default=None, ge=1, le=4000, description="size of its vectors; unset: openai 1536, local what the model has"
    )
    mcp_token: SecretStr | None = Field(default=None, description="bearer token of `mcp --http`; else one is made")
    reranker: Literal["none", "cohere"] = Field(
        default="none", description="who puts the best candidates in a new order, for search, context and ask"
    )
    cohere_api_key: SecretStr | None = Field(
        default=None,
        description="key of the reranking provider",
    )
    cohere_base_url: str | None = Field(
        default=None,
        description="address of the reranking provider, without /v2",
    )
    rerank_model: str = Field(default="rerank-v3.5", description="model that reranks")
    rerank_candidates: int = Field(default=15, ge=1, le=100, description="candidates that are reranked")
    rerank_kept: int = Field(default=5, ge=1, le=100, description="candidates that a reranking keeps")
    rerank_seconds: float = Field(default=10.0, gt=0, le=600, description="deadline of one reranking")
    request_seconds: float = Field(default=60.0, gt=0, le=600, description="deadline of one answer or verification")
    candidates: int = Field(default=10, ge=1, le=50, description="entry points a search returns by default")
    rules: int = Field(default=3, ge=1, le=10, description="entry points whose context an answer rests on")
    model_rules: int = Field(
        default=5, ge=1, le=10, description="the same where a model answers, as far as their context fits the budget"
    )
    context_tokens: int = Field(default=12000, ge=500, le=200000, description="budget of one scoped context")
    traces: Literal["redacted", "full", "off"] = Field(
        default="redacted", description="what a stored trace keeps; full also keeps the scenario and claims"
    )
    log: Literal["text", "json"] = Field(
        default="text", description="how the servers write their log to stderr; json: one object a line"
    )
    trace_days: int = Field(default=90, ge=1, le=3650, description="how long a stored trace is kept")

    telemetry: Literal["table", "off"] = Field(
        default="table", description="quality_check records: in the store's own table, or not at all"
    )
    telemetry_file: Path | None = Field(default=None, description="JSON Lines file that they are appended to as well")

    @model_validator(mode="before")
    @classmethod
    def _read_environment(cls, given: dict[str, Any]) -> dict[str, Any]:
        variables = {name.upper(): value for name, value in os.environ.items()}
        read: dict[str, Any] = {}
        for name in cls.model_fields:
            for variable in (f"LEXSCOPE_{name.upper()}", _USUAL_NAMES.get(name, "")):
                if variable in variables:
                    read[name] = variables[variable]
                    break
        found = read | given
        if "read_url" in found and "database_url" not in found:
            found["database_url"] = found["read_url"]  # a server that only serves
        return found

    @property
    def call_seconds(self) -> float:
        """When a call is ended from outside: what keeps to `request_seconds` by itself has time to say so first."""
        return self.request_seconds + GRACE_SECONDS

    @property
    def drafts_with(self) -> Literal["extractive", "openai", "replay", "ollama", "lmstudio", "vllm", "llamacpp"]:
        """The provider that `provider` and the keys come to."""
        if self.provider == "auto":
            return "openai" if self.openai_api_key else "extractive"
        return self.provider

    @property
    def judges_with(self) -> Literal["none", "model", "local", "replay"]:
        """The judge that `judge` and the provider come to."""
        if self.judge != "auto":
            return self.judge
        if self.drafts_with == "replay":
            return "replay" if self.judgements else "none"
        return "none" if self.drafts_with == "extractive" else "model"

    @property
    def rewrites_with(self) -> Literal["none", "model", "replay"]:
        """The rewriter that `rewriting` and the provider come to."""
        if self.rewriting != "auto":
            return self.rewriting
        return "none" if self.drafts_with in ("extractive", "replay") else "model"

    @property
    def embeds_with(self) -> Literal["none", "packaged", "fastembed", "openai", "local"]:
        """The embedder that `embedding`, the installed packages and the keys come to."""
        if self.embedding != "auto":
            return self.embedding
        if self.embedding_model is None and is_installed():
            return "packaged"
        return "openai" if self.openai_api_key else "none"


def load_settings(**given: object) -> Settings:
    """Settings from the environment and what is given; None values count as not given.

    Raises:
        ConfigurationError: a value is not usable; names each setting and its variable, never the value.
    """
    try:
        return Settings(**{name: value for name, value in given.items() if value is not None})  # pyright: ignore[reportArgumentType]
    except ValidationError as error:
        lines = [
            f"setting {'.'.join(str(part) for part in problem['loc'])} "
            f"(LEXSCOPE_{str(problem['loc'][0]).upper()}): {problem['msg']}"
            for problem in error.errors(include_url=False, include_input=False)
        ]
        raise ConfigurationError("; ".join(lines)) from None
