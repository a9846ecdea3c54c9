-- Words that begin, and that end, with another one are found by an index.
CREATE INDEX lexeme_stats_beginning_idx ON lexeme_stats (jurisdiction, language, lexeme text_pattern_ops);
CREATE INDEX lexeme_stats_ending_idx ON lexeme_stats (jurisdiction, language, reverse(lexeme) text_pattern_ops);
