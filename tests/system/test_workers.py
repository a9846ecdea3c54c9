"""Several workers on one store: what one writes, all others serve with their next call. None keeps its state."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

from rag import Engine
from rag.settings import Settings
from rag.store.reference_data import NewOverride, add_override

LAW = "urn:lex:us:doc:tolls"


def edition(path: Path, *rules: str) -> Path:
    """A law as its file has it on a day."""
    head = {"lexscope": 1, "corpus": {"urn": LAW, "title": "Tolls", "language": "en"}}
    lines: list[dict[str, object]] = [head, {"urn": LAW, "structure_type": "ROOT", "level": "law", "heading": "Tolls"}]
    for number, text in enumerate(rules, start=1):
        rule = {"urn": f"{LAW}:{number}", "parent_urn": LAW, "structure_type": "SECTION", "level": "section"}
        lines.append({**rule, "number": str(number), "content_text": text, "valid_from": "2020-01-01"})
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return path


def test_what_one_worker_writes_another_serves_with_its_next_call(empty_settings: Settings, tmp_path: Path) -> None:
    file = tmp_path / "law.jsonl"
    with Engine.open(empty_settings) as writer, Engine.open(empty_settings) as server:
        writer.ingest([edition(file, "The toll for a wagon is 5 pence.")])

        def served() -> tuple[str, int, int, str, str]:
            """What every kind of look-up of the other worker says."""
            context = server.context(f"{LAW}:1")
            words = " ".join(block.text for block in context.blocks if block.role == "rule")
            found = server.search("ferryman", jurisdiction="us")
            documents = server.list_documents()
            return words, found.total, documents.total, server.resolve(f"{LAW}:2").status, context.status

        assert served() == ("The toll for a wagon is 5 pence.", 0, 1, "not_found", "ok")
        writer.ingest([edition(file, "The toll for a wagon is 7 pence.", "A ferryman pays no toll.")])
        assert served() == ("The toll for a wagon is 7 pence.", 1, 1, "resolved", "ok")
        halt = NewOverride(
            urn_pattern=f"{LAW}:1", status="VOID", court="Court of Tolls", court_citation="1 Tolls 1",
            effective_from=date(2021, 1, 1),
        )  # fmt: skip
        add_override(writer.database, halt)
        assert served()[4] == "halted"
