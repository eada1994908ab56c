/// Functions and operators of another role in `public`, which a search path has: for the names that PostgreSQL has too,
/// and for arguments that are an exact match where PostgreSQL's own take any type, or a type that needs a cast. Each fails
/// with a SQLSTATE of its own when it is called.
enum PlantedNames {
    static let sqlState = "PLANT"

    /// SQL that makes them; each statement ends with a semicolon and an empty line, as `postgres --single -j` wants it.
    static let script = """
        CREATE FUNCTION public.planted() RETURNS void LANGUAGE plpgsql AS $f$
        BEGIN RAISE EXCEPTION 'a planted function was called' USING ERRCODE = '\(sqlState)'; END $f$;

        DO $do$
        DECLARE
            types text[] := ARRAY['int2', 'int4', 'int8', 'numeric', 'float4', 'float8', 'text', 'bytea', 'uuid', 'bool',
                'timestamptz', 'jsonb'];
            names text[];
            name text;
            a text;
            b text;
            body text := ' LANGUAGE plpgsql AS $f$ BEGIN PERFORM public.planted(); RETURN NULL; END $f$';
        BEGIN
            SELECT array_agg(DISTINCT p.proname) INTO names FROM pg_catalog.pg_proc p
            WHERE p.pronamespace = 'pg_catalog'::regnamespace AND p.prokind IN ('f', 'a', 'w')
                AND p.proname ~ '^(unnest|abs|count|sum|avg|min|max|strpos|jsonb_typeof|div|mod|char_length|length|cardinality|trunc|floor|ceil|round|sqrt|exp|ln|log|power|scale|trim_scale|starts_with|nextval|md5|sha256|upper|lower|left|right|substring|repeat|chr|translate|ltrim|to_tsvector|websearch_to_tsquery|ts_rank|generate_series|jsonb_array_elements|row_number|array_agg|string_agg|encode|decode|convert_to|array_position|set_config|current_setting|hashtextextended|now|clock_timestamp|greatest|bool_or|to_jsonb|array_length|array_lower|normalize|regexp_replace|pg_backend_pid|txid_status|pg_xact_status|pg_current_xact_id)$';
            FOREACH name IN ARRAY names LOOP
                FOREACH a IN ARRAY types LOOP
                    EXECUTE format('CREATE FUNCTION public.%I(%s) RETURNS %s', name, a, a) || body;
                    EXECUTE format('CREATE FUNCTION public.%I(%s[]) RETURNS %s', name, a, a) || body;
                    IF a IN ('int4', 'int8', 'numeric', 'float8', 'text') THEN
                        FOREACH b IN ARRAY ARRAY['int4', 'int8', 'numeric', 'float8', 'text'] LOOP
                            EXECUTE format('CREATE FUNCTION public.%I(%s, %s) RETURNS %s', name, a, b, a) || body;
                        END LOOP;
                    END IF;
                END LOOP;
            END LOOP;
            FOREACH a IN ARRAY types LOOP
                FOREACH b IN ARRAY types LOOP
                    EXECUTE format('CREATE FUNCTION public.planted_comparison(%s, %s) RETURNS bool', a, b) || body;
                    EXECUTE format('CREATE FUNCTION public.planted_sum(%s, %s) RETURNS %s', a, b, a) || body;
                    FOREACH name IN ARRAY ARRAY['=', '<>', '<', '<=', '>', '>=', '~', '~~', '!~', '@>', '<@', '&&', '@@', '^@'] LOOP
                        EXECUTE format('CREATE OPERATOR public.%s (LEFTARG = %s, RIGHTARG = %s, FUNCTION = public.planted_comparison)',
                            name, a, b);
                    END LOOP;
                    FOREACH name IN ARRAY ARRAY['+', '-', '*', '/', '%', '&', '|', '#', '<<', '>>', '||', '->', '->>', '#>>', '^'] LOOP
                        EXECUTE format('CREATE OPERATOR public.%s (LEFTARG = %s, RIGHTARG = %s, FUNCTION = public.planted_sum)',
                            name, a, b);
                    END LOOP;
                END LOOP;
            END LOOP;
        END $do$;
        """
}
