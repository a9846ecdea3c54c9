"""One room a language: how law in it defines, excepts, and says what must stay the same."""
