-- Hashes take half the room as bytes; the rows are written anew, and their indexes with them.
ALTER TABLE legal_nodes
    ALTER COLUMN source_hash TYPE bytea USING decode(source_hash, 'hex'),
    ALTER COLUMN search_hash TYPE bytea USING decode(search_hash, 'hex');
ALTER TABLE edition_nodes ALTER COLUMN source_hash TYPE bytea USING decode(source_hash, 'hex');
