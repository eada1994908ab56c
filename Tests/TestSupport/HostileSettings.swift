/// Settings that `ALTER ROLE` and `ALTER DATABASE` can give to sessions.
public enum HostileSettings {
    /// Each at its worst, as name and value.
    public static let worst = [
        ("statement_timeout", "1"), ("lock_timeout", "1"), ("idle_in_transaction_session_timeout", "1"),
        ("row_security", "off"), ("search_path", "pg_temp"), ("synchronous_commit", "off"),
        ("default_transaction_isolation", "serializable"), ("default_transaction_read_only", "on"),
        ("default_transaction_deferrable", "on"), ("session_replication_role", "replica"),
        ("standard_conforming_strings", "off"), ("\"DateStyle\"", "SQL, DMY"),
        ("\"IntervalStyle\"", "sql_standard"),
        ("\"TimeZone\"", "Asia/Kathmandu"), ("bytea_output", "escape"), ("extra_float_digits", "-15"),
        ("lc_messages", "C"), ("plan_cache_mode", "force_generic_plan"), ("jit", "on"),
        ("jit_above_cost", "0"),
    ]
}
