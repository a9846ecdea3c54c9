"""A small law about kites, what a language model lists in it, some of which its words do not bear out, and its file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

ACT = "urn:lex:gb:kite-act"
KEEPS, POWER, MEANING, SPARED = (f"{ACT}:{number}" for number in (1, 2, 3, 4))
TEXTS = {
    1: "A flyer must keep each streamer for a year.",
    2: "The Minister may visit any field.",
    3: "Whoever lets a kite rise is hereafter called a flyer, as the Skies Treaty has it.",
    4: "Nobody under twelve has to store ribbons that the wind tore.",
}
READING: dict[str, Any] = {
    "limits": [
        {"limiting": 4, "limited": [1], "kind": "exception", "quote": "Nobody under twelve has to store ribbons"},
        {"limiting": 2, "limited": [1], "kind": "exception", "quote": "Nobody under twelve has to store ribbons"},
        {"limiting": 4, "limited": [4], "kind": "exception", "quote": "Nobody under twelve"},
        {"limiting": 4, "limited": [9], "kind": "exception", "quote": "Nobody under twelve"},
    ],
    "definitions": [
        {"term": "flyer", "forms": [], "provision": 3, "quote": "hereafter called a flyer", "scope": [0],
         "relation": "means"},
        {"term": "field", "forms": [], "provision": 3, "quote": "hereafter called a flyer", "scope": [0],
         "relation": "means"},
        {"term": "kite", "forms": [], "provision": 3, "quote": "lets a kite rise", "scope": [0], "relation": "means"},
    ],
    "other_laws": [
        {"name": "Skies Treaty", "provision": 3, "quote": "as the Skies Treaty has it"},
        {"name": "Bank Act", "provision": 3, "quote": "as the Skies Treaty has it"},
    ],
}  # fmt: skip
NOTHING: dict[str, Any] = {"limits": [], "definitions": [], "other_laws": []}


def written(folder: Path, texts: dict[int, str], *, day: str = "2024-01-01", name: str = "kites") -> Path:
    """An Act with one section for each text, in the native format."""
    head = {"lexscope": 1, "corpus": {"urn": ACT, "title": "Kite Act", "language": "en"}, "edition_date": day}
    root = {"urn": ACT, "structure_type": "ROOT", "level": "act", "heading": "Kite Act"}
    sections = [
        {"urn": f"{ACT}:{number}", "parent_urn": ACT, "structure_type": "SECTION", "level": "section",
         "number": str(number), "content_text": text}
        for number, text in texts.items()
    ]  # fmt: skip
    path = folder / f"{name}.jsonl"
    path.write_text("\n".join(json.dumps(line) for line in (head, root, *sections)), encoding="utf-8")
    return path
