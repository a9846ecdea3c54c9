-- Statements of the entry-point legs. Each leg is one statement; they are fused in Python.

-- name: search_lexical
-- Candidates of the lexical leg with the places of the question's words in them, one row a word: nodes that hold a
-- selective lexeme of the question, the best few hundred by summed inverse document frequency over their length, which
-- is BM25 as if each word stood there once. `retrieval/bm25.py` ranks them. Each text of the question has a weight:
-- words that a synonym brings in count less than its own; a faint word counts a third, and makes no pair.
with faint as (
    select tsvector_to_array(to_tsvector(%(config)s::regconfig, lex_words(%(faint)s::text))) as lexemes
), question as (
    select q.lexeme, max(q.weight) * case when q.lexeme = any(f.lexemes) then 0.3 else 1 end as weight,
        case when q.lexeme = any(f.lexemes) then null else max(q.places) end as places
    from unnest(%(texts)s::text[], %(weights)s::float8[]) with ordinality as t (words, weight, position)
    cross join lateral (
        select u.lexeme, t.weight, case when t.position = 1 then u.positions end as places
        from unnest(to_tsvector(%(config)s::regconfig, lex_words(t.words))) u
    ) q
    cross join faint f
    group by q.lexeme, f.lexemes
), totals as (
    select coalesce(sum(nodes), 0)::float8 as nodes, coalesce(sum(words), 0)::float8 as words
    from language_stats where jurisdiction = any(%(jurisdictions)s) and language = %(language)s
), frequency as (
    select q.lexeme, q.weight, q.places, sum(s.document_frequency)::float8 as df
    from question q
    join lexeme_stats s on s.lexeme = q.lexeme and s.language = %(language)s
        and s.jurisdiction = any(%(jurisdictions)s)
    group by q.lexeme, q.weight, q.places
    having sum(s.document_frequency) > 0
), weighted as (
    select f.lexeme, f.df, f.places, quote_literal(f.lexeme)::tsquery as one,
        f.weight * ln(1 + greatest(t.nodes - f.df, 0) / (f.df + 0.5) + 0.5 / (f.df + 0.5)) as idf,
        sum(f.df) over (order by f.df, f.lexeme) as running, row_number() over (order by f.df, f.lexeme) as position
    from frequency f cross join totals t
), selective as (
    -- Rarest first until a tenth of the collection could match; at least two words, so that a common one is searched too.
    select string_agg(quote_literal(w.lexeme), ' | ')::tsquery as query
    from weighted w cross join totals t
    where w.running <= greatest(t.nodes * 0.1, 3000) or w.position <= 2
), matching as materialized (
    -- Long vectors lie outside their rows: they are fetched once, not once a word.
    select n.jurisdiction, n.id, n.fts_length, strip(n.fts) as words
    from legal_nodes n
    where n.jurisdiction = any(%(jurisdictions)s) and n.language = %(language)s
        and n.validity @> %(at_date)s::date and n.kind = any(%(kinds)s)
        and n.fts @@ (select query from selective) and /*filters*/ true
), candidates as (
    select m.jurisdiction, m.id
    from matching m
    cross join totals t
    cross join lateral (
        -- Whole numbers: their sum does not depend on its order.
        select sum((w.idf * 1000000)::bigint)::float8 as score from weighted w where m.words @@ w.one
    ) h
    order by h.score / (1.84::float8 + 0.36::float8 * m.fts_length * t.nodes / greatest(t.words, 1)) desc nulls last, m.id
    limit %(candidates)s
)
select c.jurisdiction, c.id, n.node_id, n.urn, n.rule_id, n.document_id,
    n.ancestor_ids[greatest(cardinality(n.ancestor_ids) - 2, 1)] as part_id,
    n.structure_type = 'DEFINITION' as defines, n.fts_length as length,
    t.words / greatest(t.nodes, 1) as average_length, w.lexeme, w.idf, coalesce(w.places, '{}') as places, u.positions,
    array_to_string(u.weights, '') as fields
from candidates c
join legal_nodes n on n.jurisdiction = c.jurisdiction and n.id = c.id and n.jurisdiction = any(%(jurisdictions)s)
cross join totals t
cross join lateral unnest(n.fts) u
join weighted w on w.lexeme = u.lexeme
order by c.jurisdiction, c.id, w.lexeme;

-- name: score_phrases
-- Which of some nodes hold exact phrases: statutory terms that synonyms name, and word pairs of the question.
select n.jurisdiction, n.id, t.position
from unnest(%(positions)s::integer[], %(phrases)s::text[]) as t (position, phrase)
join legal_nodes n on n.fts @@ phraseto_tsquery(%(config)s::regconfig, lex_words(t.phrase))
where n.jurisdiction = any(%(jurisdictions)s) and n.id = any(%(ids)s);

-- name: use_vector_indexes
-- The index goes on until enough neighbours pass the filters.
select set_config('hnsw.iterative_scan', 'relaxed_order', true), set_config('hnsw.ef_search', '400', true),
    set_config('enable_indexscan', 'on', true);

-- name: compare_all_vectors
-- Vector indexes know index scans only; key look-ups go by bitmaps then.
set local enable_indexscan = off;

-- name: search_dense
-- Nearest nodes by cosine distance inside the jurisdictions' partitions. The index is on the sized cast, so its size
-- is written into the statement.
with nearest as materialized (
    select n.jurisdiction, n.id, n.node_id, n.urn, n.rule_id,
        (e.embedding::halfvec({dimensions}) <=> %(vector)s)::float8 as distance
    from node_embeddings e
    join legal_nodes n on n.jurisdiction = e.jurisdiction and n.id = e.node_version_id
    where e.jurisdiction = any(%(jurisdictions)s) and e.model = %(model)s and e.validity @> %(at_date)s::date
        and n.jurisdiction = any(%(jurisdictions)s) and n.language = %(language)s and n.kind = any(%(kinds)s)
        and /*filters*/ true
    order by e.embedding::halfvec({dimensions}) <=> %(vector)s
    limit %(limit)s
)
select jurisdiction, id, node_id, urn, rule_id, 1 - distance as score from nearest
order by distance, urn, id;

-- name: score_dense
-- Similarities of nodes that another leg found.
select e.jurisdiction, e.node_version_id, 1 - (e.embedding::halfvec({dimensions}) <=> %(vector)s)::float8 as score
from node_embeddings e
where e.jurisdiction = any(%(jurisdictions)s) and e.node_version_id = any(%(ids)s) and e.model = %(model)s;

-- name: find_document_urns
select jurisdiction, id, urn from documents where jurisdiction = any(%(jurisdictions)s) and id = any(%(ids)s);

-- name: find_rarity
-- How often each word of a question occurs in the law searched; words that search ignores are left out.
select t.word, coalesce(max(s.frequency), 0)::float8 as frequency,
    (select coalesce(sum(nodes), 0)::float8 from language_stats
     where jurisdiction = any(%(jurisdictions)s) and language = %(language)s) as nodes
from unnest(%(words)s::text[]) as t (word)
cross join lateral unnest(to_tsvector(%(config)s::regconfig, lex_words(t.word))) u
left join lateral (
    select sum(document_frequency) as frequency from lexeme_stats
    where jurisdiction = any(%(jurisdictions)s) and language = %(language)s and lexeme = u.lexeme
) s on true
group by t.word order by t.word;
