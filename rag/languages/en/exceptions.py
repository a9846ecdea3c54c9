"""English words that except: "subject to", "notwithstanding", "without prejudice to", "does not apply"."""

from __future__ import annotations

import re

from rag.law.own_words import OwnPhrases
from rag.law.patterns import lazy
from rag.law.phrases import CountsAs, ExceptionPhrase, LinkPhrases, ListPhrase

_I = re.IGNORECASE
_IN = r"(?:[^.;:]|\.(?=\d))"  # inside one clause; the point of "5.02" ends none
# Between an excepting phrase and its reference: a few words of one clause, of no other law, and not of its dates.
_WORD = r"[\w’'/-]+(?:,(?!\s(?:the|an?|no|any|such|each|every)\b))?\s+"
_WORDS_OF = re.compile(
    r"\s*(?:(?!(?:shall|may|must|is|are|was|were|which|who|that|if|when|where|whether|because|as|in order"
    r"|to the extent|circumstances|exempt|laws?|agreement|contract|enactment|commencement|repeal)\b)"
    rf"{_WORD}){{0,10}}\[?\s*",
    _I,
)
# Between the number of a listed provision and its reference, and what a list of provisions is called.
_LISTED = re.compile(r"(?:the\s+)?(?:(?:provisions?|requirements?|rules?|part|all|any)\s+)*(?:(?:of|in|under)\s+)?", _I)
_FOLLOWING_NORMS = (
    r" the following\b[^.;:]{0,60}?\b(?:provision|section|subsection|part|article|regulation|rule|law|requirement)s\b"
    r"[^.;:]{0,120}"
)
# "subject to" and "exempt from" take a norm as their object: "subject to taxation under § 5" relates to no provision.
_NORM = (
    r"(?:requirement|provision|limit|limitation|restriction|condition|exception|prohibition|exclusion|exemption|rule"
    r"|procedure|term|regulation|right|standard|criteri|definition|ceiling|defens|modification|qualification|reservation"
    r"|proviso|penalt|duties|obligation|operation|application|effect)\w*"
)
_NORMS = re.compile(
    rf"\s*(?:the\s+|all\s+|any\s+)?(?:(?:(?!(?:under|by|pursuant|as|to)\b){_WORD}){{0,8}}?(?:"
    rf"{_NORM}\s+(?:of|in|under|at|pursuant to)|(?:set forth|contained|imposed|specified|provided|prescribed|stated"
    r"|established|described|created)"
    r"\s+(?:in|by|under|pursuant to))\s+(?:the\s+)?)?\[?\s*",
    _I,
)
# Who is exempt may be so from a thing that the provision asks for, if it is a definite one: "the fees in this section".
_NORMS_OR_THING = re.compile(
    rf"{_NORMS.pattern}|\s(?:the|all|any|every)\s(?:(?!(?:of|in|under|by|to|on|for|and|or)\b){_WORD}){{1,5}}"
    r"(?:in|under|by)\s(?:the\s)?\[?\s*",
    _I,
)
# "Subject to the remedies provided by section 502" says what follows, not what limits.
_LIMITING_NORMS = re.compile(
    rf"(?!\s(?:the |all |any |civil |criminal |same ){{0,3}}(?:remed|penalt|sanction|fine)\w*\b){_NORMS.pattern}",
    _I,
)
# What breaks a provision, what it lists, or what is done under it is not the provision: "a sale in violation of section
# 5", "an order under section 5". A duty or a power under it is.
_THING = rf"(?<!\w)(?!(?:{_NORM}|dut(?:y|ies)|powers?|imposed|conferred|created|required)\s)[\w’'-]+,?\s"
_UNDER = (
    rf"{_THING}"
    r"(?:under|pursuant to|by virtue of|in accordance with)\s(?:the\s)?"
    r"(?:sections?\s[\w.()-]+\s\[(?:§{1,2}\s?)?)?\Z"  # "under section 3 [§ 28-4602]"
)
# "If it rains and section 5 does not apply".
_AND_IF = r"\b(?:if|unless|whether)\b[^.;:,]{1,120}\s(?:and|or)\s(?:the\s)?\Z"
_OF_THING = re.compile(
    rf"{_UNDER}|{_AND_IF}|{_THING}(?:defined|described|specified|mentioned|referred to) in\s(?:the\s)?\Z"
    # "A failure to comply with section 5 does not affect", "acts in such a way that section 5 does not".
    r"|\b(?:comply\w*|compliance|accordance) with\s(?:the\s)?\Z|\bsuch\s[^.;:,]{1,40}?\bthat\s(?:the\s)?\Z",
    _I,
)
_NOT_ITSELF = re.compile(
    rf"{_UNDER}|"
    r"\b(?:(?:violation|contravention|breach) of|(?:specified|listed|set (?:out|forth)|mentioned|referred to) in)\s"
    r"(?:the\s)?\Z", _I
)  # fmt: skip
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
    r"(?:\b(?:who|which|(?<!provided )(?<!provided, )that)(?:\s+\w+ly)?|\bwhose\s[^.;:,]{1,60}?"
    r"|\b(?:if|unless|until|whether|because|when|where|while|although|though|to the extent|(?:in ?)?so ?far as"
    r"|as long as)\s[^.;:,]{1,100}?"
    r"|(?:\A|[.;:]\s)\s*no(?:thing)?\s[^.;:,]{1,100}?)"
    rf"\s+{_FINITE}(?:\s[^.;:,]{{1,80}}{_AND_ALSO})?\s*\Z",
    _I,
)
# "A lease subject to section 5 is void": no verb before the noun since the clause began, and one behind the reference;
# "any person subject to section 5" wherever it stands.
_VERB = (
    r"(?:is|are|was|were|be|been|shall|should|may|must|will|would|can|could|has|have|had|do|does|did|appl(?:y|ies)"
    r"|remains?|becomes?)"
)
_OF_NOUN = (
    re.compile(
        r"(?:\A|[,;:.—()]|\b(?:that|which|who|where|if|when|whether|unless)\b)\s*"
        rf"(?:(?!{_VERB}\b)[\w’'-]+\s)*(?!(?:and|or|but|only|always)\b)[\w’'-]+\s\Z", _I
    ),
    re.compile(rf"\s?(?:of this \w+\s)?{_VERB}\b", _I),
)  # fmt: skip
# "If the sale is subject to section 5", "a sale that may be subject to section 5".
_OF_CASE = re.compile(
    r"(?:[^,\s]\s(?:who|which|that)|\b(?:if|unless|until|whether|when|where|(?:as|so) long as)\s[^.;:,]{1,100}?)\s+"
    rf"{_FINITE}\s*\Z|\b(?:any|each|every|no)\s[\w’'-]+\s\Z", _I
)  # fmt: skip
# "Save where the exceptions provided for in Article 16 apply": the provision that names the cases.
_CASES = re.compile(
    r"\s+(?:(?:the|those|all|any|such|cases?|situations?|circumstances?|matters?|exceptions?|exemptions?|conditions?"
    r"|persons?|contracts?|transactions?|provided|provisions?|specified|described|referred|mentioned|listed|set|laid"
    r"|forth|out|down|of|for|to|in|by|under|within|are|is|and)\s+){0,12}", _I
)  # fmt: skip
_BEFORE = re.compile(r"\s{0,3}\]?\s{0,3},?\s{0,3}(?:of this \w+\s{0,3})?", _I)
# What a provision is about, "section 5 (kites)", and no designator.
_REMARK = r"\s\((?!(?:[ivxlcdm]{1,7}|[a-z]{1,3}|\d{1,4}[a-z]{0,2})\))(?:[^()]|\([^()]{1,40}\)){2,180}\)"
_JOINT = (
    rf"(?:{_REMARK})?\]?\s{{0,3}}(?:and/or|(?:[,;] )?(?:and|or)"
    r"(?: (?:in|under|by|of%s))?)\s*"
    r"(?:(?:the (?:provisions|requirements) of|anything (?:contained )?in) )?\[?\s*"
)
LIST_JOINT = re.compile(_JOINT % "", _I)  # between provisions
# Between the units of a scope: "this chapter and for the purposes of chapter 5".
SCOPE_JOINT = re.compile(_JOINT % "|as used in|for (?:the )?purposes of", _I)

_UNIT_WORD = (
    r"(?:§|(?:(?:sub-?)?(?:section|paragraph|part|chapter|article|title|division)|schedule|regulation|rule|clause)s?\b)"
)
_BEFORE_NORM = re.compile(r"\s+(?:(?:the|any|provisions?|of|requirements?)\s+){0,4}", _I)
# What is said of somebody in a clause that describes him, or denied ("nothing relieves him from section 5"), holds not.
_NOT_STATED = re.compile(
    r"\b(?:who|which|(?<!except )(?<!provided )(?<!provided, )that|if|unless|until|whether|when|where|no|nothing"
    r"|neither"
    r"|nor|not)\b[^.;:,]{0,100}\Z",
    _I,
)
_LETS_OFF = r"(?:exempt|excus|reliev|releas|except(?! that\b)|absolv)(?:e|es|ing|s)?"
_RELIEF = r"(?:variances?|exemptions?|waivers?|dispensations?|relief|derogations?|exceptions?|deviations?)"
_VERB_OF_FORCE = (
    r"(?:affects?|binds?|prevents?|prohibits?|precludes?|restricts?|limits?|requires?|permits?|authori[sz]es?|confers?|entitles?"
    r"|obliges?|imposes?|operates?)"
)
_ING_OF_FORCE = (
    r"(?:affecting|preventing|prohibiting|precluding|restricting|limiting|requiring|permitting|authori[sz]ing"
    r"|conferring|imposing|applying)"
)
# What a provision says of another one without taking it out of force: that it yields, what it does not do, that it may
# be waived, whom it does not bind, that there is a defence to it.
_LIMITS = (
    ExceptionPhrase(
        "limits",
        re.compile(
            r"\b(?:(?:also |only )?(?:has|have|(?:shall|is to|are to) have) effect|(?:shall )?appl(?:y|ies)|operates?"
            r"|(?:is|are|shall be))"
            rf"(?=,? subject(?:, however,)? to (?:(?:the )?(?:provisions|requirements) of )?(?:the )?{_UNIT_WORD})",
            _I,
        ),
        "before",
        _BEFORE,
        described=_NOT_ITSELF,
    ),
    ExceptionPhrase(
        "limits",
        re.compile(
            r"\bnothing (?:contained )?in\b(?=(?:[^.;:]|\.(?=\d)){1,120}?"
            rf"\b(?:shall|is to|is|may|applies|{_VERB_OF_FORCE})\b)",
            _I,
        ),
        "after",
        _BEFORE_NORM,
    ),
    # "Section 7 does not affect a lease", "has no application to a barge", "may be waived", "applies only to", "where
    # section 9 applies, section 3 does not".
    ExceptionPhrase(
        "limits",
        re.compile(
            rf"\b(?:(?:shall|do|does|will|is|are|may) not(?:(?: (?:to )?be (?:construed|interpreted|read|deemed|taken)"
            rf" (?:to|as)(?: be)?)? (?:{_VERB_OF_FORCE}|{_ING_OF_FORCE}|apply)\b"
            r"(?! (?:the (?:operation|application|validity) of|(?:any )?(?:other )?"
            r"(?:laws?|Acts?|rights?|remed\w+|powers?|liabilit\w+)\b))"
            r"|(?=\s*(?:[.;]|\Z)))|(?:shall )?(?:has"
            rf"|have) no (?:application|effect|force)\b"
            r"|(?:shall |will )?ceases? to (?:apply|have effect|bind)\b"
            r"|(?:is|are|(?:shall |may )(?:only )?be) (?:disapplied|suspended|relaxed|displaced|superseded)\b"
            r"|(?:shall )?(?:appl(?:y|ies)|has effect|have effect) (?:to [^.;:]{1,80}? )?(?:only (?:to|in|if"
            r"|where|when|from|until)"
            r"|(?:as if|with the (?:following )?(?:\w+ )?(?:modification|substitution)s?))\b)",
            _I,
        ),
        "before",
        _BEFORE,
        described=_OF_THING,
    ),
    # What a provision asks for: "a fee payable under section 9 may be waived", "in proceedings under section 2 it is a
    # defence to prove".
    ExceptionPhrase(
        "limits",
        re.compile(
            r"\b(?:(?:is|are) (?:hereby )?(?:waived|dispensed with)|(?:shall |may )(?:only )?be (?:waived"
            r"|dispensed with)"
            r"|(?:is|are|shall be) not (?:payable|required|due|necessary|needed|chargeable|compulsory|mandatory)"
            r"(?! to (?!be\b))"
            r"|it (?:is|shall be) (?:also )?an? (?:\w+ ){0,2}defen[cs]e"
            r"|(?:may|can|shall|is entitled to) (?:show|prove|plead|raise|rely on|have)\b[^.;:]{0,40}?\bdefen[cs]e"
            r"|has a (?:\w+ )?defen[cs]e)\b",
            _I,
        ),
        "before",
        _BEFORE,
        described=re.compile(r"\b(?:if|unless|whether)\b[^.;:,]{0,100}\Z", _I),
    ),
    ExceptionPhrase(
        "limits",
        re.compile(
            r"\bit (?:is|shall be) (?:also )?an? (?:\w+ ){0,2}defen[cs]e\b[^.;:]{0,120}?"
            r"\b(?:under|against|to|of|for)\b",
            _I,
        ),
        "after",
        _WORDS_OF,
    ),
    ExceptionPhrase(
        "limits",
        re.compile(
            r"\b(?:may|can)\b(?:[^.;:]{0,80}?\b(?:waive|dispense with|relax|suspend|disapply|remit"
            r"|(?<!by order )(?<!by order, )(?<!by regulations )(?<!by rules )(?:modify|vary)(?=\s(?:the\s|any\s)?"
            rf"(?:{_UNIT_WORD}|(?:[\w’'-]+\s){{0,6}}?{_NORM}\s))"
            r"|depart from|disregard|ignore"
            rf"|(?<!is )(?<!are )(?<!were )(?<!be ){_LETS_OFF}(?:\sfrom|\s[^.;:]{{1,80}}?\s(?:from|of))"
            r"|(?:excuse|forgive|condone)\s[^.;:]{1,60}?\s(?:with|of|under)"
            rf"|(?:grant|allow|give|issue|approve|authori[sz]e|make)s?\s[^.;:]{{0,60}}?\b{_RELIEF}\s(?:from|of|to)"
            rf"|be (?:granted|allowed|given)\s[^.;:]{{0,40}}?\b{_RELIEF}\s(?:from|of|to)"
            r"|be (?:excused|relieved|released) (?:from|of)))\b",
            _I,
        ),
        "after",
        re.compile(rf"{_NORMS.pattern}|{_WORDS_OF.pattern}", _I),
        described=_NOT_STATED,
    ),
    # Whom a provision does not bind, and what is no breach of it.
    ExceptionPhrase(
        "limits",
        re.compile(
            r"\b(?:needs? not|(?:is|are|shall be|shall|do|does) not (?:be )?(?:required|obliged|obligated|bound"
            r"|have) (?:to|by)|(?:is|are|shall be) not (?:required|needed|necessary|payable|due)(?= (?:under|by)\b)"
            r"|(?:is|are|shall be|shall) not (?:be )?(?:liable|guilty)|(?:incurs?|has|have) no liability"
            r"|commits? no offen[cs]e"
            r"|(?:do|does|shall|is|are) not (?:be )?(?:deemed (?:to )?|considered (?:to )?)?(?:be )?"
            r"(?:contravene|violate|breach|infringe|(?:in|an?) (?:contravention|violation|breach|infringement"
            r"|offen[cs]e))"
            r"|without (?:complying|regard|compliance))\b(?: (?:with|to|of|under))?",
            _I,
        ),
        "after",
        _WORDS_OF,
        described=re.compile(
            r"\b(?:who|which|that)\s(?:\w+\s){0,2}\Z|\b(?:if|unless|whether|no|nothing|would)\b[^.;:,]{0,100}\Z", _I
        ),
    ),
    ExceptionPhrase(
        "limits",
        re.compile(
            r"\b(?:treated|deemed|(?:be|is|are) taken|regarded|considered)(?: as| to)? (?:having complied|have complied"
            r"|complying|to comply"
            r"|be in compliance|in compliance|satisfying|satisfy) with\b",
            _I,
        ),
        "after",
        _WORDS_OF,
    ),
    # That a provision is out of force for a case: "section 2 is inoperative", "falls to be disregarded".
    ExceptionPhrase(
        "limits",
        re.compile(
            r"\b(?:(?:is|are|shall be|becomes?) (?:inoperative|ineffective|of no (?:effect|force)"
            r"|to be (?:disregarded|ignored))"
            r"|(?:falls?|(?:is|are|shall be|may be)(?: to be)?) (?:to be )?(?:disregarded|ignored|left out of account)"
            r"|inapplicable)\b",
            _I,
        ),
        "before",
        _BEFORE,
        described=re.compile(rf"\b(?:if|unless|whether|no|nothing)\b[^.;:,]{{0,100}}\Z|{_NOT_ITSELF.pattern}", _I),
    ),
    # What a provision does not reach, asks or give rise to: "is outside section 2", "no duty arises under section 1",
    # "is not subject to inspection under section 3"; "in no case may a grant under section 2 exceed".
    ExceptionPhrase(
        "limits",
        re.compile(
            r"\b(?:(?:is|are|falls?|lies?|shall be) (?:outside|beyond)"
            r"|no (?:[\w’'-]+ ){1,4}?(?:arises?|lies|accrues|applies"
            r"|(?:is|are|shall be) (?:due|payable|required|needed|necessary|incurred|committed|imposed|charged))"
            r"|(?:is|are|shall be) not (?:subject|liable) to(?: [\w’'-]+){1,4}?(?=\s(?:under|imposed by|required by)\b)"
            r"|in no (?:case|event) (?:shall|may|must|can))(?!\w)",
            _I,
        ),
        "after",
        _WORDS_OF,
        described=_NOT_STATED,
    ),
    # "In the event of conflict between a stint and section 1 the stint shall prevail".
    ExceptionPhrase(
        "limits",
        re.compile(r"\b(?:conflict|inconsistency|inconsistent)\b(?=[^.;:]{1,160}?\bprevails?\b)", _I),
        "after",
        _WORDS_OF,
    ),
    ExceptionPhrase(
        "notwithstanding",
        re.compile(r"\b(?:to the contrary )?notwithstanding\b(?=\s*[,.;]|\s*\Z)", _I),
        "before",
        _BEFORE,
    ),
    # "This Act applies to every dam other than a dam owned by the United States", but not "to every dam".
    ExceptionPhrase(
        "applies",
        re.compile(
            r"(?<!\bnot )\b(?:applies|apply|extends?|(?:has|have) effect)(?= (?:only |solely )?(?:to|in relation to"
            r"|in respect of|in|where|if)\b)(?! to (?:all|any|each|every)\b(?![^.;]{0,300}"
            r"\b(?:other than|except|excluding|not|only|unless)\b))",
            _I,
        ),
        "before",
        _BEFORE,
        described=re.compile(r"[^.;:—\s)]\s*\Z"),
    ),
    # "Section 12 is subject to any order of a court", where the section is what the sentence speaks of.
    ExceptionPhrase(
        "limits",
        re.compile(r"\b(?:is|are|shall be) subject to (?=(?:any|an?|the)\b)", _I),
        "before",
        _BEFORE,
        described=re.compile(
            r"\A(?!.*(?:\A|[.;:—]\s)(?:The (?:(?:requirement|provision|prohibition|limit|dut|power|right)\w* )+"
            r"(?:of|in|under) )?\Z)",
            _I | re.DOTALL,
        ),
    ),
    # "May be begun without the approval that section 2 requires", "need comply with subsection (1) only".
    ExceptionPhrase(
        "limits",
        re.compile(
            r"\bwithout (?:the |an? |any )?(?:[\w’'-]+ ){1,4}?(?:that|which|required (?:by|under))\b"
            r"(?=\s)",
            _I,
        ),
        "after",
        re.compile(r"\s+(?:the\s+)?"),
        re.compile(r"\bmay\b(?! not\b)[^.;:]{0,120}\Z", _I),
        _NOT_STATED,
    ),
    ExceptionPhrase(
        "limits",
        re.compile(
            r"\bneeds? (?:only )?(?:comply|be complied) with\b(?=[^.;:]{1,60}\bonly\b)|\bneed only comply with\b", _I
        ),
        "after",
        _BEFORE_NORM,
    ),
    # "This Act applies with the omission of section 3".
    ExceptionPhrase("disapplies", re.compile(r"\bwith the omission of\b|\bomitting\b", _I), "after", _BEFORE_NORM),
    ExceptionPhrase(
        "limits",
        re.compile(r"\b(?:has|have|(?:shall|is to|are to) have) effect(?=,? subject to (?:any|the|such|an?)\b)", _I),
        "before",
        _BEFORE,
        described=_NOT_ITSELF,
    ),
    ExceptionPhrase(
        "notwithstanding",
        re.compile(
            r"\b(?:(?:shall |has effect |have effect |applies |apply )?(?:in (?:place|lieu) of|instead of)"
            r"|(?:shall )?(?:supersedes?|overrides?|prevails? over|takes? precedence over|displaces?))\b",
            _I,
        ),
        "after",
        _NORMS,
        described=re.compile(r"\b(?:if|unless|whether|no|nothing|not)\b[^.;:]{0,100}\Z", _I),
    ),
    # "other than a person described in section 8", "except as section 8 provides".
    ExceptionPhrase(
        "subject_to",
        re.compile(
            r"\b(?:other than|excluding|except(?: for)?|apart from"
            r"|but not)\b(?=\s(?!as\b|limited to\b)[^.;:,]{3,80}?\b(?:described|referred"
            r"|mentioned|specified|listed|exempt(?:ed)?|excepted|identified|set|permitted|authori[sz]ed|allowed)"
            r"\s(?:to\s|out\s|forth\s)?(?:in|by|under)\b)",
            _I,
        ),
        "after",
        _WORDS_OF,
    ),
    ExceptionPhrase(
        "subject_to",
        re.compile(
            r"\b(?:except|save|unless|but)(?: as| where| so far as| to the extent(?: that)?| that)?"
            rf"(?=\s{_UNIT_WORD}[^.;:]{{1,40}}?\b(?:provid|permit|allow|specif|otherwise|direct|applies)\w*)",
            _I,
        ),
        "after",
        re.compile(r"\s+"),
    ),
)

_DUTY = re.compile(
    r"\b(?:shall|must|(?:is|are) required to|may not|prohibited|unlawful|commits an offen[cs]e|guilty)\b", _I
)

# What is not asked for, by the thing: "No licence is required", "may drill without a licence", "need not hold one".
_NEED_NAME = (
    r"(?P<need>(?!(?:(?:sub)?chapter|(?:sub)?section|(?:sub)?part|(?:sub)?title|provision|requirement|prejudice|limitation|regard|cause"
    r"|delay|charge)s?\b)(?<![\w-])[a-z][\w-]{3,30})"
)


# A thing that opens a sentence, perhaps after words that say for which provisions the sentence holds.
_OPENS = r"(?:\A(?:\(\w{1,4}\)\s)?|(?<=[.;—]\s)|(?<=\n))"
_SCOPED = (
    r"(?:(?:For (?:the )?purposes? of|In|As used in|When used in) (?:this|these|the|sub|section|para|reg|rule|art)"
    r"[^.;:]{2,80}?,\s)"
)
_SUBJECT = (
    r"(?:[Tt]he |[Aa]n? )?(?!(?:[Ii]f|[Ww]h\w+|[Ii]ts?|[Tt]his|[Tt]h[eo]se|[Ss]uch|[Tt]hat|[Ii]n|[Oo]n|[Ff]or"
    r"|[Nn]o|[Nn]othing|[Tt]here|[Aa]ny"
    r"|[Aa]ll|[Ee]ach|[Ee]very|[Bb]y|[Aa]s|[Aa]t|[Ff]rom|[Ww]ith|[Uu]nder|[Hh]e|[Tt]hey|[Ii]t|[Ss]ections?|[Ss]ubsections?|[Pp]aragraphs?"
    r"|[Cc]hapters?|[Pp]arts?|[Aa]rticles?|[Rr]egulations?|[Rr]ules?|[Ss]chedules?|[Aa]ct)\b)"
    r"((?:(?!(?:that|which|who|to|of|for|in|by|with|may|must|shall|will|would|can|could|should|does|not|is|are|has|have|under|on|and|or|if|any"
    r"|such|other|same|all|only|also)\b)[A-Za-z][\w-]*\s){1,4}?)"
)


# Singular forms without their endings. A document of more than one rule, term or condition is "these rules".
ENGLISH_KINDS = (
    r"act|code|law|regulation|rule|order|ordinance|instrument|statute|bye?-?law|charter|compact|proclamation|decree"
    r"|convention|treaty|protocol|agreement|covenant|contract|polic(?:y|ie)|lease|licence|license|deed|term|condition"
    r"|document|handbook|manual|plan|scheme|guideline|resolution|constitution"
)
_KIND = rf"(?P<word>{ENGLISH_KINDS})s?(?![\w-])"
ENGLISH_OWN = OwnPhrases(
    lazy(rf"\b(?:this|(?P<many>these)|the\spresent)\s(?P<middle>(?:(?-i:[A-Z])[\w’'&-]+\s){{0,3}}?){_KIND}", _I),
    lazy(rf"\b{_KIND}", _I),
    told_by="capital",
    one_of_many=frozenset({"rule", "term", "condition", "guideline"}),
    spelled={"policie": "policy"},
    called=lazy(
        r"\s(?:(?:may|shall|must|is\sto|will)\sbe\s(?:cited|known|referred\sto)(?:\sfor\sall\spurposes)?(?:\s(?:as\s)?(?:and|or)\s)?){1,2}"
        r"\s(?:as|by)\s(?:the\s)?"
        r"(?:[“\"‘](?:the\s)?(?P<quoted>[^“”\"‘’\n]{3,200})[”\"’]|(?P<name>(?-i:[A-Z])[^.;“”\"\n]{3,200}?)"
        r"(?=[.;]|\Z|\n|,?\sand\s(?:shall\s|is\s|are\s|comes?\s|takes?\s|enters?\s|extends?\s|appl(?:y|ies)\s)))", _I
    ),
    again=lazy(r"(?:It|They)(?=\s)"),
    begins=lazy(
        r"(?:,?\sand)?\s(?:shall\s)?(?:(?:comes?|enters?)\sinto\s(?:force|effect|operation)|takes?\seffect"
        r"|(?:is|are|be|becomes?)\seffective)\s(?:on|as\sof|from)\s(?:the\s)?"
        r"(?P<day>(?:\d{1,2}(?:st|nd|rd|th)?\s(?:day\sof\s)?[a-z]{3,9}|[a-z]{3,9}\s\d{1,2}(?:st|nd|rd|th)?),?\s\d{4}"
        r"|\d{4}-\d\d-\d\d)(?=\.(?!\d)|\s*\Z|\s*\n)", _I
    ),
    in_force=lazy(
        r"\b(?:(?:com|enter)(?:es?|ing|s)?\s(?:in)?to\s(?:force|effect|operation)|tak(?:es?|ing)\seffect|effective"
        r"|(?:amended|inserted|substituted|revised)\s(?:on|by|in|through)|as\samended|last\samended)\b", _I
    ),
)  # fmt: skip

ENGLISH_LINKS = LinkPhrases(
    own=ENGLISH_OWN,
    example=re.compile(r"\W*(?:\d+\W+)?Examples?\b", _I),
    empowers=re.compile(
        r"\b(?:regulations?|rules|orders?|by-?laws?)\s(?:(?:made )?under [^.;:]{1,40}\s)?may (?:also )?"
        r"(?:provide|specify|prescribe)\b"
        r"[^.;:]{0,40}[—–:]?[^.;:]{0,80}\bprescribed (?:provisions|requirements) of \Z", _I
    ),
    lifts_duties=re.compile(
        r"\bnothing (?:contained )?in\b[^.;:]{1,80}?"
        r"\b(?:prevents?|prohibits?|precludes?|restricts?|requires?|forbids?|bars?)\b"
        r"|\b(?:shall|is|are) not (?:be )?(?:required|obliged) to\b", _I
    ),
    thing_under=re.compile(rf"\b(?:an?|any) {_NEED_NAME} (?:under|required by)\s\Z", _I),
    speaks_of_meaning=re.compile(
        r"[“\"‘]([^”\"’'\n]{2,40})[”\"’](?:\([^()]{1,40}\)\s?)?,?\s?(?:(?:also|only|further)\s)?(?:means?"
        r"|includes?|does not include"
        r"|is (?:an?|any)|are also|has the (?:same )?meaning|refers? to|is defined|shall be construed)\b"
        rf"|{_OPENS}{_SCOPED}?{_SUBJECT}(?:means?\b(?! (?:of|by|to be)\b)|(?:also |only )?includes?\b(?!\s?:"
        rf"|[^.;]{{0,40}}:|\sanother\b)"
        r"|does not include|has the (?:same )?meaning|is defined|is (?=any (?:person|thing|place)\b))"
        rf"|{_OPENS}{_SCOPED}{_SUBJECT}(?:(?:is|are|shall be) (?:also )?(?:to be )?(?:treated as|deemed"
        rf"(?: to be)?|regarded as|taken to be"
        r"|considered(?: to be)?) (?=an?\b|the\b|two\b)|is (?=an?\b|any\b|one\b))"
    ),
    named_law=re.compile(
        r"\b(?:by|in|of|under|to|for)\s(?:the|an)\s(?P<name>(?!(?:This|That|The|Any|Such)\b)[A-Z][\w’'-]{1,30}"
        r"(?:\s(?:(?:[A-Z][\w’'-]{1,30}|and|of|for|the|on|to|in|\([A-Z][^()]{1,40}\)),?)){0,10}?\s(?:Act|Code|Ordinance|Statute"
        r"|Regulations|Rules|Order)(?:,?\s(?:1[6-9]|20)\d\d)?)(?![\w’'-]|\s[A-Z])"
    ),
    duty=re.compile(rf"{_DUTY.pattern}|\bno [^.;:]{{1,60}}?\bmay\b|\b(?:requires?|required)\b", _I),
    exceptions=(
        ExceptionPhrase(
            "subject_to",
            re.compile(
                r"\b(?:except|save|unless|other than)(?: as| to the extent| where| that| those| insofar as)?"
                r"(?: (?:otherwise|expressly|specifically"
                r"|hereinafter|is|may be))*"
                r" (?:[a-z]+ed|set (?:forth|out)|laid down|given|made)(?: otherwise)?(?: for)?"
                r" (?:in|by|under|pursuant to|in accordance with|at)\b", _I
            ),
            "after", _WORDS_OF,
        ),
        ExceptionPhrase("subject_to", re.compile(r"\b(?:unless|except (?:under|in accordance with"
            r"|pursuant to))\b", _I),
            "after", re.compile(r"\s+(?:(?:under|in|pursuant|to|the|requirements?|provisions?|of)\s+){0,6}", _I),
        ),
        ExceptionPhrase(
            "subject_to", re.compile(r"\b(?:(?:except|save) (?:where|in (?:the )?cases?|for|with respect to)"
            r"|with the exceptions? of)\b", _I),
            "after", _CASES,
        ),
        # What this provision leaves as it is is beside it, and limits neither.
        ExceptionPhrase(
            "cites",
            re.compile(
                r"\bwithout (?:prejudice|derogation|detriment) (?:to|from)\b(?! (?:the )?generality)"
                r"|\bthis \w+ (?:does|do|shall) not (?:affect|prejudice|limit|derogate from)\b|\bnothing in this \w+ "
                r"(?:affects|limits|prejudices|derogates from|shall (?:affect|limit|prejudice)"
                r"|shall be construed (?:as|to) (?:limit|affect)(?:ing)?)\b", _I
            ),
            "after", _WORDS_OF,
        ),
        ExceptionPhrase(
            "disapplies",
            re.compile(r"\b(?:(?<!whether or )(?:not|nor) (?:intended )?(?:to )?(?:be )?"
                       r"(?:subject to|covered by|governed by)"
                       r"|(?:excluded|excepted) from)\b", _I), "after", _NORMS,
            _PREDICATE, _DESCRIBED,
        ),
        ExceptionPhrase("disapplies", re.compile(r"\b(?:(?<!may )(?<!can )exempt|exempted) from\b", _I), "after",
            _NORMS_OR_THING, _PREDICATE, _DESCRIBED,
        ),
        # "A lease that is subject to section 5" tells which lease is meant, "nor subject to" what does not apply.
        ExceptionPhrase("subject_to", re.compile(
            r"(?<!not )(?<!not be )(?<!nor )\bsubject(?:, (?:however|nevertheless),)? to\b"
            r"(?:, and (?:\w+ ){1,2}(?:by|to|with),)?", _I), "after", _LIMITING_NORMS,
            described=_OF_CASE, modifies=_OF_NOUN),
        ExceptionPhrase("notwithstanding", re.compile(r"\b(?:notwithstanding(?! (?:the )?generality)"
            r"|regardless of|despite|in spite of|by (?:way of )?derogation from"
            r"|(?<!not )(?<!construed )in derogation (?:of|from))\b", _I),
            # "Unless the other Act declares that it operates despite this Part" says what another law may do.
            "after", _WORDS_OF, described=re.compile(
                r"\bunless\s[^.;:]{1,160}\b(?:declares?|provides?|states?)\b[^.;:]{0,80}\Z", _I)),
        ExceptionPhrase(
            "disapplies",
            re.compile(
                r"\b(?:(?:shall|do|does|did|will|may) not(?: be (?:deemed|construed) to|, [^,.;:]{1,60},)?"
                r" (?:be construed as applying|apply|have effect|extend to|bind"
                r"|impose (?:any |an )?(?:obligation|dut|requirement|liabilit)\w*)"
                r"|(?:is|are|shall be) (?:not applicable|inapplicable)|(?:is|are) not to (?:apply|have effect)"
                r"|(?:shall|do|does|will|may)(?=, [^,.;:]{1,80}, (?P<verb>not (?:apply|have effect))\b))\b", _I
            ),
            "before", _BEFORE, described=re.compile(_AND_IF, _I),
        ),
        # "No provision of this chapter shall apply to ...", "any provision of section 5 that ... does not apply".
        ExceptionPhrase(
            "disapplies",
            re.compile(
                rf"\b(?:no provisions? of\b(?={_IN}{{1,120}}?\b(?:appl(?:ies|y)|(?:shall|will) have effect)\b)"
                rf"|(?:any|the|those) provisions? of\b(?={_IN}{{1,160}}?\b(?:that|which)\b{_IN}{{1,160}}?"
                r"\b(?:(?:shall|do|does) not apply|(?:is|are) not applicable)\b))", _I
            ),
            "after", _WORDS_OF,
        ),
        ExceptionPhrase(
            "disapplies",
            re.compile(
                r"\bnothing (?:contained )?in\b(?=(?:(?!\b(?:that|which|who|nor|may|shall|will|is|[a-z]+[iy]f(?:y|ies)"
                r"|(?:affect|limit|prevent|prohibit|require|supersede|restrict|preclude|authori[sz]e|confer)s?)\b)"
                rf"{_IN}){{1,120}}?"
                r"\b(?:appl(?:ies|y)|(?:shall|will) (?:apply|have effect)|(?:is|shall be) applicable)\b)", _I
            ),
            "after", _WORDS_OF,
        ),
        *_LIMITS,
    ),
    no_target=re.compile(
        r"(?:\s+(?:any|all|an))?(?:\s+(?:other|contrary|inconsistent))?(?:\s+(?:provisions?|rules?))?(?:\s+(?:of|in))?"
        r"(?:\s+(?:any|the))?(?:\s+(?:other|general|applicable|existing|federal|state|local|district)){0,3}"
        r"\s+(?:laws?|agreement|contract|fact|foregoing|statute)\b", _I
    ),
    governed_clause=re.compile(r"\b(?:\d[\w().-]*(?:\s+\(?\w{1,3}\)?)?\s+of\s+"
        r"|(?:which|whom|if|whether|where|when)\s+(?:the (?:provisions"
        r"|requirements) of\s+)?|following\s+(?:[\w-]+\s+){1,4}?(?:of|in|under)\s+)\Z", _I),
    list_joint=LIST_JOINT,
    list_comma=re.compile(r",\s(?:the\s)?", _I),
    carve=re.compile(
        r",?\s\(?(?:except(?:ing)?(?: for)?|other than|apart from|save(?: for)?|but not|not including|excluding"
        r"|with the exceptions? of)\s(?:the\s)?", _I
    ),
    meaning_at=re.compile(
        r",?\s\(?(?:as (?:(?:that|the|such|those|these) terms? (?:is|are) )?(?:so )?"
        r"(?:defined|described) (?:in|by|under|at)"
        r"|(?:with)?in the meaning (?:of|given (?:in|by)))\s\Z", _I
    ),
    coverage=re.compile(r"\b(?!(?:and|or|but)\s)\w+\s+subject to\Z", _I),
    asks=re.compile(r"(?<!of )\bwhether\b(?! or not\b)|(?<=\w )(?<!of )\bwhether or not\b"),
    anaphora=re.compile(r"(?:This|That|The (?:foregoing|preceding \w+)) (?:does|do|shall) not apply\b"),
    counting=re.compile(r"\b(?:treated|deemed|taken|regarded|considered|counted|counts?|not)\b", _I),
    counts=(
        CountsAs(
            "includes",
            re.compile(
                r"(?<!not )(?<!neither )\b(?:is|are|shall|must|may|will|being)\s(?:also\s|only\s)?(?:to\s)?"
                r"(?:be\s)?(?:also\s)?"
                r"(?:treated|deemed|taken|regarded|considered|counted)\s(?:for\s[^.;:,]{1,60}?\s)?(?:also\s)?(?:as\s|to\sbe\s)?"
                r"(?:if\s(?:it|he|she|they)\swere\s)?(?:an?\s|the\s|two\s|one\s|separate\s)?[“\"]?\Z", _I
            ),
        ),
        CountsAs("includes", re.compile(r"\bcounts?\s(?:also\s)?as\s(?:an?\s|the\s)?[“\"]?\Z", _I)),
        CountsAs(
            "excludes",
            re.compile(
                r"\b(?:(?:is|are|shall|must|may)\snot\s(?:to\s)?(?:be\s)?|(?:is|are|shall|must)\s(?:neither\s)?(?:be\s)?not\s)"
                r"(?:treated|deemed|taken|regarded|considered|counted)\s(?:as\s|to\sbe\s)?(?:an?\s|the\s)?[“\"]?\Z", _I
            ),
        ),
        CountsAs(
            "excludes",
            re.compile(
                r"\A(?:(?:But|However),?\s)?(?:For (?:the )?(?:avoidance of doubt|purposes of [^.;:,]{1,60}), )?"
                r"(?:an?|any|no|neither|the)\s(?:(?!\b(?:if|unless|where|when|whether|shall|must|may|is|are)\b)[^.;:“”\"]){1,160}?"
                r"(?<!\bwho)(?<!\bwhich)(?<!\bthat)(?<!\band)(?<!\bor)(?<!\bbut)\s(?:is|are) not (?:an? |the )?\Z", _I
            ),
            re.compile(
                r"[.;]|\Z|,? (?:for (?:the )?purposes? of (?:this|these)|merely|solely|only|simply|by reason|by virtue"
                r"|because|unless|if)\b", _I
            ),
        ),
    ),
    # A clause in commas that takes something out, or words in brackets: "Section 5 (kites) does not apply".
    aside=re.compile(
        r"(?:,\s(?:with the exceptions? of|(?:in )?so far as|insofar as|to the extent"
        r"|except(?:ing)?(?: for)?|other than|apart from|save(?: for)?|but not)\s"
        rf"[^;:.]{{1,150}}?,|{_REMARK})\s{{0,3}}\Z", _I
    ),
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
