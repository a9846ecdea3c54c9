-- Where each rule stands and the mean of its section's vectors, over all versions: what searches would else make of the
-- vectors. A row is missing where it has not been made since its nodes or vectors changed; searches make it then.
CREATE TABLE section_vectors (
    jurisdiction text NOT NULL,
    node_id bigint NOT NULL,                 -- of a rule, or of a section
    model text NOT NULL,
    validity daterange NOT NULL,             -- all days on which it is so
    section_id bigint NOT NULL,              -- the section that it lies in, else itself; what follows is in that one's rows
    chapter_id bigint NOT NULL,              -- the node two levels above; 0 where there is none or no part has a vector
    words integer NOT NULL,                  -- of its parts that have a vector
    parts integer NOT NULL,                  -- how many these are
    embedding halfvec,                       -- the mean of theirs; NULL where there is none, or it has no parts but itself
    CONSTRAINT section_vectors_pkey PRIMARY KEY (jurisdiction, node_id, model, validity)
);
ALTER TABLE section_vectors ALTER COLUMN embedding SET STORAGE PLAIN;

-- It belongs to whom the vectors belong, whoever runs this; who could read or write them can do so here.
DO $grants$
DECLARE
    given record;
BEGIN
    EXECUTE format('ALTER TABLE section_vectors OWNER TO %I', (
        SELECT pg_get_userbyid(relowner) FROM pg_class WHERE oid = 'node_embeddings'::regclass
    ));
    FOR given IN
        SELECT coalesce(quote_ident(r.rolname), 'PUBLIC') AS role, string_agg(DISTINCT a.privilege_type, ', ') AS rights
        FROM pg_class c CROSS JOIN LATERAL aclexplode(c.relacl) a LEFT JOIN pg_roles r ON r.oid = a.grantee
        WHERE c.oid = 'node_embeddings'::regclass AND a.grantee <> c.relowner
            AND a.privilege_type IN ('SELECT', 'INSERT', 'UPDATE', 'DELETE')
        GROUP BY 1
    LOOP
        EXECUTE format('GRANT %s ON section_vectors TO %s', given.rights, given.role);
    END LOOP;
END
$grants$;
