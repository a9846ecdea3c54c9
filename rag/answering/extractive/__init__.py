"""Answers without a model: sentences of the law, chosen by the words of the question."""
