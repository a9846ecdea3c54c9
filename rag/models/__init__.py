"""The door to language models and the models that search uses."""
