-- Statements of the entry-point legs. Each leg is one statement; they are fused in Python.

-- name: search_lexical
-- Candidates of the lexical leg with the places of the question's words in them, one row a word: nodes that hold a
-- selective lexeme of the question, the best few hundred by summed inverse document frequency. `retrieval/bm25.py`
-- ranks them. Each text of the question has a weight: words that a synonym brings in count less than its own.
with question as (
    select q.lexeme, max(q.weight) as weight, max(q.places) as places
    from unnest(%(texts)s::text[], %(weights)s::float8[]) with ordinality as t (words, weight, position)
    cross join lateral (
        select u.lexeme, t.weight, case when t.position = 1 then u.positions end as places
        from unnest(to_tsvector(%(config)s::regconfig, lex_unaccent(t.words))) u
    ) q
    group by q.lexeme
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
    select f.lexeme, f.df, f.places,
        f.weight * ln(1 + greatest(t.nodes - f.df, 0) / (f.df + 0.5) + 0.5 / (f.df + 0.5)) as idf,
        sum(f.df) over (order by f.df, f.lexeme) as running, row_number() over (order by f.df, f.lexeme) as position
    from frequency f cross join totals t
), selective as (
    -- Rarest first until a tenth of the collection could match; at least two words, so that a common one is searched too.
    select string_agg(quote_literal(w.lexeme), ' | ')::tsquery as query
    from weighted w cross join totals t
    where w.running <= greatest(t.nodes * 0.1, 500) or w.position <= 2
), candidates as (
    select n.jurisdiction, n.id, n.node_id, n.urn, n.rule_id, n.fts, n.fts_length, h.score
    from legal_nodes n
    cross join lateral (
        select sum(w.idf order by w.lexeme) as score from weighted w
        where n.fts @@ quote_literal(w.lexeme)::tsquery
    ) h
    where n.jurisdiction = any(%(jurisdictions)s) and n.language = %(language)s
        and n.validity @> %(at_date)s::date and n.kind = any(%(kinds)s)
        and n.fts @@ (select query from selective)
    order by h.score desc nulls last, n.id
    limit %(candidates)s
)
select c.jurisdiction, c.id, c.node_id, c.urn, c.rule_id, c.fts_length as length,
    t.words / greatest(t.nodes, 1) as average_length, w.lexeme, w.idf, coalesce(w.places, '{}') as places, u.positions,
    array_to_string(u.weights, '') as fields
from candidates c
cross join totals t
cross join lateral unnest(c.fts) u
join weighted w on w.lexeme = u.lexeme
order by c.jurisdiction, c.id, w.lexeme;

-- name: find_synonyms
-- Statutory terms or URNs for colloquial phrases.
select phrase, target, weight from legal_synonyms
where phrase = any(%(phrases)s) and language = %(language)s and (jurisdiction = '' or jurisdiction = any(%(jurisdictions)s))
order by phrase, target, jurisdiction;

-- name: score_phrases
-- Which of some nodes hold exact phrases: statutory terms that synonyms name, and word pairs of the question.
select n.jurisdiction, n.id, t.position
from unnest(%(positions)s::integer[], %(phrases)s::text[]) as t (position, phrase)
join legal_nodes n on n.fts @@ phraseto_tsquery(%(config)s::regconfig, lex_unaccent(t.phrase))
where n.jurisdiction = any(%(jurisdictions)s) and n.id = any(%(ids)s);

-- name: search_dense
-- Nearest nodes by cosine distance inside the jurisdictions' partitions. The index is on the sized cast, so its size
-- is written into the statement.
select n.jurisdiction, n.id, n.node_id, n.urn, n.rule_id, 1 - v.distance as score
from (
    select e.jurisdiction, e.node_version_id, (e.embedding::halfvec({dimensions}) <=> %(vector)s)::float8 as distance
    from node_embeddings e
    where e.jurisdiction = any(%(jurisdictions)s) and e.model = %(model)s and e.validity @> %(at_date)s::date
    order by e.embedding::halfvec({dimensions}) <=> %(vector)s
    limit %(limit)s
) v
join legal_nodes n on n.jurisdiction = v.jurisdiction and n.id = v.node_version_id
where n.jurisdiction = any(%(jurisdictions)s) and n.language = %(language)s and n.kind = any(%(kinds)s)
order by v.distance, n.urn, n.id;

-- name: find_document_urns
select jurisdiction, id, urn from documents where jurisdiction = any(%(jurisdictions)s) and id = any(%(ids)s);

-- name: find_rarity
-- How often each word of a question occurs in the law searched; words that search ignores are left out.
select t.word, coalesce(max(s.frequency), 0)::float8 as frequency,
    (select coalesce(sum(nodes), 0)::float8 from language_stats
     where jurisdiction = any(%(jurisdictions)s) and language = %(language)s) as nodes
from unnest(%(words)s::text[]) as t (word)
cross join lateral unnest(to_tsvector(%(config)s::regconfig, lex_unaccent(t.word))) u
left join lateral (
    select sum(document_frequency) as frequency from lexeme_stats
    where jurisdiction = any(%(jurisdictions)s) and language = %(language)s and lexeme = u.lexeme
) s on true
group by t.word order by t.word;
