-- Statements of rag/doctor.py: what a store is made of and what it holds.

-- name: describe_server
select current_setting('server_version') as version, current_setting('server_version_num')::integer as number,
    current_database() as database, current_user as role;

-- name: describe_session
-- The process that serves this session, whether it is a standby's, whether the server has pgvector, runs on Windows, and
-- may be the coordinator of a cluster.
select pg_backend_pid(), pg_is_in_recovery(), to_regtype('sparsevec') is not null and to_regtype('vector') is not null,
    current_setting('dynamic_shared_memory_type') = 'windows',
    exists (select from pg_extension where extname = 'citus');

-- name: read_staleness
-- Seconds that a standby may lie behind: none while it is connected and has replayed all that it received, else the time
-- since the last transaction it replayed. NULL where it has replayed none yet.
select case
    when not pg_is_in_recovery() then 0
    when pg_last_wal_receive_lsn() <= pg_last_wal_replay_lsn() and exists (select from pg_stat_wal_receiver where pid > 0)
        then 0
    else extract(epoch from clock_timestamp() - pg_last_xact_replay_timestamp())
end::float8;

-- name: list_server_clients
-- The names under which other sessions introduced themselves to the server; no text of a statement.
select application_name from pg_stat_activity
where backend_type = 'client backend' and pid <> pg_backend_pid() order by application_name;

-- name: list_extensions
-- Extensions that the schema needs, with the version in use (NULL: not created here) and the one the server offers;
-- whether whoever may create objects in the database may create it; the schema it is in, and whether that is searched.
select a.name, a.installed_version, a.default_version, coalesce(v.trusted, false), n.nspname,
    coalesce(n.nspname = any(current_schemas(true)), false)
from pg_available_extensions a
left join pg_available_extension_versions v on v.name = a.name and v.version = a.default_version
left join pg_extension e on e.extname = a.name
left join pg_namespace n on n.oid = e.extnamespace
where a.name = any(%(names)s) order by a.name;

-- name: describe_rights
-- The schema that tables go to, whether this role may make any there, and extensions in the database; of a store that is
-- made, the role that its tables belong to, and whether this one may alter them.
select coalesce(current_schema(), 'public'), coalesce(has_schema_privilege(current_schema(), 'create'), false),
    has_database_privilege(current_database(), 'create'), r.rolsuper, pg_get_userbyid(made.relowner),
    pg_has_role(made.relowner, 'usage')
from pg_roles r left join pg_class made on made.oid = to_regclass('legal_nodes')
where r.rolname = current_user;

-- name: count_rows
select 'documents' as name, count(*) as rows from documents
union all select 'legal_nodes', count(*) from legal_nodes
union all select 'legal_definitions', count(*) from legal_definitions
union all select 'edges', count(*) from edges
union all select 'unresolved edges', count(*) from edges where target_id is null
union all select 'node_embeddings', count(*) from node_embeddings
union all select 'legal_synonyms', count(*) from legal_synonyms
union all select 'judicial_overrides', count(*) from judicial_overrides
union all select 'federal_preemption', count(*) from federal_preemption;

-- name: count_kept
-- What is kept of requests; for roles that may read it.
select 'traces' as name, count(*) as rows from traces
union all select 'full traces', count(*) from traces where privacy = 'full'
union all select 'quality_checks', count(*) from quality_checks;

-- name: describe_role
-- What this role may do in the store, and whether no right stops it.
select r.rolsuper, has_table_privilege('legal_nodes', 'select') as read, has_table_privilege('legal_nodes', 'insert') as write,
    has_table_privilege('traces', 'insert') as record, has_table_privilege('traces', 'select') as review
from pg_roles r where r.rolname = current_user;

-- name: count_documents
-- Documents and the last ingest of each jurisdiction; the root a corpus has for itself is no document.
select d.jurisdiction, count(*) as documents, max(d.ingested_at) as last_ingest from documents d
where d.format <> 'corpus' group by d.jurisdiction order by d.jurisdiction;

-- name: read_schema_version
select max(version) from schema_migrations;
