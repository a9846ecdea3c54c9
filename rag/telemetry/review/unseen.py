"""Characters that a reader does not see or a terminal obeys, and how each kind of output writes them out. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator

# Fixed ranges instead of `unicodedata`, whose tables change with the Python version and would change the bytes.
UNSEEN = re.compile(
    "["
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # control characters but tab and line feed
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164"
    "\ufdd0-\ufdef\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff\ud800-\udfff"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
    "]"
)


def visible(text: str) -> str:
    """The text with every control, bidirectional and zero-width character written out, such as `[U+202E]`."""
    return UNSEEN.sub(lambda found: written_out(found[0]), text)


def json_escape_unseen(text: str) -> str:
    """JSON text with the same characters as JSON escapes: the same value, and safe to print on a terminal."""
    return UNSEEN.sub(
        lambda found: "".join(f"\\u{unit.hex()}" for unit in _utf16_units(found[0])),
        text,
    )


def written_out(char: str) -> str:
    """The character's code point, as a reader can see it."""
    return f"[U+{ord(char):04X}]"


def _utf16_units(char: str) -> Iterator[bytes]:
    encoded = char.encode("utf-16-be", "surrogatepass")
    return (encoded[at : at + 2] for at in range(0, len(encoded), 2))
