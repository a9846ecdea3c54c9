-- What a provision's context shows of its document. Provisions written before have none: their context is read the longer
-- way, until their document is written again.
ALTER TABLE legal_nodes ADD COLUMN context_ids bigint[] NOT NULL DEFAULT '{}';
