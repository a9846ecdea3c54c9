"""Installs the wheel in an empty environment and runs its demo there: `python tests/wheel_smoke.py [DIST_FOLDER]`."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path


def main(dist: Path) -> None:
    """Fail loudly where the wheel lacks what the checkout has."""
    wheels = sorted(dist.glob("lexscope-*.whl"))
    if len(wheels) != 1:
        sys.exit(f"{dist}/ holds {len(wheels)} wheels of lexscope and not one; `make dist` makes it and runs this")
    (wheel,) = wheels
    names = zipfile.ZipFile(wheel).namelist()
    for wanted in (
        "retrieval/sql/schema.sql", "retrieval/sql/queries/context.sql", "rag/prompts/synthesis.md",
        "rag/prompts/judge.md",
        "rag/py.typed", "retrieval/py.typed",
    ):  # fmt: skip
        assert wanted in names, f"{wanted} is not in the wheel"
    tops = {name.split("/")[0] for name in names if ".dist-info" not in name}
    assert tops == {"rag", "retrieval"}, f"the wheel claims other names: {tops}"
    with tempfile.TemporaryDirectory(prefix="lexscope-wheel-") as folder:
        home = Path(folder)
        subprocess.run([sys.executable, "-m", "venv", home / "env"], check=True)
        python = home / "env" / "bin" / "python"
        subprocess.run([python, "-m", "pip", "install", "--quiet", wheel.absolute()], check=True)
        subprocess.run(
            [home / "env" / "bin" / "lexscope", "demo", "--data-dir", home / "data", "--output", home / "demo.html"],
            cwd=home,
            env={**os.environ, "LEXSCOPE_SERVER_IDLE_SECONDS": "0"},  # the folder goes away
            check=True,
        )
        assert "940cmr:3.17:4" in (home / "demo.html").read_text(encoding="utf-8")
    sys.stdout.write("the wheel's demo runs\n")


if __name__ == "__main__":
    main(Path(*sys.argv[1:] or ["dist"]))
