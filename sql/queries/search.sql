-- Statements of the entry-point legs. Each leg is one statement; they are fused in Python.

-- name: find_question_words
-- The lexemes of some texts, where they stand in each, and how many nodes of the law searched hold them.
with lexemes as materialized (
    select t.position::integer - 1 as position, u.lexeme, u.positions
    from unnest(%(texts)s::text[]) with ordinality as t (words, position)
    cross join lateral unnest(to_tsvector(%(config)s::regconfig, lex_words(t.words))) u
), frequency as (
    select lexeme, sum(document_frequency)::integer as df from lexeme_stats
    where jurisdiction = any(%(jurisdictions)s) and language = %(language)s
        and lexeme = any(array(select lexeme from lexemes))
    group by lexeme
), totals as (
    select coalesce(sum(nodes), 0)::float8 as nodes, coalesce(sum(words), 0)::float8 as words
    from language_stats where jurisdiction = any(%(jurisdictions)s) and language = %(language)s
)
select l.position, l.lexeme, l.positions::integer[], coalesce(f.df, 0) as frequency, t.nodes, t.words
from lexemes l cross join totals t left join frequency f on f.lexeme = l.lexeme
order by l.position, l.lexeme;

-- name: search_lexical
-- Candidates of the lexical leg and where the question's words stand in them: the nodes that fulfil a text search query,
-- the best few by their words' stored weights times inverse document frequency over their length, which is all but BM25.
-- `retrieval/bm25.py` ranks them.
select c.jurisdiction, c.id, c.node_id, c.urn, c.rule_id, c.document_id,
    c.ancestor_ids[greatest(cardinality(c.ancestor_ids) - 2, 1)] as part_id,
    c.ancestor_ids[least(cardinality(c.ancestor_ids), 4)] as branch_id,
    c.structure_type = 'DEFINITION' as defines, c.fts_length as length,
    -- All lexemes but those asked for are deleted: far cheaper than to unnest the vector and join.
    ts_delete(c.fts, tsvector_to_array(ts_delete(c.fts, %(lexemes)s::text[])))::text as words
from (
    select n.jurisdiction, n.id, n.node_id, n.urn, n.rule_id, n.document_id, n.ancestor_ids, n.structure_type,
        n.fts_length, n.fts
    from legal_nodes n
    where n.jurisdiction = any(%(jurisdictions)s) and n.language = %(language)s
        and n.validity @> %(at_date)s::date and n.kind = any(%(kinds)s)
        and n.fts @@ %(candidate_words)s::tsquery and /*filters*/ true
    order by (n.word_weights <#> %(weights)s::sparsevec)
        / (1 + 0.2::float8 * n.fts_length / %(average_length)s::float8), n.id
    limit %(candidates)s
) c;

-- name: read_candidates
-- The same of nodes that another leg found.
select n.jurisdiction, n.id, n.node_id, n.urn, n.rule_id, n.document_id,
    n.ancestor_ids[greatest(cardinality(n.ancestor_ids) - 2, 1)] as part_id,
    n.ancestor_ids[least(cardinality(n.ancestor_ids), 4)] as branch_id,
    n.structure_type = 'DEFINITION' as defines, n.fts_length as length,
    ts_delete(n.fts, tsvector_to_array(ts_delete(n.fts, %(lexemes)s::text[])))::text as words
from legal_nodes n
where n.jurisdiction = any(%(jurisdictions)s) and n.id = any(%(ids)s::bigint[]);

-- name: use_vector_indexes
-- The index goes on until enough neighbours pass the filters.
select set_config('hnsw.iterative_scan', 'relaxed_order', true), set_config('hnsw.ef_search', '400', true),
    set_config('enable_indexscan', 'on', true);

-- name: compare_all_vectors
-- Vector indexes know index scans only; key look-ups go by bitmaps then.
set local enable_indexscan = off;

-- name: search_nearest
-- Nearest nodes by cosine distance: the nearest vectors of the jurisdictions' partitions first, then the first of them
-- whose nodes are searched. Joined before they are cut, the planner guesses too few rows where a store has many
-- jurisdictions, and compares all vectors; joined by key (the fence, offset 0) it has nothing to guess.
-- The index is on the sized cast, so its size is written into the statement.
select x.jurisdiction, x.id, x.node_id, x.urn, x.rule_id, 1 - x.distance as score
from (
    select n.jurisdiction, n.id, n.node_id, n.urn, n.rule_id, v.distance
    from (
        select e.jurisdiction, e.node_version_id,
            (e.embedding::halfvec({dimensions}) <=> %(vector)b)::float8 as distance
        from node_embeddings e
        where e.jurisdiction = any(%(jurisdictions)s) and e.model = %(model)s and e.validity @> %(at_date)s::date
        order by e.embedding::halfvec({dimensions}) <=> %(vector)b
        limit %(reach)s
    ) v
    cross join lateral (
        select l.jurisdiction, l.id, l.node_id, l.urn, l.rule_id, l.language, l.kind from legal_nodes l
        where l.jurisdiction = any(%(jurisdictions)s) and l.jurisdiction = v.jurisdiction and l.id = v.node_version_id
        offset 0
    ) n
    where n.language = %(language)s and n.kind = any(%(kinds)s)
    order by v.distance
    limit %(limit)s
) x
order by x.distance, x.urn, x.id;

-- name: search_dense
-- The same where filters or another language leave few of the nearest: they stand inside the search, which goes on.
with nearest as materialized (
    select n.jurisdiction, n.id, n.node_id, n.urn, n.rule_id,
        (e.embedding::halfvec({dimensions}) <=> %(vector)b)::float8 as distance
    from node_embeddings e
    join legal_nodes n on n.jurisdiction = e.jurisdiction and n.id = e.node_version_id
    where e.jurisdiction = any(%(jurisdictions)s) and e.model = %(model)s and e.validity @> %(at_date)s::date
        and n.jurisdiction = any(%(jurisdictions)s) and n.language = %(language)s and n.kind = any(%(kinds)s)
        and /*filters*/ true
    order by e.embedding::halfvec({dimensions}) <=> %(vector)b
    limit %(limit)s
)
select jurisdiction, id, node_id, urn, rule_id, 1 - distance as score from nearest
order by distance, urn, id;

-- name: score_dense
-- Similarities of nodes that another leg found.
select e.jurisdiction, e.node_version_id, 1 - (e.embedding::halfvec({dimensions}) <=> %(vector)b)::float8 as score
from node_embeddings e
where e.jurisdiction = any(%(jurisdictions)s) and e.node_version_id = any(%(ids)s) and e.model = %(model)s;

-- name: find_document_urns
select jurisdiction, id, urn from documents where jurisdiction = any(%(jurisdictions)s) and id = any(%(ids)s);
