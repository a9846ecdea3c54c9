-- Statements of rag/doctor.py: what a store is made of and what it holds.

-- name: describe_server
select current_setting('server_version') as version, current_setting('server_version_num')::integer as number,
    current_database() as database, current_user as role;

-- name: list_server_clients
-- The names under which other sessions introduced themselves to the server; no text of a statement.
select application_name from pg_stat_activity
where backend_type = 'client backend' and pid <> pg_backend_pid() order by application_name;

-- name: list_extensions
-- Extensions that the schema needs, with the version in use (NULL: not created here) and the one the server offers.
select name, installed_version, default_version from pg_available_extensions
where name = any(%(names)s) order by name;

-- name: count_rows
select 'documents' as name, count(*) as rows from documents
union all select 'legal_nodes', count(*) from legal_nodes
union all select 'legal_definitions', count(*) from legal_definitions
union all select 'edges', count(*) from edges
union all select 'unresolved edges', count(*) from edges where target_id is null
union all select 'node_embeddings', count(*) from node_embeddings
union all select 'legal_synonyms', count(*) from legal_synonyms
union all select 'judicial_overrides', count(*) from judicial_overrides
union all select 'federal_preemption', count(*) from federal_preemption
union all select 'traces', count(*) from traces
union all select 'full traces', count(*) from traces where privacy = 'full'
union all select 'quality_checks', count(*) from quality_checks;

-- name: count_documents
-- Documents and the last ingest of each jurisdiction; the root a corpus has for itself is no document.
select d.jurisdiction, count(*) as documents, max(d.ingested_at) as last_ingest from documents d
where d.format <> 'corpus' group by d.jurisdiction order by d.jurisdiction;

-- name: read_schema_version
select max(version) from schema_migrations;
