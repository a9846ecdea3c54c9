"""English word tables of the operator reading. Data only; `rag/languages/en/operators.py` says how they are used.

A phrase on the left is read as the values on the right; two phrases with the same value mean the same in law and may
replace each other in a paraphrase. What is in doubt has a value of its own, so that replacing it raises an alarm.
"""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


MODALITY = {
    "OBLIGATION": (
        "shall|must|is required to|are required to|shall be required to|must be required to|has to|have to|"
        "is obligated to|are obligated to|is obliged to|are obliged to"
    ),
    "PERMISSION": (
        "may|is permitted to|are permitted to|is allowed to|are allowed to|is authorized to|are authorized to|"
        "shall be permitted to|shall be allowed to|may choose to"
    ),
    "PROHIBITION": (
        "shall not|must not|may not|is not permitted to|are not permitted to|is not allowed to|are not allowed to|"
        "is prohibited from|are prohibited from|is forbidden to|are forbidden to|is forbidden from|"
        "shall not be permitted to|shall not be allowed to|is not authorized to|are not authorized to"
    ),
    "NO_OBLIGATION": (
        "shall not be required to|is not required to|are not required to|need not|does not have to|do not have to|"
        "is not obligated to|are not obligated to|is not obliged to|are not obliged to|does not need to|do not need to"
    ),
    "RECOMMENDATION": "should",
    "FUTURE": "will",
    "POSSIBILITY": "might|could",
    "ABILITY": "can",
    "WOULD": "would",
}
# `shall be entitled` is `is entitled`: what is in law, where nobody is told to do anything.
STATUS_WORDS = _words(
    """
    entitled liable unlawful lawful void voidable guilty eligible ineligible deemed presumed considered effective valid
    invalid null exempt unenforceable enforceable conclusive punishable
    """
)
AFTER_APPLY = {"", "to", "if", "when", "where", "unless", "in", "only", "for", "as", "mutatis"}
STATUS_NOUNS = _words("right power authority jurisdiction")
NEGATION = "not|no|none|nothing|nobody|no one|neither|nor|never|without|free of"
COMPARATORS = {
    "AT_LEAST": (
        "at least|not less than|no less than|not fewer than|no fewer than|a minimum of|minimum of|or more|or greater|"
        "or older|not lower than|no lower than|not earlier than|no earlier than|not sooner than|no sooner than|or over|"
        "or longer|or later|not under"
    ),
    "AT_MOST": (
        "at most|not more than|no more than|not greater than|no greater than|not to exceed|not exceeding|"
        "not in excess of|"
        "a maximum of|maximum of|up to|or less|or fewer|or under|or younger|not later than|no later than|"
        "not longer than|"
        "no longer than|within|not above|not over|or shorter|or earlier|not higher than|no higher than"
    ),
    "MORE": (
        "more than|greater than|exceeds|exceed|exceeding|exceeded|in excess of|longer than|higher than|larger than|"
        "older than|in the excess of|upwards of"
    ),
    "LESS": "less than|fewer than|lower than|smaller than|shorter than|younger than",
    "EQUAL": "equal to|exactly",
    "EARLIER": "earlier than|sooner than",
    "LATER": "later than",
    "BEFORE": "before|prior to|preceding|in advance of|previous to",
    "AFTER": "after|following|subsequent to|beginning after",
    "ON_OR_BEFORE": "on or before|at or before",
    "ON_OR_AFTER": "on or after|at or after",
    "SINCE": "since",
    "DURING": "during|in the course of",
    "MINIMUM": "minimum",
    "MAXIMUM": "maximum",
}
# `Not later than 30 days before` is `at least 30 days before`, and `not earlier than` is not.
TURNED_BEFORE = {
    "not later than": "AT_LEAST", "no later than": "AT_LEAST", "not earlier than": "EARLIEST",
    "no earlier than": "EARLIEST", "not sooner than": "EARLIEST", "no sooner than": "EARLIEST",
}  # fmt: skip
BEFORE_EVENT = {"before", "prior", "preceding"}
# These are comparators only where an amount follows: `under this section` compares nothing.
BEFORE_AMOUNT = {"over": "MORE", "above": "MORE", "under": "LESS", "below": "LESS"}
CONNECTIVES = {"and": "and|as well as|together with", "or": "or"}
EXCEPTIONS = {
    "UNLESS": "unless|except if|except when|except where",
    "EXCEPT": (
        "except|excepting|other than|apart from|aside from|save for|save as|save that|except for|except as|except that|"
        "excluding|exclusive of|with the exception of"
    ),
    "PROVIDED": (
        "provided that|provided , that|provided , however , that|provided however that|provided further that|"
        "provided , further , that|provided , however"
    ),
    "ONLY_IF": "only if|only when|only where|only on condition that",
    "IF_AND_ONLY_IF": "if and only if",
    "ONLY_SO_FAR": "only to the extent|only so far as|only in so far as",
    "SUBJECT": "subject to",
    "NOTWITHSTANDING": "notwithstanding|despite|in spite of|regardless of|irrespective of|without regard to",
}
CONDITIONS = {
    "IF": (
        "if|where|wherever|in the event that|in the event of|in the event|in case|in case of|"
        "on condition that|in cases where|in any case in which|provided"
    ),
    "WHEN": "when|whenever",
    "AT_TIME": "at the time that|at the time when|at the time the|at the time a",
    "UNTIL": "until|till",
    "WHILE": "while|as long as|so long as|for as long as",
    "UPON": "upon",
}
ABSOLUTES = {
    "ALL": "all|any and all",
    "EVERY": "every|each",
    "ALWAYS": (
        "always|at all times|in all cases|in every case|in all circumstances|under all circumstances|"
        "in every circumstance|without exception|without exceptions|in every instance|in all instances|invariably|"
        "in each case|in any circumstances|in any event|on every occasion"
    ),
    "NEVER": "under no circumstances|in no event|in no case|in no circumstances|at no time|on no account",
    "ONLY": "only|solely|exclusively|merely",
    "WHOLLY": "entirely|completely|absolutely|wholly|totally|fully|altogether|in full",
    "AUTOMATIC": "automatically",
    "UNCONDITIONAL": "unconditionally|unreservedly",
    "NECESSARY": "necessarily",
    "STRICT": "strictly",
    "WHATSOEVER": "whatsoever|of any kind|under any circumstances",
    "BOTH": "both",
    "EITHER": "either",
}
NEVER_NEGATES = "NEVER"
RELATIVES = "who|whom|whose|which"

# Plain words for terms of art that mean the same; keys and values are single words, compared by stem.
PLAIN_WORDS = {
    "commence": "begin", "start": "begin", "initiate": "begin", "terminate": "end",
    "purchase": "buy", "utilize": "use", "obtain": "get", "furnish": "provide", "permit": "allow",
    "aforesaid": "said", "forthwith": "immediately", "shows": "show", "afterward": "thereafter",
    "afterwards": "thereafter", "herself": "himself", "itself": "himself", "themselves": "himself",
}  # fmt: skip
# They say nothing of their own, but how the word after them is meant: one preposition for each kind of them.
NEUTRAL_PHRASES = {
    "": (
        "pursuant to|in accordance with|according to|by virtue of|as defined in|as provided in|as provided by|"
        "as described in|set forth in|as set forth in"
    ),
    "about": "with respect to|with regard to|in relation to|in terms of|in connection with",
    "for": "for the purposes of|for purposes of|for the purpose of",
    "to": "in order to",
    "by": "by means of|by reason of",
}

# One unit a line: the canonical word, then every other spelling.
UNITS = """
day days
week weeks
month months
year years yr yrs
hour hours
minute minutes
second seconds
quarter quarters
decade decades
century centuries
dollar dollars
cent cents
euro euros
pound pounds sterling
percent
foot feet
inch inches
yard yards
mile miles
acre acres
metre metres meter meters
kilometre kilometres kilometer kilometers
kilogram kilograms kilogramme kilogrammes
gram grams
ounce ounces
ton tons tonne tonnes
gallon gallons
litre litres liter liters
barrel barrels
watt watts
kilowatt kilowatts
megawatt megawatts
degree degrees
ampere amperes
volt volts
"""
MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
    "december",
)  # fmt: skip
DAY_KINDS = {"business", "calendar", "working", "court", "trading", "banking", "school", "consecutive"}
DAY_KIND_ALIASES = {"working": "business"}
SYMBOL_UNITS = {"$": "dollar", "€": "euro", "£": "pound", "¥": "yen", "%": "percent", "¢": "cent"}

CARDINALS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
)
TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
SCALES = {"hundred": 100, "thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000}
ORDINALS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth "
    "sixteenth seventeenth eighteenth nineteenth twentieth"
)
FRACTIONS = {
    "half": 2, "halves": 2, "third": 3, "thirds": 3, "fourth": 4, "fourths": 4, "quarter": 4, "quarters": 4,
    "fifth": 5, "fifths": 5, "sixth": 6, "sixths": 6, "eighth": 8, "eighths": 8, "tenth": 10, "tenths": 10,
}  # fmt: skip
MULTIPLES = {
    "once": "x1", "twice": "x2", "double": "x2", "thrice": "x3", "triple": "x3", "treble": "x3", "dozen": "12",
    "quadruple": "x4",
}  # fmt: skip

ROLES = _words(
    """
    person persons individual individuals party parties landlord tenant subtenant occupant resident lodger owner
    housing seller buyer vendor purchaser lessor lessee sublessee licensor licensee franchisor franchisee debtor
    creditor obligor obligee mortgagor mortgagee trustee trustor settlor beneficiary grantor grantee donor donee
    bailor bailee payor payer payee drawer drawee indorser endorser indorsee holder transferor transferee assignor
    assignee guarantor surety insurer insured policyholder employer employee worker contractor subcontractor
    supplier provider carrier consignor consignee shipper warehouse merchant dealer broker agent principal
    representative attorney counsel guardian ward conservator executor administrator heir heirs testator decedent
    spouse husband wife parent child minor adult father mother plaintiff defendant petitioner respondent appellant
    appellee claimant complainant applicant registrant permittee court judge clerk magistrate jury sheriff marshal
    prosecutor mayor secretary director commissioner commission council department agency board bureau authority
    district city county state states government president governor legislature congress attorney-general treasurer
    auditor inspector officer official superintendent chief chairman chairperson member members manager operator
    consumer customer client patient physician hospital student teacher school university bank company corporation
    partnership association cooperative partner shareholder stockholder issuer investor telemarketer caller
    recipient borrower lender servicer user author publisher licenser inventor manufacturer distributor retailer
    importer exporter producer driver passenger police fiduciary custodian depositor receiver arbitrator mediator
    lienor cotenant renter householder taxpayer voter candidate citizen alien veteran
    """
)
ROLE_SUFFIXES = ("or", "er", "ee", "ant", "ist", "ian")
# Common nouns with an agent's ending that are no party.
NOT_ROLES = _words(
    """
    order matter manner number letter paper chapter offer water power other either whether former latter quarter
    center member register answer computer container character error labor harbor behavior favor honor factor sector
    motor door floor minor major prior interior exterior fee fees degree decree guarantee committee grant warrant
    covenant plant restaurant amount want relevant instant constant significant grantable list consist assist exist
    vacant tender rider transfer counter super barrier further under over after greater lesser later earlier higher
    lower larger smaller longer shorter older proper easier newer never ever however together rather per cover
    weather corner border layer user-fee newspaper sewer trailer boiler shelter meter filter vapor color humor
    vector mirror
    """
)
DETERMINERS = {"the", "a", "an", "any", "each", "every", "such", "said", "no", "that", "this", "all", "another"}
POSSESSIVES = {"his", "her", "its", "their"}
DIRECTIONS = {"by", "to", "from", "against"}
BE = {"be", "is", "are", "was", "were", "been", "being"}
NO_SUBJECT_AFTER = {"and", "or", "but", "that", "however", "then", "and/or"}
DESIGNATOR_GLUE = {",", "and", "or", "through", "to", "and/or", "either", "both"}

# Words that carry no legal content of their own: they may come and go in a paraphrase.
NEUTRAL_WORDS = _words(
    """
    a an the this that these those such said same any it its he him his she her they
    them their theirs there here hereby herein hereof hereto hereunder thereof therein thereto thereby
    thereunder therefor therefore whereby wherein of in on at to by for with as be is are was
    were been being am do does did done doing has have had having having so then than also but however
    further moreover under into own our we us you your one ones i me my who whom whose which what how why about
    law laws statute statutes code act section sections subsection subsections paragraph paragraphs subparagraph
    provision provisions rule rules chapter subchapter title states stated says said provides according accordance
    pursuant namely thus hence accordingly means mean s t dc us usc cfr
    """
)
# Verbs of what a law says, and of what people do.
TELLING = {"provides", "states", "stated", "says"}
# But these say that one act is done by another.
LINKS_ACTS = {"thereby", "whereby"}
# Of these a claim may have more than the sentence, as in `the law provides`, and not less: `title to the property`.
NAMED_WORDS = _words(
    """
    law statute code act section subsection paragraph subparagraph provision rule chapter subchapter title
    """
)
# Initials that tell whose citizens or dollars are meant, but for whose law.
COUNTRIES = {"us", "dc"}
OF_COUNTRIES = NAMED_WORDS | {"official", "municipal", "codes", "laws", "statutes"}
NUMBERED_LEVELS = (
    "section subsection paragraph subparagraph clause subclause article chapter subchapter title subtitle part subpart "
    "division item rule regulation schedule appendix sec subsec para art"
)

# How, in what form, with what intent or how often: words that decide cases although a sentence reads well without them.
QUALIFIERS = (
    "in writing|in person|in advance|in good faith|in bad faith|in full|in part|under oath|under seal|by hand|"
    "by (?:certified|registered|first class|electronic) mail|without (?:charge|delay|notice|cause|consent)|"
    "under penalty of perjury|orally|verbally|electronically|personally|publicly|privately|anonymously|"
    "knowingly|wil?lfully|intentionally|purposely|recklessly|(?:grossly )?negligently|maliciously|fraudulently|"
    "corruptly|voluntarily|involuntarily|immediately|promptly|forthwith|timely|annually|semiannually|quarterly|"
    "monthly|weekly|daily|hourly|periodically|continuously|jointly|severally|solely|exclusively|directly|indirectly|"
    "temporarily|permanently|conspicuously|clearly|prominently|legibly|expressly|impliedly|specifically|"
    "(?:un)?reasonabl[ey]|substantial(?:ly)?|material(?:ly)?|actual(?:ly)?|written|signed|sworn|certified|notarized|"
    "high|(?:un)?likely|undu(?:e|ly)|(?:un)?lawful(?:ly)?|excessive(?:ly)?|without (?:undue|unreasonable) delay"
)
