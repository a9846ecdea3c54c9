"""Settings: from arguments first, the environment second, and never repeated in an error."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from pydantic import ValidationError
from requirements import requirement

from rag.settings import Settings, default_data_dir, load_settings
from retrieval.errors import ConfigurationError


@contextmanager
def environment(**values: str) -> Iterator[None]:
    """The real environment with some variables set; the one input that settings are read from."""
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


@requirement("P9")
def test_without_any_setting_everything_is_local() -> None:
    settings = load_settings()
    assert (settings.database_url, settings.drafts_with, settings.embeds_with) == (None, "extractive", "none")
    assert settings.traces == "redacted"


def test_an_argument_beats_the_environment_and_none_counts_as_not_given() -> None:
    with environment(LEXSCOPE_POOL_SIZE="3", LEXSCOPE_RULES="2"):
        settings = load_settings(pool_size=5, rules=None)
    assert (settings.pool_size, settings.rules) == (5, 2)


@pytest.mark.parametrize("name", ["LEXSCOPE_DATABASE_URL", "DATABASE_URL"])
def test_the_database_url_is_read_under_both_names(name: str) -> None:
    with environment(**{name: "postgresql://user:hush@host/db"}):
        settings = load_settings()
    assert settings.database_url is not None
    assert settings.database_url.get_secret_value() == "postgresql://user:hush@host/db"


def test_the_projects_own_variable_wins_over_the_common_one() -> None:
    with environment(LEXSCOPE_DATABASE_URL="postgresql://own/db", DATABASE_URL="postgresql://common/db"):
        settings = load_settings()
    assert settings.database_url is not None
    assert settings.database_url.get_secret_value() == "postgresql://own/db"


@pytest.mark.parametrize(
    ("given_settings", "drafts", "embeds"),
    [
        ({}, "extractive", "none"),
        ({"openai_api_key": "k", "embedding": "auto", "embedding_model": "m"}, "openai", "openai"),
        ({"openai_api_key": "k", "provider": "extractive", "embedding": "none"}, "extractive", "none"),
        ({"provider": "openai"}, "openai", "none"),
    ],
)
def test_a_key_switches_the_remote_providers_on_unless_told_otherwise(
    given_settings: dict[str, str], drafts: str, embeds: str
) -> None:
    settings = load_settings(**given_settings)
    assert (settings.drafts_with, settings.embeds_with) == (drafts, embeds)


@requirement("P8")
@pytest.mark.parametrize(
    ("name", "value", "variable"),
    [
        ("pool_size", "many-secrets", "LEXSCOPE_POOL_SIZE"), ("pool_size", 0, "LEXSCOPE_POOL_SIZE"),
        ("traces", "secretly", "LEXSCOPE_TRACES"), ("context_tokens", 499, "LEXSCOPE_CONTEXT_TOKENS"),
        ("rules", 11, "LEXSCOPE_RULES"), ("statement_timeout_seconds", 0, "LEXSCOPE_STATEMENT_TIMEOUT_SECONDS"),
    ],
)  # fmt: skip
def test_a_bad_value_is_an_error_that_names_the_variable_and_not_the_value(
    name: str, value: object, variable: str
) -> None:
    with pytest.raises(ConfigurationError) as caught:
        load_settings(**{name: value})
    assert variable in caught.value.message
    assert name in caught.value.message
    if isinstance(value, str):
        assert value not in caught.value.message


def test_a_bad_value_in_the_environment_is_named_the_same() -> None:
    with (
        environment(LEXSCOPE_POOL_SIZE="hush-hush"),
        pytest.raises(ConfigurationError, match="LEXSCOPE_POOL_SIZE") as caught,
    ):
        load_settings()
    assert "hush-hush" not in caught.value.message


@requirement("P8")
def test_secrets_do_not_show_in_the_settings_text() -> None:
    settings = load_settings(database_url="postgresql://u:hush@h/d", openai_api_key="hush")
    assert "hush" not in f"{settings!r}{settings}"


def test_settings_cannot_be_changed() -> None:
    with pytest.raises(ValidationError):
        Settings().pool_size = 2  # pyright: ignore[reportAttributeAccessIssue]


def test_the_data_folder_is_absolute() -> None:
    with environment(XDG_DATA_HOME="/srv/data"):
        folder = default_data_dir()
    assert folder in (Path("/srv/data/lexscope"), Path("/var/lib/lexscope"))
