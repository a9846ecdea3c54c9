-- Roles for a server that others share. Run once in the store's database, after `lexscope init`, by its owner where he may
-- create roles, else by an administrator:
--     psql -f sql/roles.sql DATABASE
-- Then give each service a login of its own:
--     CREATE ROLE app LOGIN PASSWORD '...' IN ROLE lexscope_read, lexscope_telemetry;
--     ALTER ROLE app SET idle_in_transaction_session_timeout = '60s';
-- Reading in a read-only transaction is no boundary by itself; these grants are.

DO $$
DECLARE
    wanted text;
    owner text := (SELECT pg_get_userbyid(relowner) FROM pg_class WHERE oid = 'legal_nodes'::regclass);
BEGIN
    FOREACH wanted IN ARRAY ARRAY['lexscope_read', 'lexscope_write', 'lexscope_telemetry', 'lexscope_review'] LOOP
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = wanted) THEN
            EXECUTE format('CREATE ROLE %I NOLOGIN', wanted);
        END IF;
    END LOOP;
    EXECUTE format('REVOKE ALL ON SCHEMA %I FROM PUBLIC', current_schema());
    EXECUTE format('GRANT USAGE ON SCHEMA %I TO lexscope_read, lexscope_write, lexscope_telemetry', current_schema());
    EXECUTE format('GRANT USAGE, CREATE ON SCHEMA %I TO %I', current_schema(), owner);  -- had what PUBLIC had
    EXECUTE format('REVOKE TEMPORARY ON DATABASE %I FROM PUBLIC', current_database());
    EXECUTE format('GRANT TEMPORARY ON DATABASE %I TO lexscope_write, %I', current_database(), owner);  -- rows on their way in
END
$$;

-- Serving: the law and what courts did to it, nothing that users asked.
GRANT SELECT ON schema_migrations, store_settings, sources, source_files, documents, editions, edition_nodes, legal_nodes,
    node_embeddings, section_vectors, lexeme_stats, language_stats, legal_definitions, edges, legal_synonyms, judicial_overrides,
    federal_preemption, law_readings, override_proposals
    TO lexscope_read;

-- Ingest and the people who record overrides: all that serving reads, and to write it. What takes the owner's rights (a new
-- jurisdiction's partition, indexes of vectors, the planner's statistics) they have as functions.
GRANT lexscope_read TO lexscope_write;
GRANT INSERT, UPDATE, DELETE ON store_settings, sources, source_files, documents, editions, edition_nodes, legal_nodes,
    node_embeddings, section_vectors, lexeme_stats, language_stats, legal_definitions, edges, legal_synonyms, judicial_overrides,
    federal_preemption, law_readings, override_proposals
    TO lexscope_write;
GRANT USAGE ON SEQUENCE node_ids TO lexscope_write;
GRANT EXECUTE ON FUNCTION lex_add_partition, lex_add_vector_index, lex_drop_vector_index, lex_analyze_nodes,
    lex_analyze_store, lex_merge_pending, lex_pack_index TO lexscope_write;

-- Traces and telemetry are written and not read back by the service that writes them.
GRANT INSERT ON traces, quality_checks TO lexscope_telemetry;
GRANT EXECUTE ON FUNCTION lex_forget_traces TO lexscope_telemetry;

-- Who reviews reads them, and the law that they speak of.
GRANT lexscope_read TO lexscope_review;
GRANT SELECT, DELETE ON traces, quality_checks TO lexscope_review;
GRANT SELECT, INSERT, UPDATE, DELETE ON trace_verdicts TO lexscope_review;
