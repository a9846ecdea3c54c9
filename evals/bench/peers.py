"""Other systems' hybrid search beside ours: the same server, rows, vectors and questions.

They are no dependency. Their interpreter runs `peer_client.py` as a child that answers one line of JSON with another;
it times the search itself, so that neither the pipe nor the JSON counts.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from psycopg import sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from evals.bench.questions import AT, MODEL, Question
from rag.database import Database

CLIENT = Path(__file__).with_name("peer_client.py")


class Peers:
    """The peers that an interpreter has, loaded with a store's nodes in force. A context manager.

    Args:
        python: the interpreter.
        store: whose nodes they search; it is read and not changed.
        asked: the questions that will be asked.
        server: a connection string to make their database with.
    """

    def __init__(self, python: Path, store: Database, asked: Sequence[Question], server: str) -> None:
        self.names: list[str] = []
        self.seconds: dict[str, float] = {}
        self._server = server
        self._database = f"{conninfo_to_dict(store.conninfo)['dbname']}_peers"
        self._store = store
        self._administer("create database {}")
        self._child = subprocess.Popen(
            [str(python), str(CLIENT)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self._dimensions = len(asked[0].vector)

    def __enter__(self) -> Self:
        try:
            self._load()
        except BaseException:
            self.close()
            raise
        return self

    def _load(self) -> None:
        url = make_conninfo(self._server, dbname=self._database)
        reply = self._say({
            "store": self._store.conninfo, "database": conninfo_to_dict(url), "dimensions": self._dimensions,
            "model": MODEL.space, "at": AT.isoformat(),
        })  # fmt: skip
        for name, seconds in reply["loaded"].items():
            self.names.append(name)
            self.seconds[name] = seconds
        for name, cause in reply["missing"].items():
            print(f"{name}: not measured ({cause})", file=sys.stderr)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the child and drop its database."""
        if self._child.stdin is not None:
            self._child.stdin.close()
        self._child.wait(timeout=60)
        self._administer("drop database {} with (force)")

    def ask(self, name: str, one: Question) -> tuple[float, list[int]]:
        """A peer's ten best node versions for a question, and the milliseconds it took."""
        reply = self._say({"peer": name, "text": one.text, "vector": one.vector})
        return reply["milliseconds"], reply["ids"]

    def _say(self, message: dict[str, Any]) -> dict[str, Any]:
        assert self._child.stdin is not None
        assert self._child.stdout is not None
        self._child.stdin.write(json.dumps(message) + "\n")
        self._child.stdin.flush()
        line = self._child.stdout.readline()
        if not line:
            raise RuntimeError("the peers' interpreter ended; its own output above says why")
        return json.loads(line)

    def _administer(self, statement: str) -> None:
        with self._store.admin() as conn:
            conn.execute(sql.SQL(statement).format(sql.Identifier(self._database)))  # pyright: ignore[reportArgumentType]
