"""English legal phrases, as American and other English-language law uses them."""

from __future__ import annotations

import re

from rag.jurisdictions.phrases import DefinitionPhrases, ExceptionPhrase, LinkPhrases, ListPhrase, WordLists


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_QUOTED = r"[“\"‘][^“”\"\n]{1,120}[”\"’]"
_REFERENCE_VERB = (
    r"(?:has|have|shall have|is given|are given|bears?|carr(?:y|ies)) (?:the |its |their )?(?:same |following "
    r"|respective ){0,2}"
    r"(?:meanings?|definitions?)\b|(?:is|are|shall be) (?:as )?defined (?:in|by|under|at|pursuant to)\b|"
    r"(?:is|are|shall be|is to be|are to be) (?:construed|read|interpreted) (?:in accordance with|by reference to)\b"
)
_EXCLUDES_VERB = (
    r"(?:does|do|shall|will|may) not (?:be (?:construed|deemed) to )?(?:mean|include|refer to)\b|excludes?\b"
)
_MEANS_VERB = (
    r"(?:shall |may |must |also )?means?\b(?! by which| of )|(?:is|are|shall be|will be) (?:hereby )?"
    r"(?:defined (?:as|to (?:mean|be))|deemed to (?:mean|be|include)|construed (?:as|to (?:mean|be|include))|"
    r"understood (?:as|to (?:mean|be|include)))|"
    r"(?:is|are|shall be|is to be|are to be) (?:construed|read) accordingly\b|"
    r"refers? (?:only |solely )?to\b|(?:occurs?|exists?) (?:when|if|where)\b|denotes?\b|"
    r"signif(?:y|ies)\b|compris(?:e|es)\b|consists? (?:of|in)\b|describes?\b|"
    r"(?:shall be applied|is applied|are applied) (?:only )?to\b"
)
_INCLUDES_VERB = r"(?:shall |may |also |further )?(?:also )?includes?\b"
_VERBS = (
    f"(?:(?P<reference>{_REFERENCE_VERB})|(?P<excludes>{_EXCLUDES_VERB})|(?P<means>{_MEANS_VERB})"
    f"|(?P<includes>{_INCLUDES_VERB}))"
)
_I = re.IGNORECASE

# Between an excepting phrase and its reference: a few words without a finite verb, a stop or a comma.
_WORDS_OF = re.compile(
    r"\s*(?:(?!(?:shall|may|must|is|are|was|were|which|who|that|law|laws|agreement"
    r"|contract)\b)[\w’'/-]+,?\s+){0,10}\[?\s*",
    _I,
)
# Between the number of a listed provision and its reference, and what a list of provisions is called.
_LISTED = re.compile(r"(?:the\s+)?(?:(?:provisions?|requirements?|rules?|part|all|any)\s+)*(?:(?:of|in|under)\s+)?", _I)
_FOLLOWING_NORMS = (
    r" the following\b[^.;:]{0,60}?\b(?:provision|section|subsection|part|article|regulation|rule|law|requirement)s\b"
    r"[^.;:]{0,120}"
)
# "subject to" and "exempt from" take a norm as their object: "subject to taxation under § 5" relates to no provision.
_NORMS = re.compile(
    r"\s*(?:the\s+|all\s+|any\s+)?(?:(?:[\w’'/-]+,?\s+){0,8}?(?:(?:requirement|provision|limit|limitation"
    r"|restriction|condition|exception|"
    r"prohibition|exclusion|exemption|rule|procedure|term|regulation|right|standard|criteri|definition|ceiling"
    r"|penalt|duties|obligation)\w*"
    r"\s+(?:of|in|under|at|pursuant to)|(?:set forth|contained|imposed|specified|provided|prescribed|stated"
    r"|established|described|created)"
    r"\s+(?:in|by|under|pursuant to))\s+(?:the\s+)?)?\[?\s*",
    _I,
)
# "is not subject to", "shall be exempt from" say what holds; a noun right before the words makes them describe it, and
# "is not exempt from" exempts nothing.
_FINITE = (
    r"(?:(?:is|are|was|were|has been|have been|had been|remains?|becomes?)"
    r"|(?:shall|should|may|must|will|would|can)(?: also)?(?: (?:be|remain|become))?|(?:deemed|considered)(?: to be)?)"
    r"(?: (?:\w+ly|otherwise|also|hereby|therefore|thus|be)\b){0,3}"
)
_AND_ALSO = r"(?:,|\b(?:and|or|but|nor))(?: (?:is|are))?"  # between two predicates of one subject
_PREDICATE = re.compile(rf"(?:\A|[.;:—–]|\b{_FINITE}(?:\s[^.;:]{{1,120}}{_AND_ALSO})?)\s*\Z", _I)
_DESCRIBED = re.compile(
    r"(?:\b(?:who|which|(?<!provided )(?<!provided, )that)(?:\s+\w+ly)?"
    r"|\b(?:if|unless|whether|because|when|to the extent)\s[^.;:,]{1,100}?"
    r"|(?:\A|[.;:]\s)\s*no(?:thing)?\s[^.;:,]{1,100}?)"
    rf"\s+{_FINITE}(?:\s[^.;:,]{{1,80}}{_AND_ALSO})?\s*\Z",
    _I,
)
_BEFORE = re.compile(r"\s{0,3}\]?\s{0,3},?\s{0,3}(?:of this \w+\s{0,3})?", _I)
_LIST_JOINT = re.compile(
    r"\]?\s{0,3}(?:and|or|, and|, or|; and|; or|and/or|and in|or in|and under|or under"
    r"|and by|or by)\s*(?:the (?:provisions|requirements) of )?\[?\s*",
    _I,
)

ENGLISH = DefinitionPhrases(
    term_lead=re.compile(
        r"(?:\A|[\s(—–-])(?:the |each |an? )?(?:(?:following |defined )?(?:terms?|words?|phrases?|expressions?)"
        r"(?: and (?:terms?|words?|phrases?))?)[,:—–-]?\s*\Z|"
        r"(?:\A|[.;:—\n]\s{0,3})(?:and )?(?:in|for the purposes? of)\s[^.;:“”\"‘]{1,80},?\s\Z", _I
    ),
    joint=re.compile(r"[,\]]?\s{0,3}\[?(?:and/or|and|or|,)?\s{0,3}(?:(?:the )?(?:terms?|words?|phrases?) )?", _I),
    verb=re.compile(rf"\]?[,:;]?\s*(?:[—–-]\s*)?{_VERBS}", _I),
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
        r"(?:\A|[.;]\s)In (?:this|(?:sub)?sections?) [^.;“”\"]{1,60}, (?:an?|the) \Z"
    ),
    copula=re.compile(
        r"\s*(?:(?:of|by) [^.;“”\"]{1,60}? )?(?:is|are)"
        r"(?: (?:an?|any|one|the|such|so much|when|if|made|either)\b|[—–:-]|\Z)|"
        r"\s*(?:of|by) [^.;“”\"]{1,60}? (?:is|are) "
    ),
    listed_copula=re.compile(
        r"\s*(?:\w+ )?(?:is|are) (?!not\b|subject\b|required\b|entitled\b|authorized\b|prohibited\b)"
    ),
    article=re.compile(r"(?:an?|the|to|any) ", _I),
    by_reference=re.compile(r"\bas (?:that term is |those terms are |such term is )?defined\b|\bmeanings?\b"
        r"|\bdefinitions?\b|\bsame as\b", _I),
    amending=re.compile(
        r"\b(?:substitut\w*|insert\w*|strik\w*|omit\w*|delet\w*|replac\w*|add(?:ing|ed|s)?|amend\w*|mark(?:ed"
        r"|ing)?|label(?:l?ed|l?ing)?|"
        r"titled|entitled|captioned|headed|stat(?:es|ing|ed)|reads?|reading|read as follows|e\.g\.|such as"
        r"|for example|see)"
        r"[\s,:]*(?:out )?(?:as |with |by )?(?:the )?(?:words?|phrase|figures?|following)?[\s,:]*\Z", _I
    ),
    unquoted=re.compile(
        r"(?:(?:For (?:the )?purposes of|As used in)\b[^.;:“”\"\n]{1,80}?, (?:an? |the )?"
        r"(?:(?:terms?|phrases?|words?) )?|(?=[A-Z]))"
        r"(?P<term>\w[^.;:“”\"()\[\]\n]{1,90}?),?\s+(?P<verb>means?\b(?! (?:of|by|to|for|that are|whereby|which)\b)|"
        r"(?:has|have|shall have) the (?:same )?meanings?\b)"
    ),
    termed=re.compile(
        r"\b(?:the|each|these) (?:terms?|phrase|expression"
        r"|word) (?P<term>[A-Za-z][^.;:“”\"()\[\]\n,]{1,70}?),?\s+(?P<verb>(?:shall |also )?(?:mean"
        r"|include)s?\b(?! by)|"
        r"(?:has|have|shall have) the (?:same )?meanings?\b)", _I
    ),
    unquoted_listed=re.compile(
        r"(?:(?:Except|For|In|As used|When used)\b[^.;:“”\"\n]{1,160}?, (?:an? |the )?(?:(?:terms?|phrases?"
        r"|words?) )?|(?:The|Each) (?:terms?|phrase|word) (?=[^\s]+ \w)|(?=[A-Z0-9]))"
        rf"(?P<term>[A-Za-z0-9][^.;:“”\"\[\]\n]{{1,200}}?),?\s+(?P<verb>{_VERBS})"
    ),
    unquoted_verb=re.compile(r"(?:shall |also )?means?\b|includes?\b|(?:has|have|shall have) the"
        r"|do(?:es)? not include", _I),
    plain_verb=re.compile(r"(?:shall |also )?means?\b", _I),
    listed_verb=re.compile(
        r"(?:shall |also )?(?:means?|includes?)\b|(?:has|have|shall have) the|do(?:es)? not include"
        r"|refers? |occurs? |exists? |comprises? |(?:is|are) defined", _I
    ),
    listed_refused=re.compile(
        r"\b(?:terms|phrases?|words?|expressions?|definitions?|term)\Z|\bthe (?:term|phrase|word)\b|\bfollowing\b|"
        r"\A(?:for|in|except|as|such)\b|"
        r"\b(?:shall|must|may|would|could|can|will|was|were|which|who|whom|whose|if|when|where|by|no|not|it|does|do"
        r"|provided)\b|\b(?:reasonable|electronic|appropriate|available|lawful|other|any|all|such|mechanical)\Z", _I
    ),
    noun_after=re.compile(r" (?:to|of|by|for)\b"),
    qualifier=re.compile(
        r",? (?:(?:in relation|with respect|with reference|in respect)\b|for (?:the )?purposes? of\b"
        r"|(?:as|when) (?:used|applied)\b).*\Z", _I
    ),
    called=re.compile(
        r"\b(?:referred to|known)(?: in (?:this|these) \w+)?(?: (?:collectively|together"
        rf"|hereafter|hereinafter))? as (?:an? |the )?(?P<terms>{_QUOTED})", _I
    ),
    condition=re.compile(
        rf"\b(?:is|are|has|have) (?:an? |the )?(?P<terms>{_QUOTED})(?: (?:of|in|by) [\w ’'-]{{1,60}}?)? "
        r"(?:if|when|unless|to the extent|only if|only when)\b", _I
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
        r"information|notice|section|paragraph|subsection|provided|including|also)\b|\A(?:of|and|or|in|for)\b", _I
    ),
    caption_verb=re.compile(rf"(?:(?P<subject>(?:the|this) (?:term|phrase|word)s?)[,:]?\s*)?{_VERBS}", _I),
    term_refused=re.compile(r"\A(?:this|these|that|those|such)(?: \w+){0,2}\Z", _I),
    inline=re.compile(
        r"\(\s*(?:(?:hereinafter|hereafter|herein|collectively|individually|together|each|also|sometimes"
        r"|referred|known|called|"
        r"described|cited|designated|as|to|be|or|in|for|purposes?|of|this|the|an?|section|chapter|subchapter"
        r"|part|subpart|title|article|"
        r"subtitle|subsection|paragraph|respectively)[\s,:]+){0,14}"
        rf"(?P<terms>{_QUOTED}(?:\s*(?:,|and|or|,\s*and|,\s*or)\s*(?:the\s+|an?\s+)?{_QUOTED}){{0,4}})[.,]?\s*\)", _I
    ),
    lead_in=re.compile(
        r"\b(?:terms?|words?|phrases?|expressions?|definitions?|meanings?|means?|defined)\b|"
        r"(?:as used in|for (?:the )?purposes? of|in|under) (?:this|these) \w+[,:—–-]*\s*\Z|"
        r"(?:as used in|for (?:the )?purposes? of|in) (?:(?:this|these) \w+ (?:and|or) )?"
        r"(?:sections?|subsections?|paragraphs?|parts?|chapters?|articles?|regulations?|schedules?|rules?|§{1,2})\s"
        r"[^.;:“”\"\n]{1,60}[,:—–-]+\s*\Z", _I
    ),
    listed_lead=re.compile(
        r"\b(?:terms?|words?|phrases?|expressions?|definitions?|meanings?|defined)\b[^.;]*\.?\s*\Z|"
        r"(?:as used in|for (?:the )?purposes? of|in|under) (?:this|these) \w+[,:—–-]*\s*\Z", _I
    ),
    heading=re.compile(r"\b(?:definitions?|defined|interpretation|meanings?|rules? of construction"
        r"|(?:(?:defined|key) |(?:use|usage) of )terms?\Z|\Aterms\.?\Z"
        r"|glossary)\b", _I),
    general_heading=re.compile(r"\b(?:(?:general|miscellaneous|supplementary|supplemental)(?: and \w+)?"
        r" (?:provisions?|rules?|definitions?)|definitions?|preliminary"
        r"|interpretation)\b|\Ageneral\.?\Z", _I),
    index_intro=re.compile(
        r"\bdefinitions?\b[^.]{0,80}\b(?:appl(?:y|ies|ying|icable)|sections? in which they appear)|"
        r"\bterms?\b[^.]{0,60}\b(?:defined in the following|meanings? (?:given|ascribed"
        r"|set forth) in the following)", _I
    ),
    scope_lead=re.compile(
        r"(?<!except )(?<!except as )(?<!other than )(?<!other than as )(?:\b(?:for|solely for)(?: the"
        r"| all)? purposes? of(?: applying| implementing| determining)?|"
        r"\b(?:as |when |wherever |whenever |where )?used (?:in|throughout|under|within)|\bwhen found in"
        r"|\bwhenever (?:it|they) appears? in|"
        r"\bapplicable (?:to|throughout|in|only to)|\bappl(?:y|ies|ying) (?:to|throughout|in|only to|for purposes of)|"
        r"\b(?:appears?|appearing|occurs?|occurring|employed) in|\bthroughout|\bmeanings? (?:in|under))\s+"
        r"(?:(?:the )?(?:provisions|application|requirements|interpretation|administration|construction) of )?\Z", _I
    ),
    scope_start=re.compile(
        r"(?:\A|[,(—”\"]\s?|\b(?:referred to|known|described|called) )(?:in|under|within|throughout)\s+\Z", _I
    ),
    scope_heading=re.compile(r"\b(?:applicable to|applying to|for(?: (?:the )?purposes of)?|of|in|under"
        r"|used in)\s+\Z", _I),
    scope_except=re.compile(
        r"\b(?:except|other than|but not)(?: (?:as|when|where|that))?(?: (?:it is |they are )?used)?"
        r" (?:in|under|for (?:the )?purposes? of)\s+\Z", _I
    ),
    whole_law=re.compile(
        r"\bth(?:is|ese) (?P<unit>Act|Code|law|regulation|rule|order|ordinance|instrument|statute)s?\b", _I
    ),
    scope_unit_missing=re.compile(
        r"(?:for (?:the )?purposes? of|used in|appl(?:y|ies) (?:to|in)|in) th(?:is|ese) (?:Act|Code|law"
        r"|regulations?|rules?|order|ordinance|instrument)\b"
        r"|\bas used herein\b|\bherein\b", _I
    ),
    scope_sentence=re.compile(r"\b(?:definitions?|terms?|words?|phrases?|meanings?|defined)\b|[:—–]\s*\Z", _I),
    list_joint=_LIST_JOINT,
)  # fmt: skip

ENGLISH_LINKS = LinkPhrases(
    exceptions=(
        ExceptionPhrase(
            "subject_to",
            re.compile(
                r"\b(?:except|save|unless|other than)(?: as| to the extent)?(?: (?:otherwise|expressly|specifically"
                r"|hereinafter|is|may be))*"
                r" (?:provided|permitted|required|set forth|specified|described|authorized|stated|limited"
                r"|allowed|prescribed|noted|"
                r"prohibited|exempted|indicated|directed)(?: otherwise)?(?: for)? (?:in|by|under|pursuant to|at)\b", _I
            ),
            "after", _WORDS_OF,
        ),
        ExceptionPhrase("subject_to", re.compile(r"\b(?:unless|except (?:under|in accordance with"
            r"|pursuant to))\b", _I),
            "after", re.compile(r"\s+(?:(?:under|in|pursuant|to|the|requirements?|provisions?|of)\s+){0,6}", _I),
        ),
        ExceptionPhrase(
            "disapplies",
            re.compile(r"\b(?:not (?:be )?subject to|(?:exempt(?:ed)?|excluded|excepted) from)\b", _I), "after", _NORMS,
            _PREDICATE, _DESCRIBED,
        ),
        ExceptionPhrase("subject_to", re.compile(r"(?<!not )(?<!not be )\bsubject to\b", _I), "after", _NORMS),
        ExceptionPhrase("notwithstanding", re.compile(r"\b(?:notwithstanding"
            r"|regardless of|despite|by way of derogation from)\b", _I), "after", _WORDS_OF),
        ExceptionPhrase(
            "disapplies",
            re.compile(r"\b(?:(?:shall|do|does|did|will|may) not(?: be (?:deemed|construed) to)? apply|(?:is"
                r"|are|shall be) (?:not applicable|inapplicable))\b", _I),
            "before", _BEFORE,
        ),
    ),
    no_target=re.compile(
        r"(?:\s+(?:any|all))?(?:\s+(?:other|contrary|inconsistent))?(?:\s+(?:provisions?|rules?))?(?:\s+(?:of|in))?"
        r"(?:\s+(?:any|the))?(?:\s+(?:other|general|applicable|existing|federal|state|local|district)){0,3}"
        r"\s+(?:laws?|agreement|contract|fact|foregoing|statute)\b", _I
    ),
    governed_clause=re.compile(r"\b(?:(?:which|whom|if|whether|where|when)\s+(?:the (?:provisions"
        r"|requirements) of\s+)?|following\s+(?:[\w-]+\s+){1,4}?(?:of|in|under)\s+)\Z", _I),
    list_joint=_LIST_JOINT,
    lists=(
        ListPhrase(
            "disapplies",
            re.compile(
                r"\b(?:following\b[^.;:]{0,120}?\b(?:(?:shall|do|does|did|will|may) not(?: be (?:deemed|construed) to)?"
                r" apply|(?:are|shall be) (?:not applicable|inapplicable))|none of the following\b[^.;:]{0,120}?"
                r"\b(?:shall |will )?appl(?:y|ies))\b[^.;:]{0,200}", _I
            ),
            _LISTED,
        ),
        ListPhrase("notwithstanding", re.compile(r"\b(?:notwithstanding|regardless of|despite)"
            rf"(?: any of)?{_FOLLOWING_NORMS}", _I), _LISTED),
        ListPhrase("subject_to", re.compile(rf"(?<!not )(?<!not be )\bsubject to(?: all of| any of)?{_FOLLOWING_NORMS}",
            _I), _LISTED),
    ),
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
    after_head=_words(
        "in of at for to by with on under from without over general public designate elect emeritus politic corporate "
        "martial payable receivable errant ad"
    ),
)  # fmt: skip
