"""Void rules and the questions of people: who is halted, and who is not."""
