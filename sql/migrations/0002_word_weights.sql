-- What each word of a node counts for in search, so that thousands of nodes are weighed without unpacking their words.

CREATE FUNCTION lex_weights(tsvector) RETURNS sparsevec
    LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT
    AS $$
    SELECT ('{' || coalesce(string_agg(w.place || ':' || w.weight, ','), '') || '}/268435456')::public.sparsevec
    FROM (
        SELECT ('x' || left(md5(u.lexeme), 7))::bit(28)::integer + 1 AS place,
            max(CASE u.weights[1]
                WHEN 'A' THEN 190 * (cardinality(u.weights) + 1) / (10 * cardinality(u.weights) + 19)
                WHEN 'B' THEN 95 * cardinality(u.weights) / (10 * cardinality(u.weights) + 9)
                WHEN 'C' THEN 1
                ELSE 190 * cardinality(u.weights) / (10 * cardinality(u.weights) + 9)
            END) AS weight
        FROM unnest($1) u GROUP BY 1 LIMIT 16000
    ) w $$;

ALTER TABLE legal_nodes ADD COLUMN word_weights sparsevec(268435456) GENERATED ALWAYS AS (lex_weights(fts)) STORED;
ALTER TABLE legal_nodes ALTER COLUMN word_weights SET STORAGE MAIN;
