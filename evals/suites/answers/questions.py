"""Questions for the refusal measure: from the law's own sentences, and about things that no law of the suite has."""

from __future__ import annotations

import re

UNANSWERABLE = (
    "What is the capital of Mongolia?",
    "How do I bake sourdough bread at home?",
    "Who won the football world cup in 1998?",
    "How far is the moon from the earth?",
    "What is the boiling point of ethanol?",
    "Which key signature has four flats?",
    "How long do elephants live in the wild?",
    "What does the mitochondrion do?",
    "Who painted the ceiling of the Sistine Chapel?",
    "How many legs does a lobster have?",
    "What is the best opening move in chess?",
    "How do I grow tomatoes on a balcony?",
    "Which planet has the most moons?",
    "How do I tune a violin?",
    "What is the plot of Hamlet?",
    "How are pearls formed inside an oyster?",
    "Why is the sky blue at noon?",
    "Which river flows through Vienna?",
    "How do I knit a pair of socks?",
    "What is the chemical symbol of tungsten?",
    "How fast does a cheetah run?",
    "When did the Roman empire fall?",
    "How do vaccines train the immune system?",
    "What is the tallest mountain of South America?",
    "How do I remove a red wine stain from a carpet?",
    "Which vitamins are in a carrot?",
    "How does a diesel engine differ from a petrol engine?",
    "What time does the sun set in Oslo in June?",
    "Who composed the Goldberg Variations?",
    "How do bees find their way back to the hive?",
    "What is the square root of two?",
    "How do I train a puppy to sit?",
    "Which language is spoken in Suriname?",
    "What causes the tides of the ocean?",
    "How do I fold a paper crane?",
    "What is the difference between a crocodile and an alligator?",
    "Who wrote the Odyssey?",
    "How cold is it at the south pole in winter?",
    "Which mushrooms glow in the dark?",
    "How is cheddar cheese made?",
)
_AUXILIARY = re.compile(
    r"(?:Except as provided in [^,]+, )?(?P<subject>.+?) (?P<verb>shall|must|may) (?P<rest>[^.;:]+)", re.IGNORECASE
)


def question_of(sentence: str) -> str:
    """A question that the sentence answers: `A dealer shall report X within 5 days` asks `Must a dealer report X?`.

    The end of a longer sentence is left off, for it is what the question asks about.
    """
    match = _AUXILIARY.match(sentence)
    if match is None:
        return f"What does the law say: {' '.join(sentence.rstrip('.').split()[:14])}?"
    words = match["rest"].split()
    kept = " ".join(words[: max(5, len(words) * 2 // 3)])
    verb = "May" if match["verb"].lower() == "may" else "Must"
    return f"{verb} {match['subject'][0].lower()}{match['subject'][1:]} {kept}?"
