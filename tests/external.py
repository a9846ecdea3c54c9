"""Runs tests on Debian's PostgreSQL 15, written as lexscope_write, read as lexscope_read: `python tests/external.py`.

Arguments go to pytest; without any, a part of tests/database is run that writes, searches and assembles contexts.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import psycopg
from servers import DEBIAN, debian_server, folder

PROJECT = Path(__file__).resolve().parent.parent
PART = (
    "ingest_store", "queries_compile", "roles", "scoped_context", "search_filters", "server_requirements", "time",
)  # fmt: skip


def main(arguments: Sequence[str]) -> int:
    """Run them.

    Returns:
        pytest's exit status, 1 where no test used the server; 0 where it is not installed, which is said.
    """
    if not (DEBIAN / "initdb").exists():
        print("Debian's PostgreSQL 15 (postgresql-15) is not installed: not tested on it")
        return 0
    named = arguments or ["-q", "-n", "auto", *(f"tests/database/test_{name}.py" for name in PART)]
    with folder() as place, debian_server(place, max_connections="200") as maintenance:
        environment = {**os.environ, "LEXSCOPE_TEST_DATABASE_URL": maintenance, "LEXSCOPE_TEST_ROLES": "1"}
        status = subprocess.run([sys.executable, "-m", "pytest", *named], cwd=PROJECT, env=environment).returncode
        with psycopg.connect(maintenance) as conn:
            used = conn.execute("select from pg_roles where rolname = 'lexscope_write'").fetchone() is not None
    if not used:
        print("no test used the server: they ran on another one")
    return status or int(not used)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
