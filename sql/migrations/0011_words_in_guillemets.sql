-- Guillemets become angle brackets without accents, and the parser takes what stands between those for a tag.
CREATE OR REPLACE FUNCTION lex_words(text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT
    RETURN regexp_replace(translate(lex_unaccent($1), '<>', '  '), '(?<=[\u3005\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff])([\u3005\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff])(?=[\u3005\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff])', '\1 \1', 'g');

-- The words of a node and those around it, as they are stored; where those are too many for a tsvector, of the first bytes
-- of each text, cut at a space where there is one.
CREATE FUNCTION lex_beginning(text, integer) RETURNS text LANGUAGE sql IMMUTABLE
    RETURN CASE WHEN octet_length($1) <= $2 THEN $1 ELSE convert_from(convert_to(regexp_replace(
        convert_from(substring(convert_to($1, 'UTF8') FROM 1 FOR $2), 'LATIN1'), '( [^ ]*|[\u00c0-\u00ff][\u0080-\u00bf]*)$', ''
    ), 'LATIN1'), 'UTF8') END;
CREATE FUNCTION lex_again(config regconfig, heading text, body text, titles text, leads text, OUT own tsvector, OUT words tsvector)
    LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
    own := setweight(to_tsvector(config, lex_words(heading)), 'A') || to_tsvector(config, lex_words(body));
    words := own || setweight(to_tsvector(config, lex_words(titles)), 'B') || setweight(to_tsvector(config, lex_words(leads)), 'C');
EXCEPTION WHEN program_limit_exceeded THEN
    own := setweight(to_tsvector(config, lex_words(lex_beginning(heading, 20000))), 'A')
        || to_tsvector(config, lex_words(lex_beginning(body, 200000)));
    words := own || setweight(to_tsvector(config, lex_words(lex_beginning(titles, 20000))), 'B')
        || setweight(to_tsvector(config, lex_words(lex_beginning(leads, 20000))), 'C');
END
$$;

-- What has such a sign in its words, or in those of its line that it is found by too, as rag/ingest/writing/rows.py puts
-- them together, of the line the last versions that were in force with it.
CREATE TEMP TABLE words_again ON COMMIT DROP AS
WITH signed AS MATERIALIZED (
    SELECT DISTINCT jurisdiction, node_id FROM legal_nodes
    WHERE lex_unaccent(concat_ws(' ', heading, intro_text, content_text)) ~ '[<>]'
), made AS (
    SELECT n.jurisdiction, n.id, n.language, n.fts, n.fts_length, v.own, v.words
    FROM legal_nodes n
    CROSS JOIN LATERAL (
        -- From its section or article down, where no mere container lies between; a chunk has its document's title too.
        SELECT concat_ws(' ', string_agg(nullif(l.heading, ''), ' ' ORDER BY l.place) FILTER (WHERE l.within),
                CASE n.kind WHEN 'chunk' THEN nullif((array_agg(l.heading ORDER BY l.place))[1], '') END) AS titles,
            coalesce(string_agg(nullif(l.intro_text, ''), ' ' ORDER BY l.place) FILTER (WHERE l.within), '') AS leads
        FROM (
            SELECT a.*, a.place < cardinality(n.ancestor_ids) AND a.place >= max(a.place)
                    FILTER (WHERE a.structure_type IN ('SECTION', 'ARTICLE', 'APPENDIX')) OVER ()
                AND a.place > coalesce(max(a.place)
                    FILTER (WHERE a.kind = 'section' AND a.place < cardinality(n.ancestor_ids)) OVER (), 0) AS within
            FROM (
                SELECT DISTINCT ON (o.place) o.place, e.kind, e.structure_type, e.heading, e.intro_text
                FROM unnest(n.ancestor_ids) WITH ORDINALITY AS o (node_id, place)
                JOIN legal_nodes e ON e.jurisdiction = n.jurisdiction AND e.node_id = o.node_id
                    AND e.document_id = n.document_id AND e.validity && n.validity
                ORDER BY o.place, lower(e.validity) DESC NULLS LAST
            ) a
        ) l
    ) line
    CROSS JOIN LATERAL (
        SELECT coalesce((
            SELECT c.config FROM (VALUES ('da', 'danish'), ('de', 'german'), ('en', 'english'), ('es', 'spanish'),
                ('fi', 'finnish'), ('fr', 'french'), ('hu', 'hungarian'), ('it', 'italian'), ('nl', 'dutch'),
                ('no', 'norwegian'), ('pt', 'portuguese'), ('ro', 'romanian'), ('ru', 'russian'), ('sv', 'swedish'),
                ('tr', 'turkish')) AS c (language, config) WHERE c.language = n.language
        ), 'simple')::regconfig AS config
    ) k
    CROSS JOIN LATERAL lex_again(
        k.config, n.heading, concat_ws(E'\n', nullif(n.intro_text, ''), nullif(n.content_text, '')), line.titles, line.leads
    ) v
    WHERE n.kind <> 'section'
        AND EXISTS (SELECT FROM signed s WHERE s.jurisdiction = n.jurisdiction AND s.node_id = ANY (n.ancestor_ids))
        -- Of a document in chunks only these are found.
        AND (n.kind = 'chunk' OR (n.jurisdiction, n.node_id) NOT IN (
            SELECT c.jurisdiction, a.id FROM legal_nodes c CROSS JOIN LATERAL unnest(c.ancestor_ids) AS a (id)
            WHERE c.kind = 'chunk'
        ))
)
SELECT jurisdiction, id, language, fts, fts_length, words,
    (SELECT coalesce(sum(cardinality(u.positions)), 0)::integer FROM unnest(own) u) AS length
FROM made WHERE fts <> words;

INSERT INTO lexeme_stats (jurisdiction, language, lexeme, document_frequency)
SELECT w.jurisdiction, w.language, u.lexeme, sum(u.sign)
FROM words_again w CROSS JOIN LATERAL (
    SELECT lexeme, 1 AS sign FROM unnest(w.words) UNION ALL SELECT lexeme, -1 FROM unnest(w.fts)
) u
GROUP BY w.jurisdiction, w.language, u.lexeme HAVING sum(u.sign) <> 0
ON CONFLICT (jurisdiction, language, lexeme) DO UPDATE
SET document_frequency = lexeme_stats.document_frequency + excluded.document_frequency;

INSERT INTO language_stats (jurisdiction, language, nodes, words)
SELECT jurisdiction, language, sum((length > 0)::integer - (fts_length > 0)::integer), sum(length - fts_length)
FROM words_again GROUP BY jurisdiction, language
ON CONFLICT (jurisdiction, language) DO UPDATE
SET nodes = language_stats.nodes + excluded.nodes, words = language_stats.words + excluded.words;

UPDATE legal_nodes n SET fts = w.words, fts_length = w.length
FROM words_again w WHERE n.jurisdiction = w.jurisdiction AND n.id = w.id;

-- What is made of their vectors weighs them by their words; `lexscope init` makes it anew, and searches until then.
DELETE FROM section_vectors s USING (
    SELECT DISTINCT n.jurisdiction, a.node_id FROM words_again w
    JOIN legal_nodes n ON n.jurisdiction = w.jurisdiction AND n.id = w.id CROSS JOIN LATERAL unnest(n.ancestor_ids) AS a (node_id)
) n
WHERE s.jurisdiction = n.jurisdiction AND s.node_id = n.node_id;

DROP FUNCTION lex_again(regconfig, text, text, text, text);
DROP FUNCTION lex_beginning(text, integer);
