"""Which declared or detected flag raises which alert, and what to say and do about it.

STOP: do not send. DANGER: change it first. DRIFT: the session has lost its footing. ATTENTION: read it once more.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rag.telemetry.quality.model import FLAGS, TIERS, Detected, ErrorType, Flag, QualityAlert, Severity, Tier

ALERTS: Mapping[Flag, tuple[Tier, str, str]] = {
    "safety_guidelines_not_fully_loaded": (
        "STOP",
        "The rules for legal research were not loaded in this session.",
        "Call safety_guidelines for the core and for each jurisdiction, then check the answer against them.",
    ),
    "response_asserts_legal_absence_as_inexistence": (
        "STOP",
        "A text was not found in this store; that does not mean that no such law exists.",
        "Rewrite the statement as what was searched and not found.",
    ),
    "response_contains_prescriptive_legal_advice": (
        "STOP",
        "The answer tells you what to do; it can only tell what the law says. A lawyer has to advise on your case.",
        "Replace the advice by the rule and its conditions.",
    ),
    "response_contains_outcome_prediction": (
        "DANGER",
        "The answer predicts how a case would end; nobody can know that from the text of the law.",
        "Replace the prediction by the conditions on which the outcome depends.",
    ),
    "response_claims_settled_case_law": (
        "DANGER",
        "The answer calls a question settled; decisions may differ or have changed.",
        "Cite the decisions that say so, with date, or remove the claim.",
    ),
    "response_cites_document_without_verbatim_or_locator": (
        "DANGER",
        "A document is cited without its words or the place in it, so that the citation cannot be checked.",
        "Add the quote and the section or paragraph, or remove the citation.",
    ),
    "context_contains_compaction_marker": (
        "DRIFT",
        "The conversation was summarised; details of earlier research may be lost.",
        "Open the cited documents again before relying on them.",
    ),
    "response_self_references_previous_turn": (
        "DRIFT",
        "The answer builds on an earlier answer and not on the sources.",
        "Cite the source itself.",
    ),
    "safety_guidelines_distant_or_unclear": (
        "DRIFT",
        "The rules for legal research were loaded long ago.",
        "Load them again.",
    ),
    "response_contains_flattery": (
        "DRIFT",
        "The answer flatters; that is no sign of its quality.",
        "Remove the flattery and look whether it hides a disagreement.",
    ),
    "response_cites_document_without_permanent_link": (
        "ATTENTION",
        "A document is cited without its permanent identifier.",
        "Add its URN.",
    ),
    "response_contains_legal_assertion_verb": (
        "ATTENTION",
        "The answer states what the law requires; check each such sentence against its quote.",
        "See that every such sentence cites its source.",
    ),
    "response_contains_hedge_marker": (
        "ATTENTION",
        "The answer is not sure of itself in places.",
        "Say for each doubt what it rests on and what would settle it.",
    ),
}
_UNCITED = (
    "The answer states law and cites no document.",
    "Cite a document for each statement of law, or remove the statement.",
)
_BY_SEVERITY: Mapping[Severity | None, Tier] = {
    "critical": "STOP", "important": "DANGER", "minor": "ATTENTION", None: "DANGER",
}  # fmt: skip
_ERRORS: Mapping[ErrorType, str] = {
    "fabricated_citation": "An earlier answer cited a document that does not exist.",
    "wrong_jurisdiction": "An earlier answer used the law of another jurisdiction.",
    "repealed_law": "An earlier answer rested on law that is no longer in force.",
    "misattribution": "An earlier answer ascribed words or a rule to the wrong document.",
    "temporal_error": "An earlier answer used the law of another date.",
    "wrong_article": "An earlier answer cited the wrong provision.",
    "user_correction": "You corrected an earlier answer.",
}
RELAY = "Translate these alerts into the user's language and pass them on before the answer, the most severe first."
RELAY_STOP = "Do not send the answer as it is. Do what the STOP alerts say, then call quality_check again."
NOTHING = "Nothing to relay."


def alerts_of(
    declared: Sequence[Flag],
    detected: Detected,
    *,
    cites: bool,
    error: ErrorType | None = None,
    severity: Severity | None = None,
) -> list[QualityAlert]:
    """The alerts of a debrief, the most severe first, then in the order of the checklist.

    Args:
        declared: flags that the caller declared true.
        detected: what detectors found, for the flags that they looked at.
        cites: whether documents were cited.
        error: the error of a correction; one found in the sources is never less than DANGER.
        severity: how severe the caller calls it.
    """
    found: list[QualityAlert] = []
    if error is not None:
        tier: Tier = "STOP" if error == "fabricated_citation" else _BY_SEVERITY[severity]
        act = "Say what was wrong and what is right, with the source; check what else rested on it."
        found.append(
            QualityAlert(tier=tier, flag=error, declared=True, detected=None, tell_the_user=_ERRORS[error], do=act)
        )
    for flag in FLAGS:
        if flag not in declared and not detected.get(flag):
            continue
        tier, tell, act = ALERTS[flag]
        if flag == "response_contains_legal_assertion_verb" and not cites:
            tier, (tell, act) = "DANGER", _UNCITED
        found.append(
            QualityAlert(
                tier=tier, flag=flag, declared=flag in declared, detected=detected.get(flag), tell_the_user=tell, do=act
            )
        )
    return sorted(found, key=lambda one: TIERS.index(one.tier))


def highest(alerts: Sequence[QualityAlert]) -> Tier | None:
    """The most severe tier; None without alerts."""
    return next((tier for tier in TIERS if any(one.tier == tier for one in alerts)), None)


def relay_of(alerts: Sequence[QualityAlert]) -> str:
    """What the caller has to do with the alerts."""
    if not alerts:
        return NOTHING
    return f"{RELAY_STOP} {RELAY}" if highest(alerts) == "STOP" else RELAY
