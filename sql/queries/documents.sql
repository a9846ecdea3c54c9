-- Statements of rag/documents.py. Keys travel as (jurisdiction, id).

-- name: find_outline
-- The shape of a subtree at a date, without its words: enough to order it, to number its blocks and to size them.
select id, node_id, urn, citation_path::text as path, ordinal, ancestor_ids,
    char_length(intro_text) as intro_length, char_length(content_text) as content_length
from legal_nodes
where jurisdiction = any(%(jurisdictions)s) and citation_path::text collate "C" >= %(low)s
    and citation_path::text collate "C" < %(high)s
    and validity @> %(at_date)s::date;

-- name: find_texts
-- The words of node versions.
select id, heading, intro_text, content_text
from legal_nodes
where jurisdiction = any(%(jurisdictions)s) and id = any(%(ids)s);

-- name: find_document_source
-- The document that a node belongs to, and the corpus it was taken from.
select d.urn, s.urn, s.title, s.publisher, s.licence, s.url, s.last_ingest
from documents d
join sources s on s.urn = d.corpus_urn
where d.jurisdiction = any(%(jurisdictions)s) and d.id = any(%(ids)s);

-- name: find_highlighted
-- Nodes of a subtree whose own words hold some of the words, and whether they hold them all. Words that full-text
-- search knows no form of, as in scripts without spaces, are looked for as they are written.
with wanted as (
    select string_agg(quote_literal(u.lexeme), ' | ' order by u.lexeme)::tsquery as one,
        string_agg(quote_literal(u.lexeme), ' & ' order by u.lexeme)::tsquery as every
    from unnest(to_tsvector(%(config)s::regconfig, lex_words(%(words)s))) u
)
select f.id, f.whole from (
    select n.id,
        coalesce(ts_filter(n.fts, array['a', 'd']::"char"[]) @@ w.one, false) as part,
        coalesce(ts_filter(n.fts, array['a', 'd']::"char"[]) @@ w.every, false)
            or strpos(lower(n.intro_text || ' ' || n.content_text), lower(%(words)s)) > 0 as whole
    from legal_nodes n cross join wanted w
    where n.jurisdiction = any(%(jurisdictions)s) and n.citation_path::text collate "C" >= %(low)s
        and n.citation_path::text collate "C" < %(high)s and n.validity @> %(at_date)s::date
) f
where f.part or f.whole;

-- name: list_parts
-- What stands directly below a node at a date, in order: a line each of a table of contents.
select urn, level, number, heading
from legal_nodes
where jurisdiction = any(%(jurisdictions)s) and citation_path::text collate "C" >= %(low)s
    and citation_path::text collate "C" < %(high)s
    and cardinality(ancestor_ids) = %(depth)s and ancestor_ids[cardinality(ancestor_ids) - 1] = %(parent)s
    and validity @> %(at_date)s::date
order by ordinal, urn limit %(limit)s;

-- name: list_edition_days
-- The latest days of which editions speak: law may differ from one to the next.
select day from (
    select distinct day from editions where jurisdiction = any(%(jurisdictions)s) and day > '0001-01-01'
    union
    select distinct edition_date from documents where jurisdiction = any(%(jurisdictions)s) and edition_date is not null
) d order by day desc limit %(limit)s;
