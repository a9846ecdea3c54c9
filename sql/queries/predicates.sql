-- What is asked of a node `n`: predicates for the slot `filters` of a statement, and expressions that they compare.
-- retrieval/references/tag_sql.py and retrieval/entry_points/filters.py choose them and name the values they bind.

-- name: node_has_urn
(n.urn = any(/*slot:urns*/) or n.aliases && /*slot:urns*/::text[])

-- name: node_has_alias
n.aliases && /*slot:aliases*/::text[]

-- name: node_in_jurisdiction
(n.jurisdiction = any(/*slot:codes*/) or n.jurisdiction like any(/*slot:below*/))

-- name: node_has_tag
n.tags ? /*slot:key*/

-- name: node_has_tags
-- Served by the index over tags, each containment by itself.
n.tags @> /*slot:tags*/::jsonb

-- name: node_tag
n.tags ->> /*slot:key*/

-- name: node_in_force
-- A source seldom tags what is in force, and some tag it as unknown; the validity says the same.
case when lower(n.tags ->> 'in_force') in ('true', 'false') then lower(n.tags ->> 'in_force')
    else (n.validity @> coalesce(%(at_date)s::date, %(today)s::date))::text end

-- name: node_of_structure
-- A heading is of the law whose provisions are below it, so that `structure_type` also takes a kind.
array[lower(n.structure_type), case when n.kind <> 'section' then n.kind else coalesce((
    select r.kind from legal_nodes r
    where r.jurisdiction = any(%(jurisdictions)s) and r.jurisdiction = n.jurisdiction and r.node_id = n.ancestor_ids[1]
        and r.validity @> %(at_date)s::date and r.kind <> 'section'
), 'legislation') end] && /*slot:values*/::text[]

-- name: node_of_corpus
n.corpus = any(/*slot:values*/)

-- name: node_of_level
lower(n.level) = any(/*slot:values*/)

-- name: node_in_force_or_untagged
coalesce(lower(n.tags ->> 'in_force'), 'true') = any(/*slot:values*/)

-- name: is_set
(/*slot:field*/) is not null

-- name: is_one_of
(/*slot:field*/) = any(/*slot:values*/)

-- name: contains_text
-- Escaped after accents are gone: a full-width per cent sign would become a wildcard otherwise.
lex_unaccent(/*slot:field*/) ilike '%%' || replace(replace(replace(
    lex_unaccent(/*slot:text*/), '\', '\\'), '%%', '\%%'), '_', '\_') || '%%'

-- name: equals_without
upper(regexp_replace(normalize(/*slot:field*/, NFKC), /*slot:pattern*/, '', 'g'))
    = upper(regexp_replace(normalize(/*slot:text*/, NFKC), /*slot:pattern*/, '', 'g'))

-- name: node_has_case_number
-- The expression of an index: written in full, for the planner compares it word by word.
lex_number(n.tags ->> 'case_number') = lex_number(/*slot:text*/)

-- name: node_of_kinds
-- Nodes of these kinds, and chunks of documents of these kinds.
(n.kind = any(%(wanted_kinds)s) or (n.kind = 'chunk' and exists (
    select 1 from legal_nodes r
    where r.jurisdiction = any(%(jurisdictions)s) and r.jurisdiction = n.jurisdiction
        and r.node_id = any(n.ancestor_ids) and r.kind = any(%(wanted_kinds)s)
)))

-- name: node_or_heading
(/*slot:filter*/ or n.kind = 'section')

-- name: node_within
-- The node or an ancestor is among some nodes. Inside CASE, so that the planner builds the set once and looks into it.
exists (
    select 1 from unnest(n.ancestor_ids) as u (id) where case when (n.jurisdiction, u.id) in (/*slot:nodes*/) then true end
)

-- name: node_of_source
-- By what the node's document came from: what the publication itself calls its source, format, the format's family, file,
-- file without ending, corpus, or the document itself.
case when (n.jurisdiction, n.document_id) in (
    select d.jurisdiction, d.id from documents d
    where d.jurisdiction = any(%(jurisdictions)s)
        and (array[d.format, split_part(d.format, '_', 1), d.source, regexp_replace(d.source, '\.[^./]*$', ''),
                d.corpus_urn, d.urn] && /*slot:sources*/::text[]
            or exists (
                select 1 from legal_nodes r
                where r.jurisdiction = any(%(jurisdictions)s) and r.jurisdiction = d.jurisdiction and r.urn = d.urn
                    and r.validity @> %(at_date)s::date and r.tags ->> 'source' = any(/*slot:sources*/::text[])
            ))
) then true else false end

-- name: node_of_rule_with
-- The rule's own words hold one of some phrases; a heading above the rule is not among them.
case when (n.jurisdiction, n.rule_id) in (
    select x.jurisdiction, x.rule_id
    from unnest(/*slot:phrases*/::text[]) as p (phrase)
    join legal_nodes x on x.fts @@ phraseto_tsquery(/*slot:config*/::regconfig, lex_words(p.phrase))
    where x.jurisdiction = any(%(jurisdictions)s) and x.validity @> %(at_date)s::date
        and ts_filter(x.fts, array['a', 'd']::"char"[]) @@ phraseto_tsquery(/*slot:config*/::regconfig, lex_words(p.phrase))
) then true else false end

-- name: node_dated
-- By the date of a decision or document, else by the first day of the version.
case when /*slot:has_date*/ then /*slot:has_fitting_date*/
    else coalesce(lower(n.validity) /*slot:compare*/ /*slot:day*/::date, false) end

-- name: tag_is_date
n.tags ->> 'date' ~ '^\d\d\d\d-\d\d-\d\d$'

-- name: tag_is_date_compared
-- Days of tags are compared as text: a source's 2023-02-30 is an invalid date, and must not end the statement.
n.tags ->> 'date' ~ '^\d\d\d\d-\d\d-\d\d$' and (n.tags ->> 'date') collate "C" /*slot:compare*/ /*slot:day*/
