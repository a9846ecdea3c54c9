"""`python -m rag.cli` is `lexscope`."""

from __future__ import annotations

import sys

from rag.cli.app import main

if __name__ == "__main__":
    sys.exit(main())
