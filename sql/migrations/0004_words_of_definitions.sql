-- What of its node belongs to a definition, where that is not all of it.
ALTER TABLE legal_definitions
    ADD COLUMN own_terms integer[],                     -- term ids that its words use, of several in one text
    ADD COLUMN apart_ids bigint[] NOT NULL DEFAULT '{}'; -- parts of its node that define something else
