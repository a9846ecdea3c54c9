-- Statements of retrieval/context_lookups.py and retrieval/nodes.py. Keys travel as (jurisdiction, id).

-- name: list_jurisdictions
-- What the store holds; filters such as `fr` are expanded against it by the client.
select distinct jurisdiction from sources order by jurisdiction;

-- name: find_versions_by_urn
-- All versions of nodes by URN or alias, with the keys that reading their context starts from: a part of a rule has those
-- of its rule, which are the same in all its versions, and the rule's other parts.
with found as materialized (
    select jurisdiction, id, node_id, urn, citation_path::text as path, kind, structure_type, level, number, ordinal,
        heading, intro_text, content_text, lower(validity) as valid_from, upper(validity) as valid_to, ancestor_ids,
        rule_id, used_terms, tags, language, corpus, document_id, uncertain::text, from_basis, to_basis, subtree_ids,
        line_terms, scope_ids, context_ids
    from legal_nodes
    where jurisdiction = any(%(jurisdictions)s) and urn = any(%(urns)s)
    union all
    select jurisdiction, id, node_id, urn, citation_path::text as path, kind, structure_type, level, number, ordinal,
        heading, intro_text, content_text, lower(validity) as valid_from, upper(validity) as valid_to, ancestor_ids,
        rule_id, used_terms, tags, language, corpus, document_id, uncertain::text, from_basis, to_basis, subtree_ids,
        line_terms, scope_ids, context_ids
    from legal_nodes
    where jurisdiction = any(%(jurisdictions)s) and aliases && %(urns)s::text[] and urn <> all(%(urns)s)
), keys as materialized (
    select distinct on (jurisdiction, node_id) jurisdiction, node_id, line_terms, scope_ids,
        context_ids || subtree_ids as context_ids
    from legal_nodes
    where jurisdiction = any(%(jurisdictions)s) and line_terms is not null
        and node_id = any(array(select rule_id from found where line_terms is null))
)
select n.jurisdiction, id, n.node_id, urn, path, kind, structure_type, level, number, ordinal, heading, intro_text,
    content_text, valid_from, valid_to, ancestor_ids, rule_id, used_terms, tags, language, corpus, document_id,
    uncertain, from_basis, to_basis, subtree_ids, coalesce(n.line_terms, k.line_terms) as line_terms,
    coalesce(n.scope_ids, k.scope_ids) as scope_ids, coalesce(n.context_ids, k.context_ids) as context_ids
from found n left join keys k on k.jurisdiction = n.jurisdiction and k.node_id = n.rule_id
order by urn, valid_from nulls first;

-- name: find_nodes_by_ids
-- The versions in force at a date, with the keys that reading their context starts from, as `find_versions_by_urn`.
with found as materialized (
    select jurisdiction, id, node_id, urn, citation_path::text as path, kind, structure_type, level, number, ordinal,
        heading, intro_text, content_text, lower(validity) as valid_from, upper(validity) as valid_to, ancestor_ids,
        rule_id, used_terms, tags, language, corpus, document_id, uncertain::text, from_basis, to_basis, subtree_ids,
        line_terms, scope_ids, context_ids
    from legal_nodes
    where jurisdiction = any(%(jurisdictions)s) and node_id = any(%(node_ids)s::bigint[])
        and validity @> %(at_date)s::date
), keys as materialized (
    select distinct on (jurisdiction, node_id) jurisdiction, node_id, line_terms, scope_ids,
        context_ids || subtree_ids as context_ids
    from legal_nodes
    where jurisdiction = any(%(jurisdictions)s) and line_terms is not null
        and node_id = any(array(select rule_id from found where line_terms is null))
)
select n.jurisdiction, id, n.node_id, urn, path, kind, structure_type, level, number, ordinal, heading, intro_text,
    content_text, valid_from, valid_to, ancestor_ids, rule_id, used_terms, tags, language, corpus, document_id,
    uncertain, from_basis, to_basis, subtree_ids, coalesce(n.line_terms, k.line_terms) as line_terms,
    coalesce(n.scope_ids, k.scope_ids) as scope_ids, coalesce(n.context_ids, k.context_ids) as context_ids
from found n left join keys k on k.jurisdiction = n.jurisdiction and k.node_id = n.rule_id;

-- name: find_subtrees
-- Nodes of whole subtrees at a date: B-tree ranges over the citation path, which need no GiST index. The fence
-- (offset 0) keeps one index probe per range; without it the planner may scan the table and join.
select n.*
from unnest(%(path_jurisdictions)s::text[], %(starts)s::text[], %(ends)s::text[]) as t (jurisdiction, low, high)
cross join lateral (
    select jurisdiction, id, node_id, urn, citation_path::text as path, kind, structure_type, level, number, ordinal,
        heading, intro_text, content_text, lower(validity) as valid_from, upper(validity) as valid_to, ancestor_ids,
        rule_id, used_terms, tags, language, corpus, document_id, uncertain::text, from_basis, to_basis
    from legal_nodes
    where jurisdiction = any(%(jurisdictions)s) and jurisdiction = t.jurisdiction
        and citation_path::text collate "C" >= t.low
        and citation_path::text collate "C" < t.high and validity @> %(at_date)s::date
    offset 0
) n;

-- name: find_line_nodes
-- What contains the rules, and their parts, by id. A rule whose parts are not listed, such as a chapter, is read as a
-- B-tree range over the citation path, which needs no GiST index. The fence (offset 0) keeps one index probe per range;
-- without it the planner may scan and join. `is true` keeps the date out of index conditions: of an unknown date the
-- planner expects that few versions are in force, and would look for those in unique_active_version.
select jurisdiction, id, node_id, urn, citation_path::text, kind, ordinal, heading, intro_text, content_text,
    lower(validity), upper(validity), ancestor_ids, used_terms, corpus, uncertain::text
from legal_nodes
where jurisdiction = any(%(jurisdictions)s) and node_id = any(%(node_ids)s::bigint[])
    and (validity @> %(at_date)s::date) is true
union all
select n.*
from unnest(%(path_jurisdictions)s::text[], %(paths)s::text[]) as t (jurisdiction, low)
cross join lateral (
    select jurisdiction, id, node_id, urn, citation_path::text, kind, ordinal, heading, intro_text, content_text,
        lower(validity), upper(validity), ancestor_ids, used_terms, corpus, uncertain::text
    from legal_nodes
    where jurisdiction = any(%(jurisdictions)s) and jurisdiction = t.jurisdiction
        and citation_path::text collate "C" >= t.low and citation_path::text collate "C" < t.low || '0'
        and (validity @> %(at_date)s::date) is true
    offset 0
) n;

-- name: find_context_definitions
-- Definitions in force that govern the rules or parts of them, as far as the words of each can need them: by scope, the
-- terms that the rules there need (derived at ingest, over all versions, with what the definitions of those need in
-- turn). One whose scope reaches beyond its document is read whatever its term, for what another document needs was not
-- known then; `more` is what it needs itself.
with beyond as materialized (
    select jurisdiction, id, node_id, urn, term, normalised_term, term_id, relation, scope_id, scope_urn, inferred,
        phrase, reference_urn, lower(validity), used_terms, ancestor_ids, subtree_ids, needed_terms
    from legal_definitions
    where jurisdiction = any(%(jurisdictions)s) and scope_id = any(%(line_ids)s::bigint[]) and beyond_document
        and validity @> %(at_date)s::date
), more as materialized (
    select array(select unnest(needed_terms) from beyond) || array(
        select unnest(needed_terms) from legal_definitions
        where exists (select from beyond)
            and jurisdiction = any(%(jurisdictions)s) and scope_id = any(%(scopes)s::bigint[])
            and term_id = any(array(select unnest(needed_terms) from beyond)) and validity @> %(at_date)s::date
    ) as terms
)
select d.*
from unnest(%(scopes)s::bigint[], %(scope_terms)s::text[]) as s (id, terms), more, lateral (
    select jurisdiction, id, node_id, urn, term, normalised_term, term_id, relation, scope_id, scope_urn, inferred,
        phrase, reference_urn, lower(validity), used_terms, ancestor_ids, subtree_ids
    from legal_definitions
    where jurisdiction = any(%(jurisdictions)s) and scope_id = s.id
        and term_id = any(s.terms::integer[] || more.terms) and validity @> %(at_date)s::date and not beyond_document
    offset 0
) d
union all
select jurisdiction, id, node_id, urn, term, normalised_term, term_id, relation, scope_id, scope_urn, inferred, phrase,
    reference_urn, lower, used_terms, ancestor_ids, subtree_ids
from beyond;

-- name: find_wide_definitions
-- The same where a rule has no keys of its own, as a container, which would have too many. What its words use is read
-- first, and then what the definitions of that need.
with wide as materialized (
    -- At any date: a part that is not in force can contain one that is.
    select t.low, n.node_id, n.used_terms
    from unnest(%(path_jurisdictions)s::text[], %(paths)s::text[]) as t (jurisdiction, low)
    cross join lateral (
        select node_id, used_terms from legal_nodes
        where jurisdiction = any(%(jurisdictions)s) and jurisdiction = t.jurisdiction
            and citation_path::text collate "C" >= t.low and citation_path::text collate "C" < t.low || '0'
        offset 0
    ) n
), rules as materialized (
    select scopes::bigint[], terms::integer[]
    from unnest(%(rule_scopes)s::text[], %(rule_terms)s::text[]) as r (scopes, terms)
    union all
    select ids, array(
        select unnest(used_terms) from wide where wide.low = t.low
        union all
        select unnest(used_terms) from legal_nodes
        where jurisdiction = any(%(jurisdictions)s) and node_id = any(ids) and kind <> 'section'
        union all
        select term_id from legal_definitions
        where jurisdiction = any(%(jurisdictions)s) and scope_id = any(ids) and node_id = any(ids)
    )
    from unnest(%(paths)s::text[], %(path_above)s::text[]) as t (low, above), lateral (
        select above::bigint[] || array(select node_id from wide where wide.low = t.low) as ids
    ) line
), beyond as materialized (
    select id, needed_terms from legal_definitions
    where jurisdiction = any(%(jurisdictions)s)
        and scope_id = any(%(line_ids)s::bigint[] || array(select unnest(scopes) from rules))
        and beyond_document and validity @> %(at_date)s::date
), used as materialized (
    select scopes, terms || array(select unnest(needed_terms) from beyond) as terms from rules
), needed as materialized (
    -- With repetitions, which an index probe drops for less than an aggregate does.
    select scopes, terms || array(
        select unnest(needed_terms) from legal_definitions
        where jurisdiction = any(%(jurisdictions)s) and scope_id = any(used.scopes) and term_id = any(used.terms)
            and validity @> %(at_date)s::date
    ) as terms
    from used
)
select jurisdiction, id, node_id, urn, term, normalised_term, term_id, relation, scope_id, scope_urn, inferred, phrase,
    reference_urn, lower(validity), used_terms, ancestor_ids, subtree_ids
from legal_definitions
where jurisdiction = any(%(jurisdictions)s) and id = any(array(
    select d.id
    from needed, lateral (
        select id from legal_definitions
        where jurisdiction = any(%(jurisdictions)s) and scope_id = any(needed.scopes) and term_id = any(needed.terms)
            and validity @> %(at_date)s::date
        offset 0
    ) d
    union all
    select id from beyond
));

-- name: find_context_edges
-- Edges between the rules, with what contains them and their parts, and nodes elsewhere: what they yield to and where
-- their power comes from (outward), and what prevails over them (inward, from any jurisdiction). The last column names
-- what is shown of the other end, where it is in force: it, what contains it and, unless it is a container, its parts.
with line as materialized (
    select %(line_ids)s::bigint[] || array(
        select n.node_id
        from unnest(%(path_jurisdictions)s::text[], %(paths)s::text[]) as t (jurisdiction, low)
        cross join lateral (
            select node_id from legal_nodes
            where jurisdiction = any(%(jurisdictions)s) and jurisdiction = t.jurisdiction
                and citation_path::text collate "C" >= t.low and citation_path::text collate "C" < t.low || '0'
            offset 0
        ) n
    ) as ids
), found as materialized (
    select true as outward, jurisdiction, source_id, kind, reference, target_jurisdiction, target_urn, target_id,
        target_jurisdiction as end_jurisdiction, target_id as end_id, properties ->> 'model' as model,
        properties ->> 'unshared' as unshared
    from edges
    where jurisdiction = any(%(jurisdictions)s) and source_id = any((select ids from line)::bigint[])
        and kind = any(%(outward)s) and validity @> %(at_date)s::date
    union all
    select false, jurisdiction, source_id, kind, reference, target_jurisdiction, target_urn, target_id, jurisdiction,
        source_id, properties ->> 'model', properties ->> 'unshared'
    from edges
    where jurisdiction = any(%(everywhere)s) and target_jurisdiction = any(%(jurisdictions)s)
        and target_id = any((select ids from line)::bigint[]) and kind = any(%(inward)s)
        and validity @> %(at_date)s::date
    union all
    -- What models read that limits a definition.
    select false, jurisdiction, source_id, kind, reference, target_jurisdiction, target_urn, target_id, jurisdiction,
        source_id, properties ->> 'model', properties ->> 'unshared'
    from edges
    where jurisdiction = any(%(jurisdictions)s) and target_jurisdiction = any(%(jurisdictions)s)
        and target_id = any(%(beside_ids)s::bigint[]) and kind = 'may_limit' and properties ? 'model'
        and validity @> %(at_date)s::date
), ends as materialized (
    -- By arrays of keys: a join would be planned as one over the whole index, for its size is not known.
    select jurisdiction, node_id, case when kind = 'section' then ancestor_ids else ancestor_ids || subtree_ids end as ids
    from legal_nodes
    where jurisdiction = any(%(everywhere)s) and jurisdiction = any(array(select distinct end_jurisdiction from found))
        and node_id = any(array(select distinct end_id from found)) and (validity @> %(at_date)s::date) is true
)
select outward, f.jurisdiction, source_id, f.kind, reference, target_jurisdiction, target_urn, target_id, ids,
    coalesce(model, ''), coalesce(unshared, '')
from found f left join ends n on n.jurisdiction = end_jurisdiction and n.node_id = end_id;

-- name: find_context_nodes
-- What the first look-ups name and did not bring, with what courts and federal law say of all of it: a row is a node with
-- its former URNs, or else an override or a preemption. Nodes come by id, and by URN and federal patterns: those with
-- what contains them and, unless they are containers, with their parts. Fence and `is true` as in find_line_nodes.
-- Patterns are filed under a node's name, its jurisdiction spelled canonically, and under all that the name continues.
-- The client knows these keys but for the few nodes that are found here, whose names are taken apart.
-- With them what nodes cite that is not in the store, in their words, and how the grammar reads it; a reference that names
-- no law, such as "paragraph (2)", is one to a part of the text itself that has no node. And definitions of terms whose
-- meaning some provisions are said to give, in these provisions.
-- No more than 4,096 characters: the driver would take a longer statement apart anew each time.
with federal as materialized (
    select * from federal_preemption
    where state_prefix = any(%(line_keys)s::text[]) and effective @> %(at_date)s::date
), named as materialized (
    select %(root_urns)s::text[] || array(
        select federal_prefix from federal
        union all
        select 'urn:lex:' || other || substr(federal_prefix, 9 + length(code))
        from federal, unnest(%(codes)s::text[], %(other_codes)s::text[]) as spelled (code, other)
        where code = split_part(federal_prefix, ':', 3)
    ) as urns
), roots as (
    select jurisdiction, node_id, kind, ancestor_ids, subtree_ids, validity from legal_nodes
    where cardinality((select urns from named)) > 0
        and jurisdiction = any(%(everywhere)s) and urn = any((select urns from named)::text[])
    union all
    select jurisdiction, node_id, kind, ancestor_ids, subtree_ids, validity from legal_nodes
    where cardinality((select urns from named)) > 0
        and jurisdiction = any(%(everywhere)s) and aliases && (select urns from named)
), found as materialized (
    select jurisdiction, id, node_id, urn, citation_path::text, kind, ordinal, heading, intro_text, content_text,
        lower(validity), upper(validity), ancestor_ids, used_terms, corpus, uncertain::text, aliases
    from (
        select * from legal_nodes where jurisdiction = any(%(jurisdictions)s) and node_id = any(%(ids)s::bigint[])
        union all
        select n.*
        from (
            select distinct jurisdiction, one
            from roots, unnest(case when kind = 'section' then ancestor_ids else ancestor_ids || subtree_ids end) as one
            where (validity @> %(at_date)s::date) is true and (one = node_id or one <> all(%(known_ids)s::bigint[]))
        ) i, lateral (
            select * from legal_nodes
            where jurisdiction = any(%(everywhere)s) and jurisdiction = i.jurisdiction and node_id = one
            offset 0
        ) n
    ) n
    where (validity @> %(at_date)s::date) is true
), law as (
    select 'override' as law, to_jsonb(o) - '{pattern_prefix,source,checked_on,check_by}'::text[] as said, effective from judicial_overrides o
    where effective @> %(at_date)s::date and pattern_prefix = any(%(line_keys)s::text[] || %(more_keys)s::text[] || array(
        select array_to_string(parts[:size], ':')
        from (
            select distinct string_to_array(coalesce('urn:lex:' || canonical || substr(urn, 9 + length(code)), urn), ':')
                as parts
            from found
            left join unnest(%(aliases)s::text[], %(canonical)s::text[]) as spelled (code, canonical)
                on code = split_part(urn, ':', 3)
        ) names, generate_series(2, cardinality(parts)) as size
    ))
    union all
    select 'preemption', to_jsonb(p) - '{state_prefix,federal_prefix}'::text[], effective from federal p
), told as (
    select law, said - 'effective'
        || jsonb_build_object('effective_from', lower(effective), 'effective_to', upper(effective)) as said
    from law
    union all
    select 'cites', jsonb_build_array(jurisdiction, source_id, reference, target_urn, coalesce(properties ->> 'model', ''))
    from edges
    where jurisdiction = any(%(citing)s) and source_id = any(%(citing_ids)s::bigint[]) and kind in ('cites', 'may_cite')
        and target_id is null and validity @> %(at_date)s::date and properties ->> 'place' is null
        and (target_urn <> '' or properties ->> 'external' is not null)
    union all
    select 'entry', jsonb_build_array(normalised_term, urn) from legal_definitions
    where jurisdiction = any(%(everywhere)s) and normalised_term = any(%(terms)s::text[])
        and validity @> %(at_date)s::date
        and exists (select from unnest(%(root_urns)s::text[]) as root where urn || ':' ^@ (root || ':'))
)
select *, null as law, null::jsonb as said from found
union all
select f.*, law, said from told left join found f on false;

-- name: find_overrides
-- Court overrides in effect at a date, or at any where that is null, by the literal prefix of their pattern; whole
-- patterns are compared by the client.
select id, urn_pattern, status, severity, court, court_citation, message, lower(effective) as effective_from,
    upper(effective) as effective_to
from judicial_overrides
where pattern_prefix = any(%(prefixes)s) and (%(at_date)s::date is null or effective @> %(at_date)s::date)
order by urn_pattern, id;

-- name: use_generic_plans
-- Key look-ups gain nothing from being planned anew each time, where a search does: planning costs as much as running
-- them. A small table they would read from end to end, comparing each row with hundreds of keys. A cluster plans each
-- statement on its workers, so that it is not sent there (retrieval/cluster.py).
select set_config('plan_cache_mode', 'force_generic_plan', true), set_config('enable_seqscan', 'off', true);

-- name: use_custom_plans
select set_config('plan_cache_mode', 'force_custom_plan', true), set_config('enable_seqscan', 'on', true);

-- name: find_siblings
-- Nodes next to one that is not there: children of the nearest known ancestor.
select urn, heading from legal_nodes
where jurisdiction = %(jurisdiction)s and citation_path::text collate "C" >= %(low)s
    and citation_path::text collate "C" < %(high)s
    and cardinality(ancestor_ids) = %(depth)s and validity @> %(at_date)s::date
order by ordinal limit 200;

-- name: list_sources
-- All corpora; in each row the same settings of the store, those that are asked for.
select urn, jurisdiction, title, language, publisher, licence, last_ingest, (
    select coalesce(jsonb_object_agg(key, value), '{}') from store_settings where key = any(%(keys)s::text[])
) as settings
from sources order by urn;
