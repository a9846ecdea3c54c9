"""A node's own words as one text: the same when it is parsed, stored, read and quoted."""

from __future__ import annotations

LEFT_OUT = "[...]"  # in words that are shown, where the text goes on with what is not


def node_text(intro_text: str, content_text: str) -> str:
    """Lead-in and flush text, or a leaf's text: what every quote's offsets count."""
    return f"{intro_text}\n{content_text}" if intro_text and content_text else intro_text or content_text


def after_children(intro_text: str, content_text: str) -> int | None:
    """Offset in `node_text` of the words after a node's children; None where it has words on one side only."""
    return len(intro_text) + 1 if intro_text and content_text else None


def with_gap(text: str, after: int | None) -> str:
    """A node's words as they are shown without its children: marked where those stand; see `after_children`."""
    return text if after is None else f"{text[:after].rstrip()} {LEFT_OUT} {text[after:]}"
