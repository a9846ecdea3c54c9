"""From C(R) to an answer: prompt, draft, repair, refusal."""
