-- Statements of rag/ingest/embed.py and reembed.py, and of the dense leg's set-up. What stands in a column `model` is the
-- name of a model and its dimensions: the vectors of several may stand side by side while a store goes over to another.

-- name: read_store_setting
select value from store_settings where key = %(key)s;

-- name: read_store_settings
select key, value from store_settings where key = any(%(keys)s);

-- name: lock_store_setting
-- Whoever writes vectors holds on to the model that they are of; whoever changes it waits.
select value from store_settings where key = %(key)s for share;

-- name: write_store_setting
insert into store_settings (key, value) values (%(key)s, %(value)s)
on conflict (key) do nothing;

-- name: change_store_setting
insert into store_settings (key, value) values (%(key)s, %(value)s)
on conflict (key) do update set value = excluded.value;

-- name: complete_store_setting
-- Adds to an object what it does not say yet.
insert into store_settings as stored (key, value) values (%(key)s, %(value)s)
on conflict (key) do update set value = excluded.value || stored.value
where stored.value is distinct from excluded.value || stored.value;

-- name: find_texts_to_embed
-- Searchable versions without a vector of this model, or with one of another text where `stale` is asked for, in the
-- languages that the model knows (all where it does not say), in the order of their ids. One of few words has the headings above it too, and how its parts begin, as they stood last while
-- it was in force: a text that speaks for itself is found worse among the same headings as its neighbours (ARCHITECTURE).
select n.id, t.text, t.text_hash, n.language
from legal_nodes n
left join node_embeddings e
    on e.jurisdiction = %(jurisdiction)s and e.node_version_id = n.id and e.model = %(model)s
cross join lateral (
    select string_agg(nullif(a.heading, ''), ' > ' order by nlevel(a.citation_path)) as headings
    from (
        select distinct on (b.node_id) b.heading, b.citation_path from legal_nodes b
        where b.jurisdiction = %(jurisdiction)s and b.node_id = any(n.ancestor_ids) and b.node_id <> n.node_id
            and b.validity && n.validity
        order by b.node_id, upper(b.validity) desc nulls first
    ) a
) h
cross join lateral (
    select left(string_agg(
        concat_ws(' ', nullif(c.heading, ''), nullif(c.intro_text, ''), nullif(c.content_text, '')), ' ' order by c.ordinal
    ), 500) as beginning
    from (
        select distinct on (b.node_id) b.ordinal, b.heading, b.intro_text, b.content_text from legal_nodes b
        where b.jurisdiction = %(jurisdiction)s and b.node_id = any(n.subtree_ids) and b.validity && n.validity
            and b.kind <> 'chunk' -- a document in chunks is found by them
            and b.ancestor_ids[cardinality(b.ancestor_ids) - 1] = n.node_id
        order by b.node_id, upper(b.validity) desc nulls first
    ) c
    where length(n.intro_text) + length(n.content_text) < 200
) parts
cross join lateral (
    select w.text, encode(sha256(convert_to(n.language || E'\n' || w.text, 'UTF8')), 'hex') as text_hash
    from (select concat_ws(
        E'\n', case when length(n.intro_text) + length(n.content_text) < 200 then h.headings end,
        nullif(n.heading, ''), nullif(n.intro_text, ''), nullif(n.content_text, ''), parts.beginning
    ) as text) w
) t
where n.jurisdiction = %(jurisdiction)s and n.id > %(after)s::bigint and n.kind <> 'section'
    and (%(languages)s::text[] = '{}' or n.language = any(%(languages)s::text[]))
    and (%(document_id)s::bigint is null or n.document_id = %(document_id)s::bigint)
    and (n.intro_text <> '' or n.content_text <> '' or parts.beginning <> '')
    and (e.node_version_id is null or (%(stale)s::boolean and e.text_hash <> t.text_hash))
order by n.id limit %(limit)s;

-- name: count_texts_to_embed
-- How many texts `find_texts_to_embed` finds, and about how many tokens they have; retrieval/embedding.py estimates so too.
select count(*),
    coalesce(sum(ceil(length(t.text) / 3.0) + octet_length(t.text) - length(t.text)), 0)::bigint
from (/*slot:texts*/) t;

-- name: count_rules_without_vectors
-- Notes how many rules in force of some documents (all where it does not say) have words and no vector of this model.
update documents d set without_vectors = c.rules
from (
    select v.id, count(r.rule_id) as rules
    from documents v left join (
        select n.document_id, n.rule_id
        from legal_nodes n
        left join node_embeddings e
            on e.jurisdiction = %(jurisdiction)s and e.node_version_id = n.id and e.model = %(model)s
        where n.jurisdiction = %(jurisdiction)s and n.kind <> 'section' and upper_inf(n.validity)
            and (%(document_ids)s::bigint[] is null or n.document_id = any(%(document_ids)s::bigint[]))
            and (n.intro_text <> '' or n.content_text <> '')
        group by n.document_id, n.rule_id
        having count(e.node_version_id) = 0
    ) r on r.document_id = v.id
    where v.jurisdiction = %(jurisdiction)s
        and (%(document_ids)s::bigint[] is null or v.id = any(%(document_ids)s::bigint[]))
    group by v.id
) c
where d.jurisdiction = %(jurisdiction)s and d.id = c.id and d.without_vectors <> c.rules;

-- name: sum_rules_without_vectors
-- The same of all documents, by jurisdiction and language.
select d.jurisdiction, s.language, sum(d.without_vectors)
from documents d join sources s on s.urn = d.corpus_urn
where d.jurisdiction = any(%(jurisdictions)s)
group by d.jurisdiction, s.language having sum(d.without_vectors) > 0 order by d.jurisdiction, s.language;

-- name: lock_vectors
-- Two runs that embed the same law at once write one after the other.
select pg_advisory_xact_lock(hashtextextended('vectors of ' || %(jurisdiction)s, 0));

-- name: write_embeddings
-- Versions that have gone meanwhile are left out; what stands there already is replaced.
insert into node_embeddings (jurisdiction, node_version_id, model, text_hash, validity, embedding)
select n.jurisdiction, n.id, %(model)s, v.text_hash, n.validity, v.embedding::halfvec
from unnest(%(ids)s::bigint[], %(hashes)s::text[], %(vectors)s::text[]) as v (id, text_hash, embedding)
join legal_nodes n on n.jurisdiction = %(jurisdiction)s and n.id = v.id
on conflict (jurisdiction, node_version_id, model) do update
set text_hash = excluded.text_hash, embedding = excluded.embedding;

-- name: find_embeddings_by_text
-- Vectors of this model that the same text already has.
select distinct on (text_hash) text_hash, embedding::text from node_embeddings
where jurisdiction = %(jurisdiction)s and model = %(model)s and text_hash = any(%(hashes)s)
order by text_hash, node_version_id;

-- name: count_embeddings
select count(*) from node_embeddings where jurisdiction = %(jurisdiction)s and model = %(model)s;

-- name: find_missing_indexes
-- Jurisdictions of which the index that is named for each is not there.
select v.jurisdiction from unnest(%(jurisdictions)s::text[], %(indexes)s::text[]) as v (jurisdiction, index)
where to_regclass(v.index) is null;

-- name: has_vectors
-- Whether a jurisdiction has so many vectors of this model.
select count(*) = %(least)s from (
    select from node_embeddings where jurisdiction = %(jurisdiction)s and model = %(model)s limit %(least)s
) held;

-- name: lock_vector_index
-- Two runs that end at once build an index once.
select pg_advisory_xact_lock(hashtextextended('vector index of ' || %(jurisdiction)s, 0));

-- name: try_reembed_lock
-- Held by the session that takes a store over to another model; false where another one does.
select pg_try_advisory_lock(hashtextextended('lexscope reembed', 0));

-- name: find_vector_models
-- The models that vectors are there of, searched or not.
select distinct model from node_embeddings where jurisdiction = any(%(jurisdictions)s) order by model;

-- name: delete_embeddings
delete from node_embeddings where jurisdiction = any(%(jurisdictions)s) and not model = any(%(kept)s);

-- name: delete_embeddings_of_languages
delete from node_embeddings e using legal_nodes n
where e.jurisdiction = %(jurisdiction)s and n.jurisdiction = %(jurisdiction)s and e.node_version_id = n.id
    and n.language = any(%(languages)s) and e.model = %(model)s;

-- name: share_vectors
-- Whoever changes nodes that may have vectors; waits for who writes vectors or what is made of them.
select pg_advisory_xact_lock_shared(hashtextextended('vectors of ' || %(jurisdiction)s, 0));

-- name: forget_document_sections
-- What is made of the vectors of a document that is about to change.
delete from section_vectors s using (
    select distinct n.node_id from legal_nodes n
    where n.jurisdiction = %(jurisdiction)s and n.document_id = %(document_id)s
) n
where s.jurisdiction = %(jurisdiction)s and s.node_id = n.node_id;

-- name: forget_sections
-- What is made of the vectors of some versions.
delete from section_vectors s using (
    select distinct a.node_id from legal_nodes n cross join lateral unnest(n.ancestor_ids) as a (node_id)
    where n.jurisdiction = %(jurisdiction)s and n.id = any(%(ids)s::bigint[])
) n
where s.jurisdiction = %(jurisdiction)s and s.node_id = n.node_id and s.model = %(model)s;

-- name: forget_sections_of_languages
delete from section_vectors s using (
    select distinct n.node_id from legal_nodes n
    where n.jurisdiction = %(jurisdiction)s and n.language = any(%(languages)s)
) n
where s.jurisdiction = %(jurisdiction)s and s.node_id = n.node_id and s.model = %(model)s;

-- name: forget_sections_of_models
delete from section_vectors where jurisdiction = any(%(jurisdictions)s) and not model = any(%(kept)s);

-- name: list_document_ids
select id from documents where jurisdiction = %(jurisdiction)s order by id;

-- name: find_rules_without_sections
-- Rules and sections of a document with vectors of which nothing is made of these.
select distinct a.node_id
from legal_nodes n
cross join lateral (
    select n.rule_id union all
    select n.node_id where n.structure_type in ('SECTION', 'ARTICLE', 'APPENDIX')
) a (node_id)
where n.jurisdiction = %(jurisdiction)s and n.document_id = %(document_id)s and n.kind <> 'section'
    and exists (
        select from legal_nodes v join node_embeddings e
            on e.jurisdiction = %(jurisdiction)s and e.node_version_id = v.id and e.model = %(model)s
        where v.jurisdiction = %(jurisdiction)s and v.document_id = %(document_id)s
    )
    and not exists (
        select from section_vectors s
        where s.jurisdiction = %(jurisdiction)s and s.node_id = a.node_id and s.model = %(model)s
    )
order by a.node_id;

-- name: find_periods
-- Of some nodes the versions, and the days from which on one of them, of what it lies in or of its parts is in force and
-- was not before, or no longer is, up to the next such day.
with version as materialized (
    select n.id, n.node_id, n.validity, n.ancestor_ids || n.subtree_ids as around from legal_nodes n
    where n.jurisdiction = %(jurisdiction)s and n.node_id = any(%(nodes)s::bigint[])
), change as (
    select distinct v.node_id, d.day
    from version v
    cross join lateral (
        select x.validity from legal_nodes x where x.jurisdiction = %(jurisdiction)s and x.node_id = any(v.around)
        offset 0
    ) x
    cross join lateral (values (coalesce(lower(x.validity), '-infinity')), (upper(x.validity))) as d (day)
    where d.day is not null
), period as (
    select node_id, day, lead(day) over (partition by node_id order by day) as until from change
)
select v.id, p.day::text, p.until::text
from version v join period p on p.node_id = v.node_id and v.validity @> p.day
order by v.id, p.day;

-- name: make_section_vectors
with derived as materialized ( -- joined before, sections of one day would be paired with all versions
    select i.id, d.day, d.section, d.mean, d.parts, d.words, d.chapter
    from (/*slot:sections*/) d cross join lateral unnest(d.ids) as i (id)
)
insert into section_vectors (jurisdiction, node_id, model, validity, section_id, chapter_id, words, parts, embedding)
select %(jurisdiction)s, n.node_id, %(model)s, daterange(nullif(a.day, '-infinity'), a.until), d.section, d.chapter,
    d.words, d.parts, case when n.node_id = d.section and cardinality(n.subtree_ids) > 1 then d.mean end
from derived d
join unnest(%(ids)s::bigint[], %(days)s::date[], %(untils)s::date[]) as a (id, day, until)
    on a.id = d.id and a.day = d.day
join legal_nodes n on n.jurisdiction = %(jurisdiction)s and n.id = d.id
on conflict do nothing
returning node_id;

-- name: create_partition
-- One partition per jurisdiction keeps filtered vector search at full recall.
select lex_add_partition(%(jurisdiction)s);

-- name: create_vector_index
select lex_add_vector_index(%(partition)s, %(index)s, %(dimensions)s, %(model)s);

-- name: drop_vector_index
select lex_drop_vector_index(%(index)s);
