"""The checklist of `quality_check`: which flags a served text raises, and which alert each flag raises.

STOP: do not send. DANGER: change it first. DRIFT: the session has lost its footing. ATTENTION: read it once more.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from rag.answering.answer import Answer
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
    return sorted(found, key=lambda alert: TIERS.index(alert.tier))


def highest(alerts: Sequence[QualityAlert]) -> Tier | None:
    """The most severe tier; None without alerts."""
    return next((tier for tier in TIERS if any(alert.tier == tier for alert in alerts)), None)


def relay_of(alerts: Sequence[QualityAlert]) -> str:
    """What the caller has to do with the alerts."""
    if not alerts:
        return NOTHING
    return f"{RELAY_STOP} {RELAY}" if highest(alerts) == "STOP" else RELAY


# Detectors of the flags: patterns over a text that the engine served. Pure; nothing of the text is kept. What only a
# model's context shows (a summary of the conversation, guidelines read long ago) no detector looks at.

_PATTERNS: Mapping[Flag, str] = {
    "response_self_references_previous_turn": (
        r"\b(?:as (?:I|we) (?:said|mentioned|explained|noted)|(?:my|our) (?:previous|earlier|last) (?:answer"
        r"|response|message)"
        r"|as (?:mentioned|discussed|noted) (?:above|earlier|before|previously)|comme je l'ai (?:dit"
        r"|mentionné|expliqué)"
        r"|(?:ma|notre) réponse précédente|wie (?:bereits|schon|oben) (?:erwähnt|gesagt|ausgeführt)"
        r"|meine[rn]? (?:vorherigen?|letzten?) Antwort)\b"
        r"|前回(?:の回答|お答え)|先ほど(?:述べ|申し上げ|説明)"
    ),
    "response_contains_flattery": (
        r"\b(?:(?:great|excellent|good|fantastic|brilliant|insightful) (?:question|point|observation)"
        r"|you(?:'re| are) (?:absolutely|completely|quite) right"
        r"|(?:excellente|très bonne|bonne) question|vous avez (?:tout à fait|parfaitement) raison"
        r"|(?:gute|ausgezeichnete|hervorragende|tolle) Frage|Sie haben (?:völlig|vollkommen|absolut) recht)\b"
        r"|素晴らしい(?:質問|ご質問)|おっしゃる通り"
    ),
    "response_contains_prescriptive_legal_advice": (
        r"\b(?:you (?:should|ought to|had better|need to|must) (?:now |immediately |first )?(?:sue|file|sign"
        r"|refuse|withhold|terminate|appeal|contact|hire|"
        r"consult|send|demand|claim|pay|stop|leave|accept|reject|report|negotiate|document|keep|write|ask|go"
        r"|take)|(?:I|we) (?:recommend|advise|suggest|urge)"
        r"|my advice|vous (?:devriez|avez intérêt à)|je vous (?:conseille|recommande)|Sie sollten|ich (?:rate"
        r"|empfehle) Ihnen)\b|(?:訴える|相談する|請求する|する)べきです|お勧めします"
    ),
    "response_contains_outcome_prediction": (
        r"\b(?:you (?:will|would|are (?:likely|sure|going) to) (?:\w+ly )?(?:win|lose|prevail|succeed"
        r"|recover)|the (?:court|judge|tribunal) (?:will|would|is likely to)"
        r"|(?:your|the) (?:case|claim|appeal) (?:will|would|is likely to) (?:succeed|fail)"
        r"|chances of (?:success|winning)|vous (?:allez )?(?:gagner|gagnerez|perdrez|perdre)"
        r"|le (?:juge|tribunal) (?:va|devrait|condamnera)|chances de succès|Sie (?:werden"
        r"|würden) (?:\w+ )?(?:gewinnen|verlieren|obsiegen)"
        r"|das Gericht wird|Erfolgsaussichten)\b|勝訴(?:する|でき)|敗訴する"
    ),
    "response_contains_legal_assertion_verb": (
        r"\b(?:shall|must|may not|is (?:required|prohibited|entitled|liable|unlawful|void)|are (?:required"
        r"|prohibited|entitled|liable|unlawful|void)|requires?|prohibits?"
        r"|provides that|doit|doivent|est (?:tenu|interdit|nul)|ne peut|ist (?:verpflichtet|berechtigt"
        r"|unwirksam|nichtig)|muss|müssen|darf nicht|dürfen nicht)\b"
        r"|しなければならない|してはならない|することができる|義務を負う"
    ),
    "response_contains_hedge_marker": (
        r"\b(?:might|possibly|perhaps|probably|arguably|presumably|it (?:seems|appears)|could be argued"
        r"|I (?:think|believe)|peut-être|sans doute|probablement|il semble"
        r"|möglicherweise|vermutlich|wohl|vielleicht|es scheint)\b|おそらく|かもしれ|と思われ|可能性があ"
    ),
    "response_claims_settled_case_law": (
        r"\b(?:settled (?:case[ -])?law|(?:well[- ]|firmly )(?:settled|established)"
        r"|consistent(?:ly)? (?:case law|held)|courts have (?:always|consistently|uniformly)"
        r"|jurisprudence (?:constante|établie|bien établie)|ständige[rn]? Rechtsprechung"
        r"|gefestigte[rn]? Rechtsprechung|herrschende[rn]? Meinung)\b|確立した判例|判例上確立|通説"
    ),
    "response_asserts_legal_absence_as_inexistence": (
        r"\b(?:there (?:is|are|exists?) no (?:\w+ ){0,3}(?:law|laws|rule|rules|statute|statutes|provision"
        r"|provisions|regulation|regulations)|no such (?:law|rule|statute|provision)"
        r"|the law (?:does not|doesn't) (?:regulate|address|cover|mention)|il n'(?:existe|y a) (?:aucune?"
        r"|pas de) (?:loi|règle|texte|disposition)"
        r"|es (?:gibt|besteht|existiert) kein[e]? (?:\w+ ){0,2}(?:Gesetz|Regel|Vorschrift|Norm|Regelung))\b"
        r"|(?:法律|規定|条文)は(?:存在しません|ありません|存在しない)"
    ),
}  # fmt: skip
_COMPILED: Mapping[Flag, re.Pattern[str]] = {
    flag: re.compile(pattern, re.IGNORECASE) for flag, pattern in _PATTERNS.items()
}


def detect_in_text(text: str) -> Detected:
    """Which flags about wording a text raises; every flag with a pattern is looked at."""
    plain = text.replace("\u2019", "'")
    found: Detected = {flag: pattern.search(plain) is not None for flag, pattern in _COMPILED.items()}
    return found


def detect_in_answer(answer: Answer) -> Detected:
    """Which flags the text of an answer raises, its citations included; nothing where it serves no text."""
    if answer.parts:
        raised = [detect_in_answer(part) for part in answer.parts.values()]
        return {flag: any(found.get(flag, False) for found in raised) for found in raised for flag in found}
    statements = [*answer.statements, *answer.definitions, *answer.limits, *answer.rest]
    short = [answer.short_answer.text] if answer.short_answer is not None else []
    texts = [
        *short,
        *(statement.text for statement in statements),
        *(f"{place.sentence} {place.rest}" for place in answer.places),
    ]
    if not texts:
        return {}
    found = detect_in_text("\n".join(texts))
    quotes = [citation for statement in statements for citation in statement.citations]
    uncited = any(not statement.citations for statement in statements)
    found["response_cites_document_without_verbatim_or_locator"] = uncited or any(not quote.quote for quote in quotes)
    found["response_cites_document_without_permanent_link"] = uncited or any(not quote.urn for quote in quotes)
    return found
