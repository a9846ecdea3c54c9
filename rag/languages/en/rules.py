"""English words for defining, as law in English uses them; the words for excepting are in `english_links.py`."""

from __future__ import annotations

import re

from rag.languages.en.exceptions import ENGLISH_KINDS, SCOPE_JOINT
from rag.law.phrases import DefinitionPhrases, WordLists


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_QUOTED = r"(?:‘‘[^‘’“”\"\n]{1,120}’’|[“\"‘][^“”\"\n]{1,120}[”\"’])"
_REFERENCE_VERB = (
    r"(?:shall )?(?:each |both )?(?:has|have|is given|are given|bears?|carr(?:y|ies))"
    r"(?:, [^.;:,“”\"\n]{1,80},)? (?:the |its |their )?(?:same |following |respective |extended ){0,2}"
    r"(?:meanings?|definitions?)\b|(?:is|are|shall be) (?:as )?defined (?:in|by|under|at|pursuant to)\b|"
    r"(?:is|are|shall be)(?: \((?:[^()]|\([^()]{1,12}\)){1,80}\))?(?: to be)? (?:construed|read|interpreted)"
    r" (?:in accordance with|by reference to|with)\b"
    # "occupier, of land, see section 8": the entry of a list.
    r"|see (?=(?:the )?(?:(?:sub)?sections?|regulations?|rules?|clauses?|articles?|paragraphs?|schedules?|part)\b)"
)
_EXCLUDES_VERB = (
    r"(?:does|do|shall|will|may) not (?:be (?:construed|deemed) to )?(?:mean|include|refer to)\b|excludes?\b"
)
_MEANS_VERB = (
    r"(?:shall |may |must )?means?\b(?! by which| of |,? also\b)|(?:is|are|shall be|will be) (?:hereby )?"
    r"(?:defined (?:as|to (?:mean|be))|deemed to (?:mean|be|include)|construed "
    r"(?:as|according to|to (?:mean|be|include))|"
    r"understood (?:as|to (?:mean|be|include)))|"
    r"(?:is|are|shall be|is to be|are to be) (?:construed|read) accordingly\b|"
    r"ha(?:s|ve) (?:a )?corresponding meanings?\b|ha(?:s|ve) (?:its|their) (?:ordinary|usual|natural) meanings?\b|"
    r"refers? (?:only |solely )?to\b|(?:occurs?|exists?) (?:when|if|where)\b|denotes?\b|characteri[sz]es?\b|"
    r"signif(?:y|ies)\b|stands? for\b|compris(?:e|es)\b|consists? (?:of|in)\b|describes?\b|"
    r"(?:shall be applied|is applied|are applied) (?:only )?to\b"
)
# What a term "also means" adds to its meaning.
_INCLUDES_VERB = r"(?:(?:shall |may |also |further )?(?:also )?includes?|(?:shall |may )?also means?|means?,? also)\b"
_VERBS = (
    f"(?:(?P<reference>{_REFERENCE_VERB})|(?P<excludes>{_EXCLUDES_VERB})|(?P<means>{_MEANS_VERB})"
    f"|(?P<includes>{_INCLUDES_VERB}))"
)
_I = re.IGNORECASE

# What a scope phrase names: levels of a law, and the initials of a code before a number ("ORS 90.505").
_UNIT = (
    r"(?:(?:sub-?)?(?:sections?|paragraphs?|clauses?|articles?|parts?|chapters?|titles?|divisions?)|regulations?"
    r"|rules?|schedules?|annex(?:es)?|appendi(?:x|ces)|§{1,2}|(?-i:ss?\.)|(?-i:[A-Z][A-Z.]{1,7})(?=\s\d))"
)
_BARE = r"(?P<term>[a-z][\w’'-]*(?: [\w’'-]+){0,4}?)"  # a term without marks, a few words in lower case
_MARKED = rf"[“\"‘]?{_BARE}[”\"’]?"  # the same, in quotation marks or without
_ASIDE = r"(?:,[^.;:,“”\"\n]{1,80},| \((?:[^()]|\([^()]{1,12}\)){1,80}\))?"  # "is, subject to section 5, a T"
_READ = r"(?:is|are|shall be)(?: to be)? (?:read|construed|taken|treated)"
_REFERENCE_TO = (
    r"(?:\A|(?<=[.;:—]\s))(?:(?:(?:[Ii]n|[Ff]or (?:the )?purposes? of|[Ss]ubject to)\b[^.;:“”\"\n]{1,100}?, ){1,2}"
    r"|In (?:this|these) \w+(?: of this \w+)? )?(?:[Aa]ny |[Aa]n? |[Ee]very )?[Rr]eferences?"
    rf"(?: in (?:this|these) \w+(?: of this \w+)?)?{_ASIDE} to (?:an? |the |any )?"
)
# What is before an article and is no verb: "means not only a", "means both a", "means within a".
_NO_VERB = (
    r"(?:[a-z]*(?:ing|ed|ly|day|time|year|month)|all|any|both|each|either|every|half|many|neither|not|only|such|what|when"
    r"|where|who|which|that|whether|with|within|without|from|for|under|upon|over|into|onto|between|through|during|after|before"
    r"|until|than|but|per|the)"
)
# The end of a lead-in, "unless the context otherwise requires" before it; some publishers print U+2060 at the dash.
_ENDS_LEAD = r"\]?(?:,? (?:unless|except|where|so far as)\b[^.;:“”\"\n]{1,120}?)?[,:—–\s\u2060-]*\Z"

# "As used with respect to aircraft, means": the term is in the caption.
_QUALIFIED = r"(?:as|when) used with (?:respect|reference) to\b[^.;:“”\"\n]{1,160}?,\s*"

ENGLISH = DefinitionPhrases(
    term_lead=re.compile(
        r"(?:\A|[\s(—–-])(?:the |each |an? )?(?:(?:following |defined )?(?:terms?|words?|phrases?|expressions?"
        r"|adjectives?|nouns?|verbs?|abbreviations?|acronyms?)"
        r"(?: and (?:terms?|words?|phrases?))?)[,:—–-]?\s*\Z|"
        r"(?:\A|[.;:—\n]\s{0,3})(?:and )?(?:in|for the purposes? of|as used in)\s[^.;:“”\"‘]{1,80},?\s(?:the\s)?\Z", _I
    ),
    joint=re.compile(
        r"[,\])]?\s{0,3}[\[(]?(?:and/or|and|or|also|,)?\s{0,3}(?:(?:the )?(?:terms?|words?|phrases?) )?", _I
    ),
    verb=re.compile(rf"[\])]?[,:;]?\s*(?:[—–-]\s*)?{_VERBS}", _I),
    later_verb=re.compile(rf"(?<=[\s,)]){_VERBS}", _I),
    gap_refused=re.compile(
        r"[.;“”\"]|\b(?:shall|must|may|who|whom|which|that|is|are|was|were|has|have|had|will|would|can|if|unless|by)\b",
        _I,
    ),
    gap_contrast=re.compile(
        r"[\s,]*(?:as (?:distinguished|opposed|contrasted)|other than|except as used|unlike|in contrast"
        r"|in relation|with respect|when used|as used|"
        r"in connection|in reference)\b[^.;:]{0,120}\Z", _I
    ),
    copula_lead=re.compile(
        r"(?:\A|[.:;—]\s|\n|[,)]\s)(?:An?|The|To|Any) \Z|"
        r"(?:\A|[.;]\s)In (?:this|(?:sub)?sections?) [^.;“”\"]{1,60}?,? (?:an?|the|any) \Z|(?:\A"
        r"|[.;]\s)In this \w+,? \Z"
    ),
    copula=re.compile(
        r"(?:,? (?:in relation to|with respect to|in respect of) [^.;“”\"]{1,120}?,)?\s*"
        r"(?:(?:of|by) [^.;“”\"]{1,60}? )?(?:is|are)"
        r"(?: (?:an?|any|one|the|such|so much|when|if|made|either)\b|[—–:-]|\Z)|"
        r"\s*(?:of|by) [^.;“”\"]{1,60}? (?:is|are) "
    ),
    listed_copula=re.compile(
        r"\s*(?:\w+ )?(?:is|are) (?!not\b|subject\b|required\b|entitled\b|authorized\b|prohibited\b)"
    ),
    article=re.compile(r"(?:an?|the|to|any) ", _I),
    by_reference=re.compile(r"\bas (?:that term is |those terms are |such term is )?defined\b|\bmeanings?\b"
        r"|\bdefinitions?\b|\bsame as\b", _I),
    # "means syrup, but not a blend, as defined in section 5"
    says_more=re.compile(r"\b(?:but|and|or|not|includ\w+)\b", _I),
    amending=re.compile(
        r"\b(?:substitut\w*|insert\w*|strik\w*|omit\w*|delet\w*|replac\w*|add(?:ing|ed|s)?|amend\w*|mark(?:ed"
        r"|ing)?|label(?:l?ed|l?ing)?|"
        r"titled|entitled|captioned|headed|stat(?:es|ing|ed)|reads?|reading|read as follows|e\.g\.|such as"
        r"|for example|see)"
        r"[\s,:]*(?:out )?(?:as |with |by )?(?:the )?(?:words?|phrase|figures?|following)?[\s,:]*\Z", _I
    ),
    # Words that say where it holds make a definition of any verb: "In this clause, fruit includes nuts".
    unquoted=re.compile(
        r"(?P<led>(?:For (?:the )?purposes? of|(?:As|When) used in"
        rf"|In (?:this\b|these\b|{_UNIT}\s[\d(]))[^.;:“”\"\n]{{0,80}}?, (?:an? |the )?"
        r"(?:(?:terms?|phrases?|words?) )?)?"
        r"(?(led)|(?=[A-Z]))"
        r"(?P<term>\w[^.;:“”\"()\[\]\n]{1,90}?),?\s+(?P<verb>means?\b(?! (?:of|by|to|for|that are|whereby|which)\b)|"
        r"(?:has|have|shall have) the (?:same )?meanings?\b|(?(led)(?:includes?|do(?:es)? not include)\b|(?!)))"
    ),
    termed=re.compile(
        r"(?:\b(?:the|each|these) (?:terms?|phrase|expression|word) "
        # "For the purposes of this section, lot means ...", further on in a provision.
        r"|(?:\A|(?<=[.;]\s))(?:For (?:the )?purposes? of|As used in|When used in|In) (?:this|these|sub|para"
        r"|section)[^.;:“”\"\n]{2,60}?,\s(?:an? |the )?)"
        r"(?P<term>[A-Za-z][^.;:“”\"()\[\]\n,]{1,70}?),?\s+(?P<verb>(?:shall |also )?(?:mean|include)s?\b(?! "
        r"(?:by|to|of)\b)"
        r"|does not include\b|(?:has|have|shall have) the (?:same )?meanings?\b)", _I
    ),
    unquoted_listed=re.compile(
        r"(?:(?:Except|For|In|As used|When used)\b[^.;:“”\"\n]{1,160}?, (?:an? |the )?(?:(?:terms?|phrases?"
        r"|words?) )?|(?:The|Each) (?:terms?|phrase|word) (?=[^\s]+ \w)|(?=[A-Z0-9]))"
        rf"(?P<term>[A-Za-z0-9](?:[^.;:“”\"\[\]\n]|(?<=\d)\.(?=\d)){{1,200}}?),?\s+(?P<verb>{_VERBS})"
    ),
    unquoted_verb=re.compile(r"(?:shall |also )?means?\b|includes?\b|(?:has|have|shall have) the"
        r"|do(?:es)? not include", _I),
    plain_verb=re.compile(r"(?:shall |also )?means?\b", _I),
    listed_verb=re.compile(
        r"(?:shall |also )?(?:means?|includes?)\b|(?:has|have|shall have) the|do(?:es)? not include"
        r"|refers? |occurs? |exists? |comprises? |(?:is|are) defined|see ", _I
    ),
    listed_refused=re.compile(
        r"\A(?:an?|any|each|every|no|the) (?:terms?|words?|phrases?|expressions?)\b|"
        r"\b(?:terms|phrases?|words?|expressions?|definitions?|term)\Z|\bthe (?:term|phrase|word)\b|\bfollowing\b|"
        r"\b(?:terms?|words?|phrases?|expressions?) (?:not )?(?:used|defined|listed|set|mentioned|specified|contained"
        r"|given|appearing|in|below|above)\b|\A(?:used|defined|listed)\b|[“‘]|"
        r"\A(?:and|or|for|in|except|unless|as|such|words|references?)\b|\b(?:singular|plural|masculine|feminine)\b|"
        r"\b(?:shall|must|may|would|could|can|will|was|were|which|who|whom|whose|if|when|where|by|no|not|it|does|do"
        r"|provided)\b|\b(?:reasonable|electronic|appropriate|available|lawful|other|any|all|such|mechanical)\Z", _I
    ),
    noun_after=re.compile(r" (?:to|of|by|for)\b"),
    qualifier=re.compile(
        r",? (?:(?:in relation|with respect|with reference|in respect)\b|for (?:the )?purposes? of\b"
        r"|(?:as|when) (?:used|applied)\b"
        r"|and (?:similar|related|cognate|like|corresponding) (?:expression|term|word)s?\b)"
        r".*\Z|, (?:subject to|except|unless|where|when)\b.*\Z", _I
    ),
    unquoted_lower=re.compile(
        r"(?P<term>[a-z][\w’'-]*(?:,? [\w’'()-]+){0,8}?)(?:,? (?:in relation|with respect|in respect|when used)\b"
        r"[^.;:“”\"\n]{1,120}?)?,?\s(?P<verb>means?\b(?! (?:of|by|to|for|that|whereby|which)\b)|includes?\b"
        r"|does not include\b|(?:has|have) the (?:same )?meanings?\b)"
    ),
    unquoted_condition=(
        # "References in this Act to registration are references to entry in the register".
        ("means", re.compile(
            r"(?:\A|(?<=[.;—]\s)|(?<=\)\s))(?:Any r|R|A r)eferences? (?:in (?:this"
            r"|these) [^.;:,“”\"\n]{2,40}? )?to (?:an? |the )?"
            rf"{_BARE}(?: of an? \w+)? (?:is|are) (?:a )?references? to\b"
        )),
        ("includes", re.compile(
            r"(?:\A|(?<=[.;—]\s)|(?<=\)\s))(?:Any r|R|A r)eferences? (?:in (?:this"
            r"|these) [^.;:,“”\"\n]{2,40}? )?to (?:an? |the )?"
            rf"{_BARE} includes? (?:a )?references? to\b"
        )),
        ("means", re.compile(
            r"(?:\A|(?<=[.;—]\s))For (?:the )?purposes of this [^.;:“”\"\n]{1,80}?,? (?:an?|any|the) "
            rf"[^.;:,“”\"\n]{{1,120}}? (?:is|are) (?:an?|the) {_BARE} (?:if|when|only if|only when)\b"
        )),
        # "In this Act a match is a contest in which": a genus with what sets the thing apart.
        ("means", re.compile(
            rf"(?:\A|(?<=[.;—]\s))In (?:this|these) \w+(?: of this \w+)?,? (?:an?|the) {_BARE} (?:is|are) "
            r"(?:an?|any|the|one)\b(?=[^.;:“”\"]{1,120}?\s(?:which|that|who|whose)\b)"
        )),
        ("excludes", re.compile(
            rf"\b(?:is|are) not (?:an?|the) {_BARE} for (?:the )?purposes of (?:this|these) \w+(?: of this \w+)?"
        )),
        # "A reference to a T is a reference to ...": Commonwealth law defines by what a reference is read as.
        ("means", re.compile(
            rf"{_REFERENCE_TO}{_MARKED}{_ASIDE} (?:(?:is|are){_ASIDE}(?! (?:to be )?(?:read|construed))"
            rf"|{_READ} as(?: being)?) (?:(?:an? )?references? to\b|to (?:an?|the|any)\b)"
        )),
        ("includes", re.compile(
            rf"{_REFERENCE_TO}{_MARKED}{_ASIDE} (?:includes?|{_READ} (?:as|to) (?:including|include))\b"
        )),
        ("excludes", re.compile(
            rf"{_REFERENCE_TO}{_MARKED}{_ASIDE} (?:does|do|shall) not include\b"
        )),
        ("means", re.compile(
            rf"\b(?:is|are),? for (?:the )?purposes of this \w+(?: of this \w+)?,? (?:an?|the) {_BARE} "
            r"(?:if|when|so long as)\b"
        )),
        ("excludes", re.compile(
            rf"\b(?:is|are) not (?:an?|the) {_BARE} (?:merely|solely|only|simply)? ?(?:because|by reason of"
            rf"|by virtue of)\b"
        )),
        ("includes", re.compile(
            r"\b(?:is|are|shall be) (?:considered|deemed|regarded as|treated as|taken to be)(?: to be)? (?:an?|the) "
            rf"{_BARE} (?:if\b|where\b|when\b|for all purposes of this \w+)"
        )),
        ("includes", re.compile(
            # A noun, which an article or a plural shows: "treated as accurate for purposes of" has none.
            r"\b(?:is|are|shall be) (?:considered|deemed|regarded as|treated as)(?: to be)? "
            rf"(?=(?:an?|the) |[\w’' -]{{1,80}}s,? for )(?:an? |the )?{_BARE}"
            r",? for (?:the )?purposes of (?:this|these) \w+(?: of this \w+)?"
        )),
    ),
    headed_condition=re.compile(
        r"\b(?:is|are|has|have|(?:taken|treated|regarded|deemed)\b[^.;:“”\"\n]{1,60}?\b(?:as|be))\s"
        rf"(?:(?:an?|the)\s)?{_BARE}(?:\s(?:in|of|over|to|for|with|on)\s[^.;:,“”\"\n]{{1,60}}?)?\s"
        r"(?:if|when|only if|where)\b"
    ),
    headed_copula=re.compile(
        r"(?:\A|(?<=[.;]\s))(?:(?:For|Subject to|In)\b(?:[^.;:“”\"\n]|\.(?=\d)){1,80}?, ){0,2}(?:[Aa]n?|[Tt]he)\s"
        rf"{_BARE}(?:,[^.;:,“”\"\n]{{1,60}},)?\s(?:is|are)\s(?P<genus>an?|any|the|one|that|every|all)\b"
    ),
    headed_denial=re.compile(rf"\b(?:is|are) not (?:an? |the )?{_BARE}(?=[.;]|\Z)"),
    headed_designation=re.compile(
        rf"\b(?:designate|declare|classify|recogni[sz]e)s?\b[^.;:“”\"]{{1,80}}?\b(?:as|to be) (?:an? |the )?{_BARE}"
        r"(?=[.;,]|\Z)",
        _I,
    ),
    defining_item=re.compile(
        r"(?:\([0-9A-Za-z]{1,5}\)\s+)?(?:[“\"‘][^“”\"’]{1,80}[”\"’]|[A-Z][^.;:“”\"()]{0,60}?),?\s"
        r"(?:means?\b|refers?\sto\b|(?:has|have)\sthe\s(?:same\s)?meanings?\b)"
    ),
    bare_item=re.compile(
        r"[a-zA-Z][\w’'-]*(?: [\w’'()-]+){0,8}?,?"
        r" (?:means|includes|does not include|(?:has|have) the (?:same )?meaning)\b"
    ),
    listed_thing=re.compile(
        r"(?:An?|The|Any)\s(?P<term>[a-z][\w’'-]*(?:\s[\w’'-]+){0,4}?)\s(?:is|are|shall be)"
        r"(?=\s?[:—]|\s(?:an?|any|the|one|either|all|every)\b)"
    ),
    listed_caption=re.compile(
        r"(?P<term>[A-Z][\w’'/-]*(?:,?\s[\w’'/()-]+){0,6})"
        r"(?:\.\s(?=(?:An?|Any|The|To|All|Each|Every|One|That|Those)\s)|:\s(?=[A-Z][a-z]))"
    ),
    caption_general=re.compile(
        r"\b(?:general|scope|purpose|appl\w+|rules?|exce\w+|exclu\w+|defin\w+|interpretation|examples?)\b", _I
    ),
    thing_begins=re.compile(r"(?:An?|Any|The|All|One|Each|Every|Those)\s"),
    relative_clause=re.compile(
        r"\b(?:who|which|that|whom|whose|when|where|whether|if|unless)\b[^.;]*?(?=,\s(?!or\b|and\b)|[.;:]|\Z)", _I
    ),
    finite=re.compile(
        r"\b(?:shall|must|may|will|can|is|are|was|were|has|have|does|do|means?|includes?|applies|apply|refers?)\b", _I
    ),
    captions_follow=re.compile(
        r"\b(?:terms?|words?|phrases?|expressions?|definitions?)\b[^.;]{0,120}\b(?:mean|means|meanings?|defined|apply|applies)\b"
        r"[^.;]{0,120}[:.—–]?\s*\Z", _I
    ),
    meaning_follows=re.compile(r"[,:]\s(?=(?:an?|the|any|all|every|each|one|such|that|those|money|persons?)\s)"),
    headed_term=re.compile(r"(?:the )?(?:\w+ )?(?:meaning|definition|concept) of (?:an? |the )?", _I),
    headed_generic=re.compile(r"\b(?:terms?|words?|phrases?|expressions?|references?|act|etc)\b", _I),
    pointer=re.compile(
        r"\s*\((?:see|defined in|as defined in|within the meaning of)\s"
        r"(?=[^()]{1,60}(?:\([^()]{1,12}\)){0,6}[^()]{0,20}\)\s*[;.,]?\s*(?:and|or)?\s*\Z)"
    ),
    verb_term=re.compile(r"(?:\A|[.;:—–]\s|\(|\n)[Tt]o\s\Z"),
    verb_meant=re.compile(
        r"[,:—–-]*\s*(?:\(\w{1,4}\)\s*)?(?:[^.;“”\"]{1,200}?\bincludes\s|with\s[^.;:“”\"]{1,120}?[,:]\s*(?:\(\w{1,4}\)\s*)?)?"
        r"(?:(?:not )?[Tt]o\s[a-z]|(?!(?:any|every|some|no)?thing\b)[a-z]{2,}ing\s(?:an?|the|any|or)\s"
        r"|the\s[a-z]{2,}ing\sof\b"
        # A verb without "to": "means grant a tenancy", "means kill in order to".
        rf"|(?!{_NO_VERB}\b)[a-z]{{3,}}\s(?:an?\s|(?:or|and)\s[a-z]+\s(?:an?|the)\s|in\sorder\sto\b))"
    ),
    bare_meant=re.compile(rf"[,:—–-]*\s*(?!{_NO_VERB}\b)[a-z]{{3,}}(?:,? (?:and|or) [a-z]{{3,}})?\s*(?:[;.]|\Z)"),
    gerund_meant=re.compile(
        r"[,:—–-]*\s*(?:the|any)\s(?:[a-z]+\s){0,2}(?:[a-z]{2,}ing|use|act|[a-z]{3,}(?:tion|ment|al))\s(?:of|to)\b"
    ),
    corresponding=re.compile(
        r"(?:is|are|shall be|is to be|are to be) (?:construed|read) accordingly|ha(?:s"
        r"|ve) (?:a )?corresponding meanings?", _I
    ),
    state_meant=re.compile(
        r"[,:—–-]*\s*(?:\w+ly )?(?:[a-z]{2,}ed|made|given|held|set|laid|kept|sold|built|drawn|known|shown)"
        r"(?: or [a-z]{2,}ed)? (?:by|in|under|from|to|of|with|for|on|at|out|as)\b"
    ),
    participle=re.compile(r"[“\"‘]?[a-z]{2,}(?:ed|en|id|old|ept|ade)[”\"’]?", _I),
    negated=re.compile(r"\b(?:does|do|did) not\b"),
    called=re.compile(
        r"(?:\bin (?:this|these) \w+(?: of this \w+)? )?\b(?:referred to"
        r"|(?<!commonly )(?<!formerly )(?<!previously )(?<!generally )known"
        r"|(?<!\bwho )(?:is|are|be)(?: (?:hereinafter|hereafter|herein|collectively))? called"
        r"|(?:hereinafter|hereafter|herein)(?: in (?:this|these) \w+(?: of this \w+)?,?)? called)"
        r"(?: in (?:this|these) \w+)?(?: (?:collectively|together"
        rf"|hereafter|hereinafter))?(?:(?<!called) as)? (?:an? |the )?(?P<terms>{_QUOTED})(?!\s+by\b)", _I
    ),
    condition=re.compile(
        # "A company is a “subsidiary” of another company, its “holding company”, if ..."
        # and "A person “enters unlawfully” in premises when ..."
        r"(?:\b(?:is|are|has|have) (?:an? |the )?|(?:\A|[.;:”]\s)(?:An?|Any|Every) [a-z][a-z ]{1,30} )"
        rf"(?P<terms>{_QUOTED}(?:[^.;:—“”\"]{{1,80}}{_QUOTED},?)?)"
        r"(?: (?:of|in|by|on|upon|to|with) [\w ’'-]{1,60}?)?,? "
        r"(?:if|when|unless|to the extent|only if|only when)\b", _I
    ),
    referred=re.compile(
        rf"\b[Rr]eferences? (?:in (?:this|these) [^.;:“”\"\n]{{2,40}}? )?to (?:an? |the )?(?P<terms>{_QUOTED})"
        r" (?:is|are|includes?) (?:(?:a )?references? )?to\b"
    ),
    included=re.compile(
        r"(?:\A|(?<=[.;]\s))(?:The (?:term|expression|word|phrase|definition)|It|This) (?:also )?includes? "
        rf"(?:an? |the |any )?(?P<terms>{_QUOTED}),? (?:which|that|who|being|meaning)\b"
    ),
    applied=re.compile(
        rf"(?<!from the )(?<!to the )\bdefinitions? of (?P<terms>{_QUOTED}(?:(?:,|,? and|,? or)? {_QUOTED}){{0,4}})"
        r"(?=(?:(?!\b(?:not|that|which|if)\b)(?:[^.;:“”\"]|(?<=\d)\.(?=\d))){1,160}\b(?:shall )?appl(?:y|ies)\b)", _I
    ),
    called_clause=re.compile(r"\b(?:we|you|our|your|us|i|my|me|who|what|how|is|are|was|were|do|does|can|will)\b", _I),
    requoted=re.compile(
        r"(?:\b(?:for|after|before|add|omit|insert\w*|substitut\w*)\s+[“‘\"][^”’\"]{0,120}|[“\"‘])\Z", _I
    ),
    unquoted_refused=re.compile(
        r"\b(?:shall|must|may|would|could|can|will|is|are|was|were|be|been|that|which|who|whom|whose|if|when|where|by|under"
        r"|no|any"
        r"|all|other|such|each|every|"
        r"this|these|those|reasonable|electronic|appropriate|available|lawful|only|same|following|has|have|had"
        r"|does|do|not|it|"
        r"information|notice|section|paragraph|subsection|provided|including|also|singular|plural|masculine|feminine)\b"
        r"|\A(?:of|and|or|in|for|used|defined|listed|set|appearing|contained|words|expressions|references?)\b", _I
    ),
    caption_verb=re.compile(
        rf"(?:(?P<subject>(?:the|this) (?:term|phrase|word)s?)[,:]?\s*|{_QUALIFIED})?{_VERBS}", _I
    ),
    caption_refused=re.compile(rf"{_QUALIFIED}{_VERBS}", _I),
    term_refused=re.compile(r"\A(?:this|these|that|those|such)(?: \w+){0,2}\Z", _I),
    inline=re.compile(
        r"\(\s*(?:(?:hereinafter|hereafter|herein|collectively|individually|together|each|also|sometimes"
        r"|referred|known|called|"
        r"described|cited|designated|as|to|be|or|in|for|purposes?|of|(?:this|these) [\w-]+|the|an?"
        r"|respectively)[\s,:]+){0,14}"
        rf"(?P<terms>{_QUOTED}(?:\s*(?:,|and|or|,\s*and|,\s*or)\s*(?:the\s+|an?\s+)?{_QUOTED}){{0,4}})[.,]?\s*\)", _I
    ),
    inline_plain=re.compile(
        r"\(\s*(?:hereinafter|hereafter|herein)\b[^()“”\"]{0,60}?\b(?:referred to as|called|known as|cited as) "
        r"(?:an? |the )?(?P<term>[A-Z][\w’'&-]*(?: [\w’'&-]+){0,5})\s*\)"
    ),
    lead_in=re.compile(
        r"\b(?:terms?|words?|phrases?|expressions?|definitions?|meanings?|means?|defined)\b|"
        r"(?:as used in|for (?:the )?purposes? of|in|under) (?:the (?:regulations|rules|provisions) (?:in|of|under) )?"
        rf"(?:this|these|the present) \[?[\w-]+{_ENDS_LEAD}|"
        r"(?:as used in|for (?:the )?purposes? of|in) "
        rf"(?:{_UNIT}\s|(?:this|these) [\w-]+(?: \(|,? (?:and|or)\s|\s\d|,? (?:other than|except|apart from)\b))"
        r"(?:[^.;:“”\"\n]|\.(?=\d)){1,160}[,:—–-]+\s*\Z", _I
    ),
    listed_lead=re.compile(
        r"\b(?:terms?|words?|phrases?|expressions?|definitions?|meanings?|defined)\b[^.;]*\.?\s*\Z|"
        rf"(?:as used in|for (?:the )?purposes? of|in|under) (?:this|these|the present) \[?[\w-]+{_ENDS_LEAD}", _I
    ),
    heading=re.compile(r"\b(?:definitions?|defined|interpretation|meanings?|rules? of construction"
        r"|(?:(?:defined|key) |(?:use|usage) of )terms?\Z|\Aterms(?:\.?\Z| (?:used|defined)\b)"
        r"|glossary)\b", _I),
    general_heading=re.compile(r"\b(?:(?:general|miscellaneous|supplementary|supplemental)(?: and \w+)?"
        r" (?:provisions?|rules?|definitions?)|definitions?|preliminary"
        r"|interpretation)\b|\Ageneral\.?\Z", _I),
    index_intro=re.compile(
        r"\b(?:terms?|words?|expressions?)\b[^.]{0,120}\b(?:defined|meanings?|interpreted|explained)\b[^.]{0,120}"
        r"\b(?:(?:right[- ]hand|second) column|provisions? (?:listed|indicated|shown|specified)|opposite|column 2)\b|"
        r"\bdefinitions?\b[^.]{0,80}\b(?:appl(?:y|ies|ying|icable)|sections? in which they appear)|"
        r"\bterms?\b[^.]{0,60}\b(?:defined in the following|meanings? (?:given|ascribed"
        r"|set forth) in the following)", _I
    ),
    scope_lead=re.compile(
        r"(?<!except )(?<!except as )(?<!except when )(?<!except where )(?<!other than )(?<!other than as )"
        r"(?:\b(?:for|solely for)(?: the"
        r"| all)?(?: sole| limited)? purposes? of(?: applying| implementing| determining)?|"
        r"\b(?:as |when |wherever |whenever |where )?used (?:in|throughout|under|within)|\bwhen found in"
        r"|\bwhenever (?:it|they) appears? in|"
        r"\bgoverns?|\bapplicable (?:to|throughout|in|only to)"
        r"|\bappl(?:y|ies|ying) (?:to|throughout|in|only to|for purposes of)|"
        r"\b(?:appears?|appearing|occurs?|occurring|employed|references?) in|\bthroughout|\bmeanings? (?:in|under))\s+"
        r"(?:(?:the |any )?(?:(?:provisions?|application|requirements|interpretation|administration|construction) of"
        r"|(?:regulations|rules|provisions) (?:in|under)) )?\Z"
        r"|\bfor the (?:interpretation|construction) of\s+\Z",
        _I,
    ),
    scope_start=re.compile(
        r"(?:\A(?:\([0-9A-Za-z]{1,4}\)\s)?|[,(—”\"]\s?|\b(?:referred to|known|described|called|references?) )"
        r"(?:in|under|within|throughout)\s+\Z", _I
    ),
    scope_near=re.compile(
        r"(?:\A(?:\([0-9A-Za-z]{1,4}\)\s)?|[,;(—”\"]\s?|(?<=[,;]\sand )|(?<=\bbut ))"
        r"(?:in|under|within|throughout)\s+\Z",
        _I,
    ),
    scope_adjacent=re.compile(
        r"[,:—–\s-]*(?:the |an? |any |each )?(?:terms?|expressions?|words?|phrases?)?[,:—–\s-]*", _I
    ),
    scope_following=re.compile(
        r"(?:\bin|\bfor (?:the )?purposes of) the (?:following|succeeding) provisions of\s+(?:the\s+)?\Z", _I
    ),
    scope_unread=re.compile(
        r"\bfor (?:the )?purposes? of (?:this (?:(?:sub-?)?clause|item|explanation|definition|table|note|proviso|entry)"
        r"|(?P<near>(?:the|that|those|such) "
        r"(?:(?:first|second|third|fourth|fifth|sixth|last|preceding|previous|foregoing)"
        r"(?: and (?:second|third|fourth|fifth))? )?(?:sub-?paragraph|sentence|indent|definition|clause|proviso)s?))\b",
        _I,
    ),
    scope_place=re.compile(r"(?:described|known|called|referred)\b", _I),
    scope_anaphora=re.compile(r"For (?:this|that|these|those) purposes?\b"),
    scope_goes_on=re.compile(
        r"(?:,|,? and|,? or)\s(?:(?:in|of|by|under|for (?:the )?purposes of)\s)?(?:(?:that|those)\s)?"
        rf"(?:{_UNIT}\s\w|(?<=that\s)(?:Schedule|Part|Chapter|section|Act)\b)", _I
    ),
    scope_heading=re.compile(r"\b(?:applicable to|applying to|for(?: (?:the )?purposes of)?|of|in|under"
        r"|used in)\s+\Z", _I),
    scope_except=re.compile(
        r"\b(?:except|other than|but not|apart from|excluding)(?:(?: (?:as|when|where|that))?"
        r"(?: (?:it is |they are )?used)? (?:in|under|for (?:the )?purposes? of)| for)?\s+\Z", _I
    ),
    whole_law=re.compile(
        r"\b(?:this|these|the present) (?:(?-i:[A-Z][a-z]+) )?\[?"
        rf"(?P<unit>{ENGLISH_KINDS})s?\b"
        r"|\bthe (?P<only>Schedule|Annex|Appendix)\b(?! (?:to|of)\b)", _I
    ),
    scope_unit_missing=re.compile(
        r"(?:for (?:the )?purposes? of|used in|appl(?:y|ies) (?:to|in)|in) (?:this|these|the present) (?:"
        rf"{ENGLISH_KINDS})s?\b"
        r"|\bas used herein\b|\bherein\b", _I
    ),
    scope_small=re.compile(
        r"\b(?:of|in|under|to|throughout) this (?:sub-?)?(?:section|paragraph|clause|article|item|rule)\b", _I
    ),
    lead_clause=re.compile(
        r"(?!(?:unless|except|if|subject|where|other|so far|save)\b|[^.;:]{0,400}?\b(?:terms?"
        r"|words?|phrases?|expressions?|definitions?|meanings?|means?|defined)\b)[^.;:—“”\"]{0,200}?\b(?:is|are|was|were|shall|may|must|do"
        r"|does|has|have|will|apply|applies)\b", _I
    ),
    # "The definitions in this article govern the construction of this chapter."
    definitions_in=re.compile(
        r"\bdefinitions? (?:(?:contained|given|set (?:forth|out)|provided|found) )?(?:in|of)\s+\Z", _I
    ),
    scope_sentence=re.compile(
        r"\b(?:definitions?|terms?|words?|phrases?|meanings?|defined)\b|[:—–]\s*\Z|"
        r"\AThis (?:section|article|regulation|rule|paragraph) (?:applies|has effect|shall (?:apply|have effect))"
        r" for\b",
        _I,
    ),
    list_joint=SCOPE_JOINT,
)  # fmt: skip

ENGLISH_WORDS = WordLists(
    articles=_words("a an the"),
    determiners=_words("the a an any such its his her their all each every this that these those no either both"),
    modals=_words("shall must may will would can could should cannot might not"),
    subjects=_words("that which who also not he she it they"),
    possessives=_words("his her its their"),
    refusals=_words(
        "fail fails failed failing failure refuse refuses refused refusing refusal agree agrees agreed attempt "
        "attempts attempted"
    ),
    openers=_words(
        "The A An If In Any Each No When Under Section Sections Part For As Such This That These Those All Where "
        "Except Subject Notwithstanding Upon With After Before Unless Whenever To By On At Of And Or Not Every Either "
        "Neither Title Chapter Subchapter Subsection Paragraph Provided It Both Other During From Within Without While"
    ),
    name_joints=_words("of and for"),
    plural_suffixes=(("y", "ies"), ("s", "ses"), ("x", "xes"), ("ch", "ches"), ("sh", "shes"), ("z", "zes"), ("", "s")),
    irregular_suffixes=(
        ("child", "children"), ("man", "men"), ("foot", "feet"), ("tooth", "teeth"), ("half", "halves"),
        ("wife", "wives"), ("knife", "knives"), ("shelf", "shelves"), 
        ("thief", "thieves"), ("calf", "calves"), ("wharf", "wharves"), ("datum", "data"), ("medium", "media"),
        ("addendum", "addenda"), ("memorandum", "memoranda"), ("bacterium", "bacteria"), ("criterion", "criteria"),
        ("phenomenon", "phenomena"), ("basis", "bases"), ("analysis", "analyses"), ("crisis", "crises"),
        ("thesis", "theses"), ("diagnosis", "diagnoses"), ("appendix", "appendices"), ("index", "indices"),
        ("matrix", "matrices"), ("alumnus", "alumni"),
    ),
    plural_only=_words(
        "arms contents customs damages data effects forces goods grounds headquarters manners means media minutes news "
        "odds premises proceeds quarters regards series species spirits stairs thanks times waters ways works"
    ),
    fixed_phrases=(
        "a lot of", "lots of", "by lot", "by lots",
        "a great deal of", "well known", "well aware", "a good deal of", "by means of", "by any means", "by no means",
        "by way of", "by virtue of", "by reason of", "in case of", "in the case of", "in the event of",
        "in the event that", "in any event", "in the course of", "in due course", "in accordance with", "in order to",
        "in lieu of", "in light of", "in the light of", "in the interest of", "in the interests of", "in good faith",
        "in part", "in kind", "on account of", "on behalf of", "on the part of", "for the time being",
        "as a matter of", "as the case may be", "in the nature of", "at the expense of", "in connection with",
        "in respect of", "with respect to", "in relation to", "take effect", "takes effect", "to the extent",
    ),
    after_head=_words(
        "in of at for to by with on under from without over general public designate elect emeritus politic corporate "
        "martial payable receivable errant ad"
    ),
)  # fmt: skip
