SELECT set_config('search_path', concat_ws(', ', quote_ident(current_schema()), (
    SELECT string_agg(DISTINCT quote_ident(n.nspname), ', ') FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace
    WHERE e.extname IN ('btree_gin', 'btree_gist', 'ltree', 'pg_trgm', 'unaccent', 'vector')
), 'pg_temp'), true);

-- Built anew, an index whose keys came in another order than its own takes two thirds of the room. Whoever holds the table
-- for long is not waited for.
CREATE FUNCTION lex_pack_index(index text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
    AS $$
    BEGIN
        IF NOT EXISTS (SELECT FROM pg_index WHERE indexrelid = to_regclass(index)
            AND indrelid = ANY ('{legal_nodes,legal_definitions,edges,lexeme_stats}'::regclass[])) THEN
            RAISE insufficient_privilege USING MESSAGE = 'not an index of law';
        END IF;
        PERFORM set_config('lock_timeout', '500ms', true);
        EXECUTE format('REINDEX INDEX %s', to_regclass(index));
    END $$;

-- It belongs to whom the other functions belong, whoever runs this, and who could merge new rows can pack indexes.
REVOKE EXECUTE ON FUNCTION lex_pack_index FROM PUBLIC;
DO $grants$
DECLARE
    given record;
BEGIN
    EXECUTE format('ALTER FUNCTION lex_pack_index OWNER TO %I', (
        SELECT pg_get_userbyid(proowner) FROM pg_proc WHERE oid = 'lex_merge_pending'::regproc
    ));
    FOR given IN
        SELECT quote_ident(r.rolname) AS role
        FROM pg_proc p CROSS JOIN LATERAL aclexplode(p.proacl) a JOIN pg_roles r ON r.oid = a.grantee
        WHERE p.oid = 'lex_merge_pending'::regproc AND a.grantee <> p.proowner
    LOOP
        EXECUTE format('GRANT EXECUTE ON FUNCTION lex_pack_index TO %s', given.role);
    END LOOP;
END
$grants$;
