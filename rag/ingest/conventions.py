"""The tags that mean the same in every jurisdiction, written beside a publication's own ones; pure.

`type`, `document_form`, `court_level`, `enforcement_status`, `importance_level`, `formation_solemnity` and
`content_quality` have closed vocabularies (`VALUES`). A value is written only where what the source says leaves no
other: its series in the URN, its own tags, its dates. Where it does not, there is no tag. docs/tags.md lists the rules.
"""

from __future__ import annotations

import re
import unicodedata

from rag.jurisdictions.court_names import court_spellings
from rag.law.nodes import CITING_TYPES, ParsedDocument, ParsedNode
from retrieval.paths import parse_urn

VALUES: dict[str, tuple[str, ...]] = {
    "type": (
        "constitution", "constitutional_amendment", "treaty", "statute", "decree", "ordinance", "order", "regulation",
        "directive", "decision", "enforcement_decree", "bill", "judgment", "advisory_opinion",
    ),
    "document_form": ("constitution", "code", "act", "instrument"),
    "court_level": ("supranational", "constitutional", "supreme", "appellate", "first_instance"),
    "enforcement_status": (
        "in_force", "deferred_enforcement", "deferred_repeal", "repealed", "superseded", "expired", "annulled",
        "transferred", "disjoined", "never_in_force",
    ),
    "importance_level": ("highest_importance", "high_importance"),
    "formation_solemnity": ("full_court", "enlarged_panel", "single_judge"),
    "content_quality": ("extract", "incomplete"),
}  # fmt: skip

_IN_FORCE = "in_force"
# What the parsers call the standing of a provision. What is in none of these words (reserved, omitted, suspended)
# says that a provision is not simply in force, but not which of the values it has.
_STATUSES = {
    "repealed": "repealed", "repeal_pending": "deferred_repeal", "not_yet_in_force": "deferred_enforcement",
    "prospective": "deferred_enforcement", "superseded": "superseded", "expired": "expired", "annulled": "annulled",
    "transferred": "transferred", "severed": "disjoined", "never_in_force": "never_in_force",
}  # fmt: skip

# Jurisdiction, the series of law in its URN, type and form; an empty value is one that does not follow.
_SERIES: tuple[tuple[str, str, str, str], ...] = (
    ("us", r"\d+a?usc", "statute", "code"),
    ("us", r"\d+cfr", "regulation", "code"),
    ("us", r"(?:pl|pvtl)-\d+-\d+", "statute", "act"),
    ("us", r"comps-.+", "statute", ""),
    ("us-dc", r"code", "statute", "code"),
    ("us-dc", r"\d+[a-z]?dcmr", "regulation", "code"),
    ("us-ma", r"mgl-.+", "statute", "code"),
    ("us-ma", r"\d+cmr", "regulation", "code"),
    ("eu", r"1\d{4}[a-z]+.*", "treaty", ""),
    ("eu", r"3\d{4}r\d{4}.*", "regulation", ""),
    ("eu", r"3\d{4}l\d{4}.*", "directive", ""),
    ("eu", r"3\d{4}d\d{4}.*", "decision", ""),
    ("gb", r"(?:ukpga|ukla|ukppa|apgb|gbla|gbppa|aep|aip|aosp|asp|asc|anaw|nia|apni)-.+", "statute", "act"),
    ("gb", r"(?:mwa|mnia|ukcm)-.+", "statute", ""),
    ("gb", r"(?:uksi|ssi|wsi|nisr|nisi|ukci|ukmd|ukmo|uksro|nisro|ukdsi|sdsi|nidsr|nidsi)-.+", "", "instrument"),
    ("gb", r"eur-.+", "regulation", ""),
    ("gb", r"eudr-.+", "directive", ""),
    ("gb", r"eudn-.+", "decision", ""),
    ("gb", r"eut-.+", "treaty", ""),
)
# Tags of a law's root that name its nature in the publication's own words.
_NATURES: tuple[tuple[str, str, dict[str, tuple[str, str]]], ...] = (
    ("fr", "nature", {
        "CODE": ("", "code"), "LOI": ("statute", "act"), "ORDONNANCE": ("ordinance", ""),
        "DECRET": ("decree", "instrument"), "ARRETE": ("order", "instrument"),
        "CONSTITUTION": ("constitution", "constitution"), "LOI_CONSTIT": ("constitutional_amendment", "act"),
        "LOI_ORGANIQUE": ("statute", "act"),
    }),
    ("jp", "law_type", {
        "Constitution": ("constitution", "constitution"), "Act": ("statute", "act"),
        "CabinetOrder": ("order", "instrument"), "ImperialOrder": ("order", "instrument"),
        "MinisterialOrdinance": ("ordinance", "instrument"),
    }),
)  # fmt: skip
_BILLS = frozenset({"bill", "ukpubb", "ukprib", "ukhybb", "sppubb", "spprib", "sphybb", "nipubb", "scpubb", "scprib"})
_PLAIN_ACT = re.compile(r"act-\d{4}-.+")  # with more between, it is an act's subtype, such as a by-law
_AMENDMENT = re.compile(r"loi constitutionnelle\b", re.IGNORECASE)
_BRITISH_NAME = re.compile(r"\b(regulations|order)(?: \(northern ireland\)| \(scotland\)| \(wales\))?(?: \d{4})?\Z")
# A French code numbers what it took from an act, a decree or a ministerial order by a letter.
_LETTERS = ((r"LO?", "statute"), (r"[RD]", "decree"), (r"A", "order"))
_LETTERED = tuple((re.compile(rf"{letter}\.? ?\*{{0,2}} ?\d"), kind) for letter, kind in _LETTERS)
# The head of a German title: adjectives may stand before it, a preposition or another noun not.
_GERMAN = re.compile(
    r"(?:[a-zäöüß-]+(?:es|er|e) ){0,3}[a-zäöüß-]*?(grundgesetz|gesetzbuch|gesetz|verordnung)(?![\w-])", re.IGNORECASE
)
_GERMAN_KINDS = {
    "grundgesetz": ("constitution", "constitution"), "gesetzbuch": ("statute", "code"), "gesetz": ("statute", "act"),
    "verordnung": ("ordinance", "instrument"),
}  # fmt: skip

# What makes a decision something else than a judgment, or nothing that a value names.
_DECISION_NATURES = {
    "arret": "judgment", "jugement": "judgment", "judgment": "judgment", "ordonnance": "order", "order": "order",
    "beschluss": "order", "urteil": "judgment", "avis": "advisory_opinion", "判決": "judgment", "決定": "order",
}  # fmt: skip
_UNION_DECISIONS = {"cj": "judgment", "tj": "judgment", "co": "order", "to": "order", "cv": "advisory_opinion"}
_SEPARATE_OPINION = re.compile(r"concur|dissent|addendum", re.IGNORECASE)

# Jurisdiction (empty: any), what the court is called, its level. Courts that hear both first cases and appeals, as the
# High Court, a Landgericht or a 地方裁判所 do, are in none.
_COURTS: tuple[tuple[str, str, str], ...] = (
    ("", r"european court of human rights|cour européenne des droits de l.homme", "supranational"),
    ("us", r"^supreme court of (?:the )?united states", "supreme"),
    ("us", r"^(?:united states|u\. ?s\.) court of appeals for the ", "appellate"),
    ("us", r"^(?:united states|u\. ?s\.) (?:district|bankruptcy) court", "first_instance"),
    # Of New York and, once, of the District of Columbia it is a trial court.
    ("us", r"^supreme court of (?!.*(?:united states|new york|district of columbia|territory))(?:the state of )?\w",
     "supreme"),
    ("us", r"^(?:massachusetts )?supreme judicial court", "supreme"),
    ("us", r"^massachusetts appeals court|^appeals court of massachusetts", "appellate"),
    ("us", r"^(?:district of columbia|d\. ?c\.) court of appeals", "supreme"),
    ("us", r"^superior court of the district of columbia", "first_instance"),
    ("gb", r"supreme court of the united kingdom|house of lords", "supreme"),
    ("gb", r"^(?:ewca|court of appeal)\b|employment appeal tribunal", "appellate"),
    ("gb", r"first-tier tribunal", "first_instance"),
    ("fr", r"^(?:la )?cour de cassation|^cassation\b|^conseil d.[ée]tat\b", "supreme"),
    ("fr", r"^conseil constitutionnel", "constitutional"),
    ("fr", r"^cour (?:administrative )?d.appel\b", "appellate"),
    ("fr", r"^tribunal (?!des conflits|supérieur)|^conseil de prud", "first_instance"),
    ("de", r"^bundesverfassungsgericht", "constitutional"),
    ("de", r"^(?:bundesgerichtshof|bundes(?:verwaltungs|arbeits|sozial)gericht|bundesfinanzhof|reichsgericht)\b",
     "supreme"),
    ("de", r"^(?:oberlandesgericht|kammergericht|oberverwaltungsgericht|verwaltungsgerichtshof"
     r"|landes(?:arbeits|sozial)gericht)\b|\boberlandesgericht\b", "appellate"),
    ("de", r"^(?:amts|verwaltungs|arbeits|sozial)gericht\b", "first_instance"),
    ("jp", r"^最高裁判所", "supreme"),
    ("jp", r"高等裁判所", "appellate"),
    ("jp", r"簡易裁判所", "first_instance"),
)  # fmt: skip
_FORMATIONS = (
    (r"assembl[ée]e pl[ée]ni[èe]re|assembl[ée]e du contentieux|full[ _](?:court|bench)|\ben banc\b|\bplenary\b|大法廷",
     "full_court"),
    (r"chambres? mixtes?\b|section du contentieux|grand chamber|grande chambre", "enlarged_panel"),
    (r"juge unique|single[ _]judge|einzelrichter", "single_judge"),
)  # fmt: skip
_GRADES = {"A": "highest_importance", "B": "high_importance"}


def add_convention_tags(document: ParsedDocument) -> None:
    """Write the tags of `convention_tags` into the nodes. A tag that is there stays; a second run changes nothing."""
    for node, tags in zip(document.nodes, convention_tags(document), strict=True):
        node.tags = {**tags, **node.tags}


def convention_tags(document: ParsedDocument) -> list[dict[str, str]]:
    """The conventional tags of each node, in the order of the nodes.

    A node has the tags of what contains it, so that a tag stands at the root and, further down, only where it differs
    from what is above. `in_force` stands at sections and articles: a heading over repealed and other law is neither.
    """
    found: list[dict[str, str]] = [{} for _ in document.nodes]
    root = document.nodes[0]
    urn = parse_urn(document.corpus.urn)
    kinds = {"legislation": _law_tags, "section": _law_tags, "decision": _decision_tags}
    if root.kind in kinds:
        found[0].update(kinds[root.kind](document, urn.jurisdiction, urn.corpus))
    lettered = urn.jurisdiction == "fr" and not (found[0].get("type") or root.tags.get("type"))
    for node, tags, status in zip(document.nodes, found, _standings(document.nodes), strict=True):
        if status:
            tags["enforcement_status"] = status
        if lettered and node.structure_type == "ARTICLE" and (kind := _french_article(node)):
            tags["type"] = kind
        quality = "extract" if node.tags.get("extract") == "true" else ""
        quality = "incomplete" if node.tags.get("incomplete") == "true" else quality
        if quality:
            tags["content_quality"] = quality
    return [{key: value for key, value in tags.items() if value} for tags in found]


# --- legislation -----------------------------------------------------------------------------------------------------


def _law_tags(document: ParsedDocument, jurisdiction: str, corpus: str) -> dict[str, str]:
    kind, form = _kind_and_form(document.nodes[0], document.corpus.title, jurisdiction, corpus)
    return {"type": kind, "document_form": form}


def _kind_and_form(root: ParsedNode, title: str, jurisdiction: str, corpus: str) -> tuple[str, str]:
    tags = root.tags
    if tags.get("document_type", "").lower() in _BILLS:
        return "bill", ""
    for code, key, natures in _NATURES:
        if jurisdiction == code and tags.get(key) in natures:
            kind, form = natures[tags[key]]
            if _AMENDMENT.match(title):
                kind = "constitutional_amendment"
            # What carries an act out: 施行令.
            return ("enforcement_decree" if kind == "order" and title.endswith("施行令") else kind), form
    for code, series, kind, form in _SERIES:
        if jurisdiction == code and re.fullmatch(series, corpus):
            return (kind or (_british_kind(title) if code == "gb" else "")), form
    if jurisdiction == "fr" and "code" in tags:
        return "", "code"  # of acts, of decrees, or of both
    if jurisdiction == "de" and (head := _GERMAN.match(title)):
        return _GERMAN_KINDS[head[1].lower()]
    if tags.get("document_type") == "act" and _PLAIN_ACT.fullmatch(corpus):
        return "statute", "act"
    return "", ""


def _british_kind(title: str) -> str:
    """What an instrument calls itself: regulations, an order; rules and schemes have no value."""
    name = _BRITISH_NAME.search(title.lower())
    return {"regulations": "regulation", "order": "order"}[name[1]] if name else ""


def _french_article(node: ParsedNode) -> str:
    number = node.tags.get("article_number", "")
    return next((kind for pattern, kind in _LETTERED if pattern.match(number)), "")


def _standings(nodes: list[ParsedNode]) -> list[str]:
    """The value of each node, empty where it has none or the one above holds for it.

    A version counts as in force where its source dates it and says nothing else of it: it is only ever served on the
    days on which it is.
    """
    out: list[str] = []
    above: dict[str, str] = {}  # URN -> what holds for the node and below it: a value, or a word that is none
    for node in nodes:
        inherited = above.get(node.parent_urn or "", "")
        stated = node.tags.get("status", "")
        own = node.tags.get("enforcement_status") or _STATUSES.get(stated, stated)
        dated = node.structure_type in CITING_TYPES and node.kind == "legislation" and node.valid_from is not None
        if not own and dated and not inherited:
            own = _IN_FORCE
        above[node.urn] = own or inherited
        out.append(own if own != inherited and own in VALUES["enforcement_status"] else "")
    return out


# --- decisions -------------------------------------------------------------------------------------------------------


def _decision_tags(document: ParsedDocument, jurisdiction: str, corpus: str) -> dict[str, str]:
    tags = document.nodes[0].tags
    grade = tags.get("official_grade", "") if jurisdiction == "fr" else ""
    return {
        "type": _decision_kind(tags, jurisdiction, corpus),
        "court_level": "supranational" if jurisdiction == "eu" else _court_level(tags.get("court", ""), jurisdiction),
        "importance_level": _GRADES.get(grade, ""),
        "formation_solemnity": _first(_FORMATIONS, tags.get("formation", "").casefold()),
    }


def _decision_kind(tags: dict[str, str], jurisdiction: str, corpus: str) -> str:
    if nature := tags.get("nature") or tags.get("decision_type"):
        plain = "".join(
            character for character in unicodedata.normalize("NFKD", nature) if not unicodedata.combining(character)
        )
        return _DECISION_NATURES.get(plain.casefold(), "")
    if _SEPARATE_OPINION.search(tags.get("opinion_type", "")):
        return ""
    if jurisdiction == "eu" and (celex := re.match(r"6\d{4}([a-z]{2})\d", corpus)):
        return _UNION_DECISIONS.get(celex[1], "")
    return "judgment"


def _court_level(court: str, jurisdiction: str) -> str:
    """The level of a court by the first of its names that says it; empty where none does."""
    if not court:
        return ""
    patterns = [
        (pattern, level) for code, pattern, level in _COURTS if not code or f"{jurisdiction}-".startswith(f"{code}-")
    ]
    names = [unicodedata.normalize("NFKC", spelling).casefold().strip() for spelling in court_spellings(court)]
    return next((level for name in names if (level := _first(patterns, name))), "")


def _first(patterns: list[tuple[str, str]] | tuple[tuple[str, str], ...], text: str) -> str:
    return next((value for pattern, value in patterns if re.search(pattern, text)), "")
