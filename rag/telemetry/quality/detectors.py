"""Detectors of the self-audit flags: patterns over a text that the engine served. Pure; nothing of the text is kept.

What only a model's context shows (a summary of the conversation, guidelines read long ago) no detector looks at.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from rag.answering.answer import Claim
from rag.telemetry.quality.model import Detected, Flag

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


def detect_in_claims(claims: Sequence[Claim]) -> Detected:
    """Which flags the claims of a served answer raise, their citations included; nothing without claims."""
    if not claims:
        return {}
    found = detect_in_text("\n".join(one.text for one in claims))
    quotes = [one for claim in claims for one in claim.citations]
    uncited = any(not claim.citations for claim in claims)
    found["response_cites_document_without_verbatim_or_locator"] = uncited or any(not one.quote for one in quotes)
    found["response_cites_document_without_permanent_link"] = uncited or any(not one.urn for one in quotes)
    return found
