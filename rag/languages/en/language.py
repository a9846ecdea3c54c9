"""English: what questions and answers need of it. Annotation is in `terms.py`, operators in `operators.py`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache, partial
from typing import TYPE_CHECKING

from rag.languages.base import (
    Contrasts,
    Families,
    Language,
    LanguageRules,
    LimitPhrases,
    ListWords,
    QuestionWords,
    Reading,
    StatementWords,
    Want,
    WordFile,
    pattern,
    read_defining,
    read_examples,
    read_toml,
)  # fmt: skip
from rag.languages.en.tokens import PARTICIPLES, stem_or_figure

if TYPE_CHECKING:
    from rag.law.treatments import TreatmentWords

_WORDS = WordFile(__name__)
_START = r"(?:\A|(?<=[,;:–—-]\s))[^\w,;:–—-]*(?:(?:and|but|so)\s+)?"
_THIS = r"\bthis\s"

_QUESTIONS = QuestionWords(
    asks={
        Want.AMOUNT: pattern(
            r"\bhow\s(?:much|many|high)\b"
            r" | \bwhat\s(?:(?:is|are)\sthe\s(?:\w+\s){0,3})?"
            r"(?:maximum|highest|amount|sum|percentage|rate|limit|fee|fine|price)s?\b"
        ),
        Want.TIME: pattern(
            rf"{_START}(?:when|by\swhen|until\swhen)\b | \bhow\s(?:long|soon|late|quickly|often|far\sin\sadvance)\b"
            r" | \bhow\smany\s(?:\w+\s)?(?:hours|days|weeks|months|years)\b | \bhow\smuch\s(?:time|notice)\b"
            r" | \bdeadline\b | \b(?:what|which)\s(?:time|period|date|day)\b"
        ),
        Want.PERMISSION: pattern(
            rf"{_START}(?:may|can|could)\b | \bthe\sright\sto\b"
            r" | \b(?:allowed|permitted|entitled|legal|lawful|free)\sto\b"
        ),
        Want.DUTY: pattern(
            rf"{_START}(?:must|shall|should)\b"
            r" | \b(?:have|has|had|need|needs|required|obliged|obligated|supposed)\sto\b"
        ),
        Want.PERSON: pattern(rf"{_START}(?:who|whom|which\s(?:court|agency|office|person|body|authority))\b"),
    },
    asking=pattern(
        r"\bhow\s(much|many|high|long|soon|late|quickly|often|far)\b"
        r" | \b(highest|maximum|largest|biggest|lowest|smallest)\b | \b(may|must|shall|should)\b"
        r" | \b(?:what|which)\s(time|period|date)\b"
        r" | \b(required|obliged|obligated|supposed|allowed|permitted|entitled|free|lawful|legal)\sto\b"
    ),
    courtesy=_WORDS.words("questions", "courtesy"),
    when=pattern(r"(?<!by\s)(?<!until\s)\bwhen\b"),
    soon=pattern(
        r"\b(?:immediate\w*|prompt\w*|forthwith|delay|at\sonce|at\sany\stime|perpetual\w*|for\slife|lifetime)\b"
    ),
    lasts=pattern(r"\bhow\s(?:long|soon|late|quickly|far\sin\sadvance|much\stime)\b"),
    recurs=pattern(r"\b(?:daily|weekly|monthly|quarterly|annually|yearly)\b"),
    times=_WORDS.words("questions", "times"),
    amount_of=pattern(r"\bhow\s(?:much|many)\s(?P<first>[a-z]+)(?:\s(?P<second>[a-z]+))?"),
    money=_WORDS.words("questions", "money"),
    clauses=re.compile(
        r",|;|\b(?:even though|although|though|because|but|since|while|whereas)\b", re.IGNORECASE
    ),
    joined=pattern(r"[,;]?\sand\s(?=(?:wh\w+|how|may|must|can|do|does|is|are)\b)"),
    openers=_WORDS.words("questions", "openers"),
    within=_WORDS.words("questions", "within"),
    auxiliaries=_WORDS.words("questions", "auxiliaries"),
    existential="there",
    passives=_WORDS.words("questions", "passives"),
    perfect=_WORDS.words("questions", "perfect"),
    infinitive=frozenset({"to"}),
    genitive=frozenset({"of"}),
    adverb_endings=("ly",),
    participle_endings=_WORDS.listed("questions", "participle_endings"),
    agents=frozenset({"by"}),
    pronouns=frozenset({"it", "them", "him", "her"}),
    inflected=pattern(r"(?<![su])s\Z"),
    meaning=pattern(
        r"""\A\W*(?:(?:and|but|so|please|exactly)\s)*(?:
              what\s(?:exactly\s)?(?:does|do|did)\s(?:the\s(?:legal\s)?(?:term|word|phrase|expression)s?\s)?
                (?P<means>.+?)\s(?:legally\s|exactly\s)?mean\b(?P<where>.*)
            | how\s(?:is|are)\s(?:the\s(?:term|word|phrase|expression)s?\s)?(?P<defined>.+?)\sdefined\b(?P<where2>.*)
            | (?:what(?:['’]s|\sis|\sare)\s)?(?:(?:meant|understood)\sby
                |(?:the\s)?(?:legal\s|statutory\s)?(?:meaning|definition)s?\sof)\s(?:the\sterm\s)?(?P<of>.+)
            | (?:define|(?:who|what)\s(?:counts|qualifies)\sas|what\sconstitutes)\s(?:the\sterm\s)?(?P<counts>.+)
            | (?:what|who)(?:['’]s|\sis|\sare|\sexactly\sis)\s(?!the\b|my\b|your\b|his\b|her\b|their\b|our\b)(?P<is>.+)
        )\Z"""
    ),
    under=pattern(
        r"\s(?:in|under|within|by|according\sto|as\s(?:used|defined)\s(?:in|by)|pursuant\sto|for\s(?:the\s)?purposes?\sof)\b"
        r"(?:\s(?:the\s)?(?:laws?|statutes?)(?:\sof)?\b)?"
    ),
)  # fmt: skip

_LIMITS = LimitPhrases(
    against=pattern(r"\A\W*(?:however|but|nevertheless|nonetheless)\b"),
    opens=pattern(r"\A\W*(?:notwithstanding|despite|provided|except|unless|otherwise)\b"),
    takes_back=pattern(
        r"""\b(?:do|does|did|shall|will|may)\snot\s(?:be\s(?:deemed|construed)\sto\s)?apply\b
          | \bno\b[^.;]{0,80}\b(?:is|are)\s(?:required|needed|necessary)\b | \b(?:is|are)\snot\srequired\b
          | \bmay\s(?:keep|retain|withhold|deduct|refuse|waive|dispense|excuse|exempt)\b"""
    ),
    narrows=pattern(
        r"""\bappl(?:y|ies)\s(?:only|solely)\b | \bonly\sappl(?:y|ies)\b
          | \b(?:nothing|no\sprovision)\sin\b[^.;]{0,80}?\b(?:appl(?:y|ies)|prevents?|prohibits?|precludes?|requires?
            |restricts?|forbids?|bars?|(?:shall|may|must|is\sto)\s(?:apply|prevent|prohibit|preclude|require|restrict
            |be\s(?:construed|deemed|taken|read|interpreted)\s(?:to|as)))"""
    ),
    prevails=pattern(r"\A\W*(?:notwithstanding|despite|regardless\sof)\b[^,:;—]*"),
    precedes=pattern(
        r"\b(?:preceding|foregoing|previous)\s"
        r"(?:subsection|paragraph|subparagraph|section|article|rule|provision|clause)\b"
    ),
    law=pattern(
        rf"{_THIS}(?:act|code|law|statute|ordinance|order|title|subtitle|chapter|subchapter|part|subpart|division|schedule"
        r"|scheme|charter|policy|lease|contract|agreement|licen[cs]e)\b"
        r"|\bthese\s(?:regulations|rules|orders|bye?-?laws|articles|terms|conditions)\b"
    ),
    section=pattern(rf"{_THIS}(?:section|article|rule|regulation|provision)\b"),
    part=pattern(rf"{_THIS}(?:subsection|paragraph|subparagraph|clause)\b"),
    units=(
        r"secs?\.", r"(?:sections?|articles?|rules?|regulations?|(?:sub)?paragraphs?|chapters?|parts?|subsections?)\b",
    ),
    joints=("and", "or"),
    to=("to", "through"),
    placed=r"of\sthis",
    # "It is unlawful" and "this section" lean on nothing.
    leans=pattern(
        r"""\A\W*(?:
            (?:but|however|nevertheless|moreover|otherwise|likewise|they|he|she|such)
            | if\s(?:so|not) | in\s(?:that|such|this)\s(?:case|event) | it(?!\s(?:is|shall\sbe)\b)
            | (?:this|that|these|those)(?=\s(?:is|are|does|do|shall|may|must)\b)
        )\b"""
    ),
    changes=pattern(
        r"\b(?:(?:may|shall|must|will)\sbe|is|are)\s(?:further\s)?"
        r"(?:extended|reduced|increased|shortened|prolonged)\b"
    ),
    # `In the definition of "benefit", at the end insert "..."`: the words are another law's.
    amending=pattern(
        r"""(?<!shall\s)(?<!must\s)(?<!may\s)(?<!not\s)(?<!to\s)\b(?:insert|substitute|omit)\b(?=.{0,400}["“”‘’'])
        | \b(?:is|are|shall\sbe)\s(?:inserted|substituted|omitted|repealed|amended)\b(?=.{0,400}["“”‘’'])
        | ["“”‘’']\s*(?:there\s)?(?:is|are|shall\sbe)\s(?:inserted|substituted|omitted)\b"""
    ),
    reference=pattern(
        r"(?:§+|\b(?:sections?|articles?|paragraphs?|subsections?|subparagraphs?|parts?|chapters?|titles?|regulations?"
        r"|arts?|cfr|usc|u\.s\.c|c\.f\.r)\b\.?)\s*\(?\d[\w.()\[\]–-]*"
        r"(?:\s?(?:,|and|or|to|through)\s\(?\d[\w.()–-]*)*|\(\w{1,4}\)"
    ),
    words=_WORDS.words("limits", "words"),
)  # fmt: skip

# The subject and the modal, and beside them at most what is between commas or a word such as `also`.
_ADVERB = r"(?:\s(?:also|either|then|further|thereafter|hereby|[a-z]+ly))?"
_ASIDE = (
    r"(?:,\s(?:and\s)?(?:as|in|on|upon|within|after|before|by|at|with|without|for|under|from|not\slater)\b"
    r"[^,:;]{1,120}){0,3},?"
)
_DO = r"(?:\sdo\s(?:any|one)\s(?:or\smore\s)?of\sthe\sfollowing(?:\s\w+)?)?"
_END = rf"{_ADVERB}{_ASIDE}{_DO}\W*\Z"
_LISTS = ListWords(
    either=r"or|and/or",
    both=r"and",
    any_of=pattern(
        r"""\b(?:any\s(?:one\s)?(?:or\smore\s)?of | one\s(?:or\smore\s)?of | either(?:\sof)?)
            (?:\sthe\sfollowing[^:;]{0,80})?\W*\Z"""
    ),
    whole=pattern(
        r"""\b(?:means? | meanings? | defined\sas | construed\sas | consists?\sof | consisting\sof
            | comprises? | constitutes? | each | all\sof | all\sthe | both | only | solely | until
            | (?:lesser|lower|lowest|least|smaller|smallest|greater|greatest|higher|highest|larger|largest|earlier
              |earliest|later|latest|sum|total|product|difference|average|extent)\sof
            | difference\sbetween | conditions? | requirements? | criteria | factors? | tests? | eligible | sufficient
            | qualify | valid | whichever | provided\s(?:that|however) | provided\W*\Z
            )\b | ["“”«»„] | \A\W*(?:in\sorder\s)?to\b"""
    ),
    exception=pattern(
        r"(?:\A|,\s|\b)(?:unless | except(?:\s(?:that|where|when|if|as|for|in))? | excepting | other\sthan)\b"
    ),
    ban=pattern(
        rf"""\b(?:(?:shall|may|must|can|will|do|does|is|are)\s(?:not|never)(?:\sto)? | no\b[^.:;]*\b(?:shall|may)
            | (?:unlawful|prohibited|illegal|forbidden)\b[^:;]{{0,80}}\bto){_END}"""
    ),
    power=pattern(
        rf"""\b(?:may(?!\snot\b) | (?:is|are)\s(?:hereby\s)?(?:authori[sz]ed|empowered|entitled|permitted|allowed)\sto
            | ha(?:s|ve)\s(?:the\s)?(?:power|right|authority)\sto){_END}"""
    ),
    duty=pattern(
        rf"""\b(?:(?:shall|must)(?!\snot\b) | (?:is|are)\s(?:required|obliged|bound)\sto
            | ha(?:s|ve)\s(?:a|the)\sduty\sto){_END}"""
    ),
    modal_ban=pattern(
        r"""\b(?:(?:shall|may|must|can)\snot | no\b[^.:;]*\b(?:shall|may)
            | (?:unlawful|prohibited|illegal|forbidden))\b"""
    ),
    modal_power=pattern(r"\b(?:may(?!\snot\b) | (?:authori[sz]ed|empowered|entitled|permitted|allowed)\sto)\b"),
    modal_duty=pattern(r"\b(?:shall | must | required | obliged | bound)\b(?!\snot\b)"),
    opens=pattern(
        r"\b(?:if | when(?:ever)? | where(?:ver)? | in\sthe\s(?:event|case)\s(?:that|of) | who | which | that)\b"
    ),
    relative=pattern(r"(?:who|which|that)\Z"),
    denies=pattern(r"\b(?:not | no | neither | nor | without | fails? | failed | failure | lacks? | unable)\b"),
    includes=pattern(
        r"\b(?:shall|must)\s(?:also\s)?include(?:,\s(?:but\s[^:]{1,40}|without\slimitation),?)?"
        r"(?:\sthe\sfollowing(?:\s\w+)?|\s(?:an?|the)\s\w+\sof)?\W*\Z"
    ),
    case=pattern(r"\A\W*(?:if | when | where | in\s(?:the\s)?(?:case|event))\b"),
    state=pattern(
        r"""\A\W*(?:be | have | not | contain | include | state | specify | identify | describe | indicate | show
            | consist | meet | satisfy | comply)\b"""
    ),
    leans=pattern(
        r"""\b(?:such(?!\sas\b) | (?:any|all|in)\s(?:such\s)?other | other\scases? | otherwise | the\sother
            | aforesaid | the\slatter | the\sformer | the\sforegoing
            | (?:sub)?(?:paragraph|clause|item)s?\s\((?:\w{1,4})\))(?!\w)"""
    ),
    compares=pattern(r"\b(?:if\s(?:\w+\s)?(?:earlier|later|greater|less|lower|higher|more) | whichever)\b"),
    rules=pattern(
        r"""\bfollowing\s(?:\w+\s){0,2}(?:rules?|provisions?|definitions?|terms|words|procedures?|principles)\b
            [^.:;]*\b(?:apply|applies|govern|used|have)\b
            | \b(?:shall|must)\s(?:comply\swith|conform\s(?:to|with)|observe|follow)\sthe\sfollowing\b
              [^.:;]{0,60}\W*\Z"""
    ),
    defines=pattern(
        r"""\A\W*?(?:(?:the\s)?(?:term|word|phrase|expression)s?\s)?(?:(?:an?|the)\s)?["“‘'][^"”’]{1,90}["”’'].{0,120}?
              \b(?:means? | includes? | does\snot\sinclude | ha(?:s|ve)\sthe | refers? | is | are | shall)\b
          | \A(?:[\w-]+\s){1,8}(?:means | includes | has\sthe\s(?:same\s)?meaning)\b"""
    ),
)


def _rules() -> LanguageRules:
    from rag.languages.en.terms import English

    return English()


def _read(text: str, terms: Iterable[str]) -> Reading:
    from rag.languages.en.operators import read

    return read(text, terms)


@cache
def _contrasts() -> Contrasts:
    from rag.languages.en.operators import content_stem

    return _WORDS.contrasts(content_stem)


_NAME_WORD = r"(?:[A-Z][\w.'’&-]*|&)"
_SMALL = r"(?:of|the|and|for|in|on|de|du|la|ex rel\.|et al\.|d/b/a|to|upon|a)"
_PARTY = rf"{_NAME_WORD}(?:,? (?:{_NAME_WORD}|{_SMALL} (?={_NAME_WORD}|{_SMALL} )))*"
_NAME = rf"(?:(?:In re|Ex parte|Re|In the Matter of) {_PARTY}|{_PARTY},? vs?\.? {_PARTY})"
# `244 U.S. 205`, `55 Ct. Clms. 424`; `[1995] 2 AC 207`, `[2021] EWCA Civ 448`, `(1922) 3 KB 1`
_REPORT = (
    r"(?:\d{1,4} [A-Z][A-Za-z.' &()-]{0,24}?\.? ?(?:\(?[23]d\)?|App\.)? ?\d{1,5}"
    r"|[\[(]\d{4}[\])] (?:\d+ )?[A-Z][A-Za-z. ]{0,16}(?: ?\(\w+\))? ?\d+"
    r"(?: \((?:Ch|QB|KB|Comm|Admin|Fam|Pat|TCC|IPEC)\))?)"
)
# What belongs to a citation after it: a further report, a page, a paragraph, a year.
_TAIL = (
    rf"(?:,? (?:supra|ante|post|above|infra)|,? {_REPORT}|,? (?:at |p+\. ?)?\[?\d{{1,5}}\]?(?=[,;. )]|\Z)(?: et seq\.)?"
    r"|(?:[–-]|, )\[?\d{1,5}\]?|,? (?:at )?\[\d+\](?:[–-]\[?\d+\]?)?| \((?:[A-Z][\w. ]*)?\d{4}\)"
    r"|, \d+ (?:Sup|S)\. ?Ct\.(?: Rep\.)? \d+| line of (?:authority|authorities|cases))*"
)
_PROVISION = r"(?:§§?|[Ss]ections?|[Aa]rticles?) ?\d[\w.()-]*(?: of (?:the )?(?:[A-Z][\w.']*(?: of)? ?)+(?:\d{4})?)?"
_CITED = rf"(?:{_NAME}|the [A-Z][\w.' ]{{1,40}} Cases?)(?:{_TAIL})|{_REPORT}(?:{_TAIL})|{_PROVISION}"


@cache
def _treatments() -> TreatmentWords:
    """How decisions say what they do to other decisions and to law, and how they cite them; read once."""
    from rag.law.treatments import TreatmentWords

    table = read_toml(__name__, "treatments.toml")
    laws = "|".join(table["heads"]["laws"])
    decisions = "|".join(table["heads"]["decisions"])
    case = (
        rf"(?!.*\b(?:{laws})\b)(?:\bvs?\.? |\b[Cc]ases?\b|\b\d+ [A-Z][\w. ]*\d|\bIn re\b|\bEx parte\b|^Re |\[\d{{4}}\]"
        rf"|^[A-Z][\w']+(?: [A-Z][\w']+){{0,2}}$)|\bv\. |(?i:\b(?:{decisions})\b)"
    )
    return TreatmentWords.read(table, case=case, citations=_CITED, tail=_TAIL, name=rf"{_NAME},? ")


def _is_neutral(word: str) -> bool:
    from rag.languages.en.operators import is_neutral

    return is_neutral(word)


_STATEMENTS = StatementWords(
    forbids=r"\b(?:forbid|prohibit|unlawful|illegal|cannot|bans?\b|bars?\b|barred)",
    purpose=(
        r"\b(?:for (?:the )?(?:sole )?purposes? of(?! this| these| the (?:act|part))|in order to|"
        r"with (?:a view|intent) to|with the (?:aim|object|intention) of|so as to)\b"
    ),
    without=r"\bwithout\b",
    either=r"\bwhether\sor\snot\b|\bor\snot(?=\s?(?:[,;.)]|\Z))",
    relative=r"\b(?:who|whom|whose|which|that)\b",
    alternative=r"or",
    common=_WORDS.words("statements", "common"),
    matter=r"\b(?:here|in our case|in this case|in the present case|for our client)\b",
    happened=r"\b(?:did(?:n['’]t)?|was(?:n['’]t)?|were(?:n['’]t)?|had(?:n['’]t)?|has (?:not |never )?\w+ed)\b",
    joins=r"and|but|or",
    months=r"january|february|march|april|may|june|july|august|september|october|november|december",
    same_provision=(
        r"(?:the\ssame|this|that|the)\s(?:section|subsection|provision|paragraph|article|regulation|"
        r"rule)\b"
    ),
    author=_WORDS.words("statements", "author"),
)

LANGUAGE = Language(
    code="en",
    stem=stem_or_figure,
    examples=partial(read_examples, __name__),
    placeholders=_WORDS.placeholders(),
    search=_WORDS.search(
        splits=(
            (re.compile(r"\A(?:cannot|can't)\Z"), "can not"),
            (re.compile(r"\Awon't\Z"), "will not"),
            (re.compile(r"\Ashan't\Z"), "shall not"),
            (re.compile(r"n't\Z"), " not"),
            (re.compile(r"'s\Z"), ""),
        )
    ),
    sentences=_WORDS.sentences(),
    questions=_QUESTIONS,
    limits=_LIMITS,
    lists=_LISTS,
    statements=_STATEMENTS,
    families=Families(_WORDS.endings()),
    rules=_rules,
    defining=partial(read_defining, __name__),
    read=_read,
    is_neutral=_is_neutral,
    parts=_WORDS.parts("or", frozenset(PARTICIPLES)),
    contrasts=_contrasts,
    treatments=_treatments,
)
