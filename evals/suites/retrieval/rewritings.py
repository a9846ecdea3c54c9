"""The prompts by which a model rewrites questions, for whoever records its replies.

    python -m evals.suites.retrieval.rewritings evals/data/lay/half1.jsonl de fr > prompts.jsonl

A line has `prompt_sha256`, `instructions` and `input`. The recording is that line with `reply`, the model's output
text; a file of them is read with LEXSCOPE_REWRITING=replay LEXSCOPE_REWRITINGS=FILE, and `python -m evals retrieval`
has the leg `rewritten` then.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Collection, Iterator
from pathlib import Path

from rag.models.replay import prompt_key
from rag.models.rewriting import rewrite_prompt


def prompts(file: Path, languages: Collection[str]) -> Iterator[dict[str, str]]:
    """The prompts of the questions of a set of JSON Lines whose law is in one of some languages, each once."""
    seen: set[str] = set()
    for line in file.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        language = record.get("law_language") or record.get("language")
        if language not in languages:
            continue
        instructions, text = rewrite_prompt(record["question"], language)
        key = prompt_key(instructions, text)
        if key not in seen:
            seen.add(key)
            yield {"prompt_sha256": key, "instructions": instructions, "input": text}


if __name__ == "__main__":
    for prompt in prompts(Path(sys.argv[1]), sys.argv[2:]):
        print(json.dumps(prompt, ensure_ascii=False))
