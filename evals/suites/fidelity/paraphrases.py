"""Truth-known rewordings: claims that mean what the law says, made by rules. Withholding one is a false alarm."""

from __future__ import annotations

import random
import re

from evals.suites.fidelity.mutators import swap_one

AMOUNT = re.compile(
    r"(?<![\w.:§$(-])\d{1,3}(?= (?:business |calendar )?(?:days?|months?|years?|weeks?|hours?|percent|or more)\b)"
)

PLAIN = {
    "shall": "must", "shall not": "must not", "may not": "must not", "is required to": "must",
    "pursuant to": "under", "in accordance with": "under", "set forth in": "under",
    "prior to": "before", "subsequent to": "after", "when": "if", "in the event that": "if",
    "not more than": "no more than", "not less than": "at least", "not later than": "no later than",
    "in excess of": "more than", "exceeding": "more than", "other than": "except", "percent": "%",
    "commence": "begin", "terminates": "ends", "purchase": "buy", "furnish": "provide", "obtain": "get",
    "such": "the", "each": "every",
    # Longer than the words above and left as they are, for there the shorter word means something else.
    "such as": "such as", "each of": "each of", "each other": "each other", "in cases when": "in cases when",
}  # fmt: skip


def paraphrase(text: str, rng: random.Random) -> str | None:
    """One to three rewordings that leave the meaning alone."""
    out = text
    if out.startswith("No ") and (match := re.match(r"No ([a-z]+) (?:shall|may) ", out)):
        out = f"A {match[1]} must not {out[match.end() :]}"
    for _ in range(rng.randint(1, 3)):
        if rng.random() < 0.7:
            out = swap_one(out, PLAIN, rng) or out
        else:
            out = AMOUNT.sub(
                lambda match: {"2": "two", "3": "three", "10": "ten", "30": "thirty"}.get(match[0], match[0]), out
            )
    if rng.random() < 0.3:
        out = (
            rng.choice(("Under this section, ", "The law provides that ", "Under the law, ")) + out[0].lower() + out[1:]
        )
    return out if out != text else None
