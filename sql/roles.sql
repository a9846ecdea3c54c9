-- Roles for a server that others share. Run once as its owner, in the store's database, after `lexscope init`:
--     psql -f sql/roles.sql DATABASE
-- Then give each service a login of its own: CREATE ROLE app LOGIN PASSWORD '...' IN ROLE lexscope_read;
-- Reading in a read-only transaction is no boundary by itself; these grants are.

DO $$
DECLARE
    wanted text;
BEGIN
    FOREACH wanted IN ARRAY ARRAY['lexscope_read', 'lexscope_write', 'lexscope_telemetry'] LOOP
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = wanted) THEN
            EXECUTE format('CREATE ROLE %I NOLOGIN', wanted);
        END IF;
    END LOOP;
END
$$;

REVOKE ALL ON SCHEMA public FROM PUBLIC;
GRANT USAGE ON SCHEMA public TO lexscope_read, lexscope_write, lexscope_telemetry;

-- Serving: the law and what courts did to it, nothing that users asked.
GRANT SELECT ON schema_migrations, store_settings, sources, documents, legal_nodes, node_embeddings, lexeme_stats,
    language_stats, legal_definitions, edges, legal_synonyms, judicial_overrides, federal_preemption
    TO lexscope_read;

-- Ingest and the people who record overrides.
GRANT SELECT, INSERT, UPDATE, DELETE ON store_settings, sources, source_files, documents, editions, edition_nodes,
    legal_nodes, node_embeddings, lexeme_stats, language_stats, legal_definitions, edges, legal_synonyms, judicial_overrides, federal_preemption
    TO lexscope_write;
GRANT SELECT ON schema_migrations TO lexscope_write;
GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO lexscope_write;
GRANT CREATE ON SCHEMA public TO lexscope_write;  -- a new jurisdiction's partition

-- Traces and telemetry are written and not read back by the service that writes them.
GRANT INSERT ON traces, quality_checks TO lexscope_telemetry;

ALTER ROLE lexscope_read SET statement_timeout = '30s';
ALTER ROLE lexscope_read SET idle_in_transaction_session_timeout = '60s';
ALTER ROLE lexscope_read SET default_transaction_read_only = on;
