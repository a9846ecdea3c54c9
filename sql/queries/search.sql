-- Statements of the entry-point legs. Each leg is one statement; they are fused in Python.

-- name: find_question_words
-- The lexemes of some texts, where they stand in each, how many nodes of the law searched hold them, and whether words by
-- which people ask have them too.
with lexemes as materialized (
    select t.position::integer - 1 as position, u.lexeme, u.positions
    from unnest(%(texts)s::text[]) with ordinality as t (words, position)
    cross join lateral unnest(to_tsvector(%(config)s::regconfig, lex_words(t.words))) u
), frequency as materialized (
    select lexeme, sum(document_frequency)::integer as df from lexeme_stats
    where jurisdiction = any(%(jurisdictions)s) and language = %(language)s
        and lexeme = any(array(select lexeme from lexemes))
    group by lexeme
), totals as materialized (
    select coalesce(sum(nodes), 0)::float8 as nodes, coalesce(sum(words), 0)::float8 as words
    from language_stats where jurisdiction = any(%(jurisdictions)s) and language = %(language)s
)
select l.position, l.lexeme, l.positions::integer[], coalesce(f.df, 0) as frequency, t.nodes, t.words,
    l.lexeme = any((
        select tsvector_to_array(to_tsvector(%(config)s::regconfig, lex_words(%(faint)s)))
    )::text[]) as faint
from lexemes l cross join totals t left join frequency f on f.lexeme = l.lexeme
order by l.position, l.lexeme;

-- name: find_question_forms
-- Which of some lexemes, and of those that begin or end with some others, the law searched has, and how many of its nodes
-- hold each. Beginnings are ranges of an index, up to the last character that can follow; endings are beginnings of the
-- lexemes read backwards. A lexeme that is found twice counts once.
select lexeme, sum(document_frequency)::integer from (
    select jurisdiction, lexeme, document_frequency from lexeme_stats
    where jurisdiction = any(%(jurisdictions)s) and language = %(language)s and lexeme = any(%(lexemes)s)
    union
    select s.jurisdiction, s.lexeme, s.document_frequency
    from unnest(%(inside)s::text[]) as w (word)
    join lexeme_stats s on s.lexeme >= w.word and s.lexeme < (w.word || chr(1114111))
    where s.jurisdiction = any(%(jurisdictions)s) and s.language = %(language)s
    union
    select s.jurisdiction, s.lexeme, s.document_frequency
    from unnest(%(inside)s::text[]) as w (word)
    join lexeme_stats s
        on reverse(s.lexeme) ~>=~ reverse(w.word) and reverse(s.lexeme) ~<~ (reverse(w.word) || chr(1114111))
    where s.jurisdiction = any(%(jurisdictions)s) and s.language = %(language)s
) found
group by lexeme having sum(document_frequency) > 0;

-- name: search_lexical
-- Candidates of the lexical leg and where the question's words stand in them: the nodes that fulfil a text search query,
-- the best few by their words' stored weights times inverse document frequency over their length, which is all but BM25.
-- `retrieval/bm25.py` ranks them.
select c.jurisdiction, c.id, c.node_id, c.urn, c.rule_id, c.document_id,
    c.ancestor_ids[greatest(cardinality(c.ancestor_ids) - 2, 1)] as part_id,
    c.ancestor_ids[least(cardinality(c.ancestor_ids), 4)] as branch_id,
    c.structure_type = 'DEFINITION' as defines, c.fts_length as length,
    -- All lexemes but those asked for are deleted: far cheaper than to unnest the vector and join.
    ts_delete(c.fts, tsvector_to_array(ts_delete(c.fts, %(lexemes)s::text[])))::text as words, null::float8 as similarity
from (
    select n.jurisdiction, n.id, n.node_id, n.urn, n.rule_id, n.document_id, n.ancestor_ids, n.structure_type,
        n.fts_length, n.fts
    from legal_nodes n
    where n.jurisdiction = any(%(jurisdictions)s) and n.language = %(language)s
        and n.validity @> %(at_date)s::date and n.kind = any(%(kinds)s)
        and n.fts @@ %(candidate_words)s::tsquery and /*slot:filters*/
    order by (n.word_weights <#> lex_sparse(%(weights)s))
        / (1 + 0.2::float8 * n.fts_length / %(average_length)s::float8), n.id
    limit %(candidates)s
) c;

-- name: add_similarities
-- Candidates with their similarities to the question.
with c as materialized (/*slot:candidates*/), e as materialized (
    select jurisdiction, node_version_id, 1 - (embedding <=> %(vector)b::halfvec)::float8 as similarity
    from node_embeddings
    where jurisdiction = any(%(jurisdictions)s) and node_version_id = any(array(select id from c)) and model = %(model)s
)
select c.jurisdiction, c.id, c.node_id, c.urn, c.rule_id, c.document_id, c.part_id, c.branch_id, c.defines, c.length,
    c.words, e.similarity
from c left join e on e.jurisdiction = c.jurisdiction and e.node_version_id = c.id;

-- name: search_nearest
-- Nearest nodes by cosine distance: the nearest vectors of the jurisdictions' partitions first, then the first of them
-- whose nodes are searched and pass the filters. Joined before they are cut, the planner guesses too few rows where a
-- store has many jurisdictions, and compares all vectors; joined by key (the fence, offset 0) it has nothing to guess.
-- The index is on the sized cast, so its size is written into the statement.
select n.*, v.distance
from (
    select e.jurisdiction, e.node_version_id,
        (e.embedding::halfvec(/*slot:dimensions*/) <=> %(vector)b)::float8 as distance
    from node_embeddings e
    where e.jurisdiction = any(%(jurisdictions)s) and e.model = %(model)s and e.validity @> %(at_date)s::date
    order by e.embedding::halfvec(/*slot:dimensions*/) <=> %(vector)b
    limit %(reach)s
) v
cross join lateral (
    select n.jurisdiction, n.id, n.node_id, n.urn, n.rule_id, n.document_id, n.ancestor_ids, n.structure_type,
        n.fts_length, n.fts
    from legal_nodes n
    where n.jurisdiction = any(%(jurisdictions)s) and n.jurisdiction = v.jurisdiction and n.id = v.node_version_id
        and n.language = %(language)s and n.kind = any(%(kinds)s) and /*slot:filters*/
    offset 0
) n
order by v.distance
limit %(limit)s;

-- name: search_all_vectors
-- The same where few of the nearest are searched: all that are, compared one by one, which no index serves.
select n.jurisdiction, n.id, n.node_id, n.urn, n.rule_id, n.document_id, n.ancestor_ids, n.structure_type,
    n.fts_length, n.fts, (e.embedding::halfvec(/*slot:dimensions*/) <=> %(vector)b)::float8 + 0 as distance
from node_embeddings e
join legal_nodes n on n.jurisdiction = e.jurisdiction and n.id = e.node_version_id
where e.jurisdiction = any(%(jurisdictions)s) and e.model = %(model)s and e.validity @> %(at_date)s::date
    and n.jurisdiction = any(%(jurisdictions)s) and n.language = %(language)s and n.kind = any(%(kinds)s)
    and /*slot:filters*/
order by distance, n.urn, n.id
limit %(limit)s;

-- name: read_nearest
-- Nodes that a search for the nearest found, nearest first, as `search_lexical` gives candidates; the words of the first
-- few of them.
select x.jurisdiction, x.id, x.node_id, x.urn, x.rule_id, x.document_id,
    x.ancestor_ids[greatest(cardinality(x.ancestor_ids) - 2, 1)] as part_id,
    x.ancestor_ids[least(cardinality(x.ancestor_ids), 4)] as branch_id,
    x.structure_type = 'DEFINITION' as defines, x.fts_length as length,
    case when x.place <= %(read)s
        then ts_delete(x.fts, tsvector_to_array(ts_delete(x.fts, %(lexemes)s::text[])))::text else ''
    end as words,
    1 - x.distance as similarity
from (select f.*, row_number() over (order by f.distance, f.urn, f.id) as place from (/*slot:nearest*/) f) x
order by x.place;

-- name: search_both
-- What words find and the nearest in one statement; the last column is the place of one of the nearest.
select c.*, null::bigint as place from (/*slot:candidates*/) c
union all
select n.*, row_number() over () from (/*slot:ranked*/) n;

-- name: find_section_vectors
-- Of some rules: the section or article that each lies in, else itself; the node two levels above that, the words of its
-- parts in force that have a vector, how many these are, and the similarity of the mean of their vectors. The similarity
-- of a section without parts is its own vector's, and is not given here. Rules without a row are left out.
select r.jurisdiction, r.node_id, s.node_id, 1 - (s.embedding <=> %(vector)b::halfvec)::float8, s.words, s.chapter_id,
    s.parts
from unnest(%(codes)s::text[], %(rules)s::bigint[]) as a (jurisdiction, rule)
join section_vectors r
    on r.jurisdiction = any(%(jurisdictions)s) and r.jurisdiction = a.jurisdiction and r.node_id = a.rule
    and r.model = %(model)s and r.validity @> %(at_date)s::date
join section_vectors s
    on s.jurisdiction = any(%(jurisdictions)s) and s.jurisdiction = r.jurisdiction and s.node_id = r.section_id
    and s.model = %(model)s and s.validity @> %(at_date)s::date;

-- name: derive_sections
-- The sections or articles that some node versions lie in on some days, else their rules: which of the versions each
-- holds, the mean of the vectors of all its parts in force, how many these are, their words, and the node two levels above.
-- The fences keep look-ups by key: days that come from a row are guessed to be rare, and planned as joins they read all.
with unit as materialized (
    select n.jurisdiction, n.id, a.day, coalesce(s.node_id, n.rule_id) as section
    from unnest(%(codes)s::text[], %(ids)s::bigint[], %(days)s::date[]) as a (jurisdiction, id, day)
    join legal_nodes n
        on n.jurisdiction = any(%(jurisdictions)s) and n.jurisdiction = a.jurisdiction and n.id = a.id
    left join lateral (
        select c.node_id from (
            select c.node_id, c.validity, c.ancestor_ids from legal_nodes c
            where c.jurisdiction = any(%(jurisdictions)s) and c.jurisdiction = n.jurisdiction
                and c.node_id = any(n.ancestor_ids) and c.kind <> 'section'
                and c.structure_type in ('SECTION', 'ARTICLE', 'APPENDIX')
            offset 0
        ) c
        where c.validity @> a.day order by cardinality(c.ancestor_ids) desc limit 1
    ) s on true
), section as materialized ( -- each once, with the versions that lie in it
    select jurisdiction, section, day, array_agg(id) as ids from unit group by jurisdiction, section, day
)
select s.jurisdiction, s.ids, s.day, s.section, m.mean, m.parts, m.words, m.chapter
from section s
cross join lateral (
    select avg(e.embedding) as mean, count(*)::integer as parts, coalesce(sum(p.words), 0)::integer as words,
        coalesce(min(r.ancestor_ids[cardinality(r.ancestor_ids) - 2]), 0) as chapter
    from (
        select r.subtree_ids, r.ancestor_ids from (
            select r.subtree_ids, r.ancestor_ids, r.validity from legal_nodes r
            where r.jurisdiction = any(%(jurisdictions)s) and r.jurisdiction = s.jurisdiction and r.node_id = s.section
            offset 0
        ) r
        where r.validity @> s.day limit 1
    ) r
    cross join lateral (
        select p.id, p.fts_length as words, p.validity from legal_nodes p
        where p.jurisdiction = any(%(jurisdictions)s) and p.jurisdiction = s.jurisdiction
            and p.node_id = any(r.subtree_ids)
        offset 0
    ) p
    join node_embeddings e
        on e.jurisdiction = any(%(jurisdictions)s) and e.jurisdiction = s.jurisdiction
        and e.node_version_id = p.id and e.model = %(model)s
    where p.validity @> s.day
) m;

-- name: find_sections
-- What `derive_sections` finds, with the similarity of the mean.
select d.jurisdiction, d.ids, d.section, 1 - (d.mean <=> %(vector)b::halfvec)::float8, d.words, d.chapter
from (/*slot:sections*/) d;

-- name: find_meanings
-- The meanings in force of some normalised terms, the widest scope first; what only adds to one or points to it is none.
select d.jurisdiction, d.node_id, d.urn, d.normalised_term, d.scope_urn, d.scope_path::text, d.node_path::text, d.inferred
from legal_definitions d
where d.jurisdiction = any(%(jurisdictions)s) and d.normalised_term = any(%(terms)s) and d.language = %(language)s
    and d.validity @> %(at_date)s::date and d.relation = 'means'
order by nlevel(d.scope_path), d.urn collate "C", d.id
limit %(limit)s;
