"""The page on the JSON of results is what the models make, and each verb prints the record that it names."""

from __future__ import annotations

import importlib.util
import os
import shlex
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from conftest import PROJECT

from rag import Engine, Settings


def _builder() -> ModuleType:
    found = importlib.util.spec_from_file_location("build_json", PROJECT / "docs" / "build_json.py")
    assert found is not None
    assert found.loader is not None
    made = importlib.util.module_from_spec(found)
    sys.modules["build_json"] = made
    found.loader.exec_module(made)
    return made


BUILDER: Any = _builder()


def test_the_page_is_what_the_models_make() -> None:
    kept = (PROJECT / "docs" / "json.md").read_text(encoding="utf-8")
    assert kept == BUILDER.page(), "run `python docs/build_json.py docs/json.md`"
    assert "* `omitted` (list of [Omitted](#omitted))" in kept
    assert ": the first day it is no longer in force" in kept  # the comment beside a field


@pytest.mark.parametrize("one", BUILDER.RESULTS, ids=lambda one: one.verb)
def test_each_verb_prints_the_record_that_the_page_names(one: Any, served_settings: Settings, tmp_path: Path) -> None:
    assert served_settings.database_url is not None
    (tmp_path / "reply.json").write_text(BUILDER.REPLY, encoding="utf-8")
    url = served_settings.database_url.get_secret_value()
    command = [sys.executable, "-m", "rag.cli", "--json", "--database-url", url, *shlex.split(one.example)]
    done = subprocess.run(
        command,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(PROJECT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode in (0, 3), done.stderr
    record = one.record.model_validate_json(done.stdout)
    assert set(one.record.model_json_schema(mode="serialization").get("required", ())) <= record.model_fields_set
    assert hasattr(Engine, one.method)
    if one.verb == "verify":
        assert (record.unsupported, done.returncode) == (0, 0)
