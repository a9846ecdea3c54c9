-- What a provision's row says of its place and its parts is not said again among the keys of its context. The rows are
-- written anew, and their indexes with them.
CREATE FUNCTION lex_beside(bigint[], bigint[]) RETURNS bigint[] LANGUAGE sql IMMUTABLE
    RETURN coalesce((SELECT array_agg(i.id ORDER BY i.id) FROM unnest($1) AS i (id) WHERE i.id <> ALL ($2)), '{}');
ALTER TABLE legal_nodes ALTER COLUMN context_ids TYPE bigint[] USING lex_beside(context_ids, ancestor_ids || subtree_ids);
DROP FUNCTION lex_beside(bigint[], bigint[]);
