-- What a part of a rule needs its rule needs too: a part is read by the keys of its rule, and has its own parts alone.
-- The rows are written anew, and their indexes with them.
ALTER TABLE legal_nodes
    ALTER COLUMN line_terms DROP NOT NULL,
    ALTER COLUMN line_terms DROP DEFAULT,
    ALTER COLUMN line_terms TYPE integer[] USING CASE WHEN rule_id = node_id THEN line_terms END,
    ALTER COLUMN scope_ids DROP NOT NULL,
    ALTER COLUMN scope_ids DROP DEFAULT,
    ALTER COLUMN scope_ids TYPE bigint[] USING CASE WHEN rule_id = node_id THEN scope_ids END,
    ALTER COLUMN context_ids DROP NOT NULL,
    ALTER COLUMN context_ids DROP DEFAULT,
    ALTER COLUMN context_ids TYPE bigint[] USING CASE WHEN rule_id = node_id THEN context_ids END;

-- Few nodes have other names, and these are found whatever the jurisdiction.
DROP INDEX legal_nodes_aliases_idx;
CREATE INDEX legal_nodes_aliases_idx ON legal_nodes USING gin (aliases);

-- What new rows wait in before they are merged stays with the index as room that is free: 4 MB each by default.
ALTER INDEX legal_nodes_fts_idx SET (gin_pending_list_limit = 512);
ALTER INDEX legal_nodes_tags_idx SET (gin_pending_list_limit = 128);
ALTER INDEX legal_nodes_aliases_idx SET (gin_pending_list_limit = 128);
