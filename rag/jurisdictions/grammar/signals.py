"""What people put around a reference and what is no part of it: signals, quotation marks, brackets."""

from __future__ import annotations

import re

from rag.law.patterns import lazy

_CLOSING = {"(": ")", "[": "]", '"': '"', "'": "'", "“": "”", "‘": "’", "„": "“”", "«": "»", "»": "«", "‹": "›",
            "「": "」", "『": "』", "【": "】", "（": "）"}  # fmt: skip
_WORDS = {
    "en": (
        r"(?:but\s)?see(?!\sv\.?\s)(?:\s(?:also|generally|eg))?|(?:but\s)?cf|compare|accord|contra|e\.\s?g|i\.\s?e|pursuant\sto|"
        r"under|per|in\s(?:accordance|line|compliance)\swith|according\sto|by\svirtue\sof|"
        r"within\sthe\smeaning\sof|as\s(?:defined|provided|required|set\sout)\s(?:in|by|under)"
    ),
    "de": (
        r"siehe(?:\sauch)?|s(?=\.?\s(?:§|Art|auch))(?:\.?\sauch)?|vgl(?:\.?\sauch)?|vergleiche|so|nach|gem|gemäß|gemaess|"
        r"gemäss|entsprechend|laut|lt|aus|wegen|analog|"
        r"aufgrund|auf\sGrund|insb|insbes|i\.\s?S\.\s?(?:d|v)|iS[dv]|i\.\s?R\.\s?d|im\sSinne(?:\svon)?|im\sRahmen|etwa|"
        r"i\.\s?H\.\s?v|unter"
    ),
    "fr": (
        r"voir(?:\saussi)?|v(?=\.)|cf|selon|vu|aux\stermes\sde|en\s(?:application|vertu)\sde|conform[ée]ment\s[àa]|au\ssens\sde|"
        r"sur\sle\sfondement\sde|au\svisa\sde|par\sapplication\sde|au\stitre\sde|pr[ée]vue?s?\s(?:par|[àa])|citez?r?"
    ),
}  # fmt: skip
_WORDS["eu"] = "|".join(_WORDS.values())  # Union law is cited in any of them
_BEFORE = {
    language: lazy(rf"(?:{words})(?:\.,?|[,:])?\s{{1,3}}", re.IGNORECASE) for language, words in _WORDS.items()
} | {"ja": lazy(r"(?:参照条文|参照|根拠条文|根拠|cf\.?)\s?[:：、\s]\s{0,3}", re.IGNORECASE)}
# How signals begin: most references begin otherwise.
_HEADS: dict[str, frozenset[str]] = {
    "en": frozenset(("bu", "cf", "co", "ac", "e.", "pu", "un", "pe", "in", "by", "wi", "as", "se", "i.")),
    "de": frozenset((
        "si", "s.", "s ", "vg", "ve", "so", "na", "ge", "en", "la", "lt", "au", "we", "an", "im", "i.", "is", "et",
        "un",
    )),
    "fr": frozenset(("vo", "v.", "cf", "se", "vu", "au", "en", "co", "su", "pa", "pr", "ci")),
    "ja": frozenset(("参照", "根拠", "cf")),
}  # fmt: skip
_HEADS["eu"] = _HEADS["en"] | _HEADS["de"] | _HEADS["fr"]
_MOST = 3  # "See, e.g., (…)"


def unframed(reference: str, language: str) -> str:
    """A reference without what introduces or encloses it: `See, e.g., 17 U.S.C. § 107` -> `17 U.S.C. § 107`.

    Args:
        reference: the whole string that someone gives as a reference.
        language: whose signals are taken off: `en`, `de`, `fr`, `ja`, or `eu` for the first three.

    Returns:
        What is left; the string as it is where nothing would be.
    """
    text = reference.strip()
    if text[:2].lower() not in _HEADS[language] and text[:1] not in _CLOSING:
        return text
    before = _BEFORE[language]
    for _ in range(_MOST):
        inner = _unbracketed(text)
        signal = before.match(inner)
        inner = inner[signal.end() :] if signal else inner
        if inner == text or not inner:
            break
        text = inner
    return text


def _unbracketed(text: str) -> str:
    """The text inside a bracket or in quotation marks that hold all of it."""
    closing = _CLOSING.get(text[:1])
    if closing is None:
        return text
    bare = text.rstrip(" .,;")
    inside = bare[1:-1]
    if len(bare) < 3 or bare[-1] not in closing:
        return text
    # "(a) and (b)" is no bracket around all of it.
    depth = 1
    for char in inside:
        depth += (char == text[0]) - (char in closing)
        if depth == 0:
            return text
    return inside.strip()
