-- Paths are found in the order of their text, which is that of ltree, in half the room: ltree fills each label up to eight
-- bytes. Versions of a URN are kept apart by its hash, which two URNs of a jurisdiction will not share.
DROP INDEX legal_nodes_path_idx;
CREATE INDEX legal_nodes_path_idx ON legal_nodes (jurisdiction, (citation_path::text) COLLATE "C");
ALTER TABLE legal_nodes DROP CONSTRAINT unique_active_version;
ALTER TABLE legal_nodes ADD CONSTRAINT unique_active_version EXCLUDE USING gist
    (jurisdiction WITH =, hashtextextended(urn, 0) WITH =, validity WITH &&);
