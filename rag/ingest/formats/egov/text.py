"""The words of e-Gov law XML: sentences, columns, tables and formulas as lines, and what is left out of them."""

from __future__ import annotations

from collections import Counter

from rag.ingest.formats.xml import Element, collapse, local

# Mark-up inside a sentence; every other element begins lines of its own.
_INLINE = frozenset({"Ruby", "Line", "Sup", "Sub", "QuoteStruct", "ArithFormula"})
_ROWS = frozenset({"TableRow", "TableHeaderRow", "FigRow", "StyleRow", "FormatRow", "NoteRow", "RemarkRow"})
_SUPERSCRIPT = dict(zip("0123456789+-=()ni", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱ", strict=True))
_SUBSCRIPT = dict(zip("0123456789+-=()aeoxhklmnpstijruv", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₒₓₕₖₗₘₙₚₛₜᵢⱼᵣᵤᵥ", strict=True))
_SENTENCE_ENDS = ("。", "」", "）")

# What is left out on purpose, and how the warning calls it.
READINGS = "ruby readings"
FIGURES = "figures, which have no text"
QUOTED = "quoted provisions of other acts"
CONTENTS = "tables of contents"


class Words:
    """Turns elements into text. `left_out` counts what had no place in it."""

    def __init__(self) -> None:
        self.left_out: Counter[str] = Counter()

    def lines(self, element: Element) -> list[str]:
        """The element's words, one line for each sentence container, table row or loose run of words."""
        name = local(element)
        if name == "Fig":
            self.left_out[FIGURES] += 1
        elif name == "NewProvision":
            self.left_out[QUOTED] += 1
            return []
        elif name == "TOC":
            self.left_out[CONTENTS] += 1
            return []
        elif name == "Rt":
            self.left_out[READINGS] += 1
            return []
        if name in _ROWS:
            return self._row(element)
        parts = self._parts(element)
        if name.endswith("Sentence") and name != "Sentence":
            return self._sentences(element, parts)
        return [line for part in parts for line in part if line]

    def text(self, element: Element) -> str:
        """The element's words on one line."""
        return " ".join(self.lines(element))

    def _parts(self, element: Element) -> list[list[str]]:
        """Lines of each block inside the element, and of each run of words between blocks."""
        parts: list[list[str]] = []
        run = element.text or ""
        for child in element:
            if local(child) in _INLINE:
                run += self._inline(child)
            else:
                parts.extend(([collapse(run)], self.lines(child)))
                run = ""
            run += child.tail or ""
        parts.append([collapse(run)])
        return [part for part in parts if any(part)]

    def _sentences(self, element: Element, parts: list[list[str]]) -> list[str]:
        """Sentences of one paragraph run on; columns are parted by a space; a table has lines of its own."""
        if any(local(child) not in ("Sentence", "Column") for child in element):
            return [line for part in parts for line in part]
        out, columns = "", any(local(child) == "Column" for child in element)
        for part in parts:
            words = " ".join(part)
            out += words if not columns and (not out or out.endswith(_SENTENCE_ENDS)) else f" {words}"
        return [out.strip()] if out else []

    def _row(self, row: Element) -> list[str]:
        cells = [collapse(row.text)] if row.text and row.text.strip() else []
        for cell in row:
            cells.append(self.text(cell))
            cells.extend([collapse(cell.tail)] if cell.tail and cell.tail.strip() else [])
        return [" | ".join(cells).strip()] if any(cells) else []

    def _inline(self, element: Element) -> str:
        name = local(element)
        if name in ("Sup", "Sub"):
            return _raised(self._inside(element), up=name == "Sup")
        if name == "QuoteStruct":
            return " ".join(line for part in self._parts(element) for line in part)
        return self._inside(element)

    def _inside(self, element: Element) -> str:
        out = element.text or ""
        for child in element:
            out += self._inline(child) if local(child) in _INLINE else " ".join(self.lines(child))
            out += child.tail or ""
        return out


def _raised(text: str, *, up: bool) -> str:
    """A superscript or subscript that cannot be mistaken for the digits beside it."""
    text = collapse(text)
    signs = _SUPERSCRIPT if up else _SUBSCRIPT
    if all(char in signs for char in text):
        return "".join(signs[char] for char in text)
    return f"{'^' if up else '_'}({text})"
