-- Words that begin with another one are found by the primary key, whose order is that of their bytes now.
DROP INDEX lexeme_stats_beginning_idx;
ALTER TABLE lexeme_stats ALTER COLUMN lexeme TYPE text COLLATE "C";
