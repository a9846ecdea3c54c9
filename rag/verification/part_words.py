"""Word tables of `rag/verification/parts.py` in English, French and German. Data only."""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


ALTERNATIVE = {"en": "or", "fr": "ou", "de": "oder"}
# After `or` these belong to a limit, or to a word beside which nothing is an alternative (`or more`, `or otherwise`).
NO_ALTERNATIVE = _words(
    """
    more less fewer greater older younger longer shorter later earlier over under above below higher lower both not
    otherwise part so plus moins non mehr weniger nicht sonst
    """
)
DETERMINERS = _words(
    """
    a an the any each every such said all no its his her their this that these those un une le la les l' tout toute
    ein eine einen einem einer eines der die das dem den des
    """
)
# What a short alternative does not reach across: prepositions, words that open clauses, verbs of a clause.
STOPS = _words(
    """
    of in on at by for with from to under between during within upon before after against through without into as
    than who which that whose whom if when where unless except and or not no may shall must is are was were be been
    has have had de d' du des à au aux en dans par pour sur sous avec sans qui que dont où si et ou ne pas sauf
    von vom zu zum zur im in an am auf aus bei mit nach für über durch gegen der die das dem den wenn und oder nicht
    ist sind
    """
)
# `The landlord or the tenant shall pay`: one of the two is enough, and dropping one says more.
DEFINITE = _words(
    """
    the such said this that these those either both one le la les l' ce cette ces der die das dem den des dieser
    """
)
FINITE = {
    "en": _words("shall may must is are was were means includes has have does do can will should"),
    "fr": _words("doit doivent peut peuvent est sont sera seront pourra pourront a ont"),
    "de": _words("ist sind hat haben kann können muss müssen darf dürfen wird werden gilt gelten haftet soll"),
}
OPENS_CLAUSE = _words("who which whose if when where unless except only that qui dont wenn")
ANYBODY = {"fr": _words("quiconque tout toute"), "de": _words("wer jeder jede")}
NEGATES_ALL = _words("no neither nul kein")
# Without one of two things compared, chosen between or counted, another thing is said.
COMPARING = (
    "only|solely|exclusively|limited|whether|whichever|greater|lesser|earlier|later|higher|lower|larger|smaller|means?|"
    "defined|fails?|failed|failure|refuses?|refused|neglects?|omits?|between|unable|seule?s?|seulement|s'entend|désigne|"
    "nur|entweder|höhere|geringere|zwischen"
)
# A clause that opens so limits what stands before it, or hangs on it.
DEPENDS = (
    "but|however|provided|except|unless|otherwise|in which case|in that case|such|mais|toutefois|cependant|néanmoins|"
    "sauf|auquel|dans ce cas|pourvu|aber|jedoch|doch|sonst|andernfalls|in diesem fall|dies"
)
# An opening that only links a sentence to the one before it.
LINKS = "also|further|furthermore|moreover|néanmoins|toutefois|cependant"
# What opens a clause that may stand first, between commas or last.
CLAUSE_OPENS = {
    "en": (
        "if|when|where|whenever|wherever|unless|upon|until|in the event|in cases? where|except (?:if|when|where|that)|"
        "subject to|notwithstanding"
    ),
    "fr": (
        "si|s'|lorsque|lorsqu'|quand|sauf si|sauf s'|sauf lorsque|à moins que|à moins qu'|à condition que|"
        "à condition qu'|tant que|tant qu'|dès lors que|dès lors qu'|sous réserve"
    ),
    "de": "wenn|falls|sofern|soweit|solange|sobald|es sei denn|außer wenn",
}
# Of these, what may close a sentence without a comma and belongs to its verb: `where` and `when` may belong to a noun.
CLAUSE_OPENS_BARE = {
    "en": "if|unless|whenever|in the event",
    "fr": "si|s'|sauf si|sauf s'|à moins que|à moins qu'|lorsque|lorsqu'",
    "de": r"(?!)",  # a comma is the rule
}
RELATIVES = {
    "en": _words("who whom whose which that"),
    "fr": _words("qui que qu dont où lequel laquelle lesquels lesquelles auquel duquel"),
    "de": _words("welcher welche welches welchem welchen dessen deren dass daß"),
}
# What opens a relative clause where a comma stands before it.
RELATIVES_AFTER_COMMA = _words("der die das dem den deren dessen denen was wer wo")
# After a phrase of time these may go on with it: `binnen eines Monats nach Zugang`.
GOES_ON = _words("nach vor seit ab bis von vom der des eines einer zum zur zu im in bei oder und")
# After these a clause is what is told or asked, and no condition.
REPORTING = _words(
    """
    determine determines decide decides state states ask asks know knows indicate indicates specify specifies show
    shows see inform informs consider considers ascertain verify savoir demander vérifier déterminer décider
    """
)
# Phrases of time that German puts first.
FRONTED_PHRASES = "während|vor|nach|seit|bis|binnen|innerhalb|ab|auf|bei|im falle?"
