/// The SQLSTATE codes that callers react to, for comparison with ``PostgresError/sqlState``.
///
/// Source: PostgreSQL "Error Codes", Appendix A.
public struct SQLState {
    private init() {}

    /// The feature is not supported; also "cached plan must not change result type".
    public static let featureNotSupported = "0A000"
    /// A command got more than one row for one key, such as an upsert with the same key twice.
    public static let cardinalityViolation = "21000"
    /// A regular expression is wrong, or too complex.
    public static let invalidRegularExpression = "2201B"
    /// A number does not fit its type.
    public static let numericValueOutOfRange = "22003"
    /// The text is not a value of its type.
    public static let invalidTextRepresentation = "22P02"
    /// NOT NULL is violated.
    public static let notNullViolation = "23502"
    /// A foreign key is violated.
    public static let foreignKeyViolation = "23503"
    /// A unique constraint or index is violated.
    public static let uniqueViolation = "23505"
    /// A CHECK is violated.
    public static let checkViolation = "23514"
    /// An exclusion constraint is violated.
    public static let exclusionViolation = "23P01"
    /// The transaction is read-only, or the server a standby.
    public static let readOnlyTransaction = "25006"
    /// The transaction failed before; you can only roll back.
    public static let inFailedTransaction = "25P02"
    /// The session idled in a transaction for longer than the server allows.
    public static let idleInTransactionTimeout = "25P03"
    /// The prepared statement does not exist on this session.
    public static let invalidStatementName = "26000"
    /// The password is wrong.
    public static let invalidPassword = "28P01"
    /// The database does not exist.
    public static let invalidCatalogName = "3D000"
    /// The schema does not exist.
    public static let invalidSchemaName = "3F000"
    /// The transaction cannot be serialised with concurrent ones; run it again.
    public static let serializationFailure = "40001"
    /// The transaction was chosen as the victim of a deadlock; run it again.
    public static let deadlockDetected = "40P01"
    /// The role lacks a privilege.
    public static let insufficientPrivilege = "42501"
    /// The statement is not SQL.
    public static let syntaxError = "42601"
    /// The column does not exist.
    public static let undefinedColumn = "42703"
    /// Another object that the statement names, such as a text search configuration, does not exist.
    public static let undefinedObject = "42704"
    /// The function or operator does not exist.
    public static let undefinedFunction = "42883"
    /// The table does not exist.
    public static let undefinedTable = "42P01"
    /// The table exists already.
    public static let duplicateTable = "42P07"
    /// The disk is full.
    public static let diskFull = "53100"
    /// The server has no free connection.
    public static let tooManyConnections = "53300"
    /// A lock was not available at once, or within `lock_timeout`.
    public static let lockNotAvailable = "55P03"
    /// The statement was cancelled, by request or by `statement_timeout`.
    public static let queryCancelled = "57014"
    /// The server ended the session on an administrator's command.
    public static let adminShutdown = "57P01"
    /// The server ended the session because another one crashed.
    public static let crashShutdown = "57P02"
    /// The server is starting up or shutting down.
    public static let cannotConnectNow = "57P03"

    static func name(of state: String) -> String? { names[state] }

    private static let names = [
        featureNotSupported: "feature_not_supported", cardinalityViolation: "cardinality_violation",
        numericValueOutOfRange: "numeric_value_out_of_range",
        invalidTextRepresentation: "invalid_text_representation", notNullViolation: "not_null_violation",
        foreignKeyViolation: "foreign_key_violation", uniqueViolation: "unique_violation",
        checkViolation: "check_violation", exclusionViolation: "exclusion_violation",
        readOnlyTransaction: "read_only_sql_transaction", inFailedTransaction: "in_failed_sql_transaction",
        idleInTransactionTimeout: "idle_in_transaction_session_timeout",
        invalidStatementName: "invalid_sql_statement_name", invalidPassword: "invalid_password",
        invalidCatalogName: "invalid_catalog_name", invalidSchemaName: "invalid_schema_name",
        serializationFailure: "serialization_failure", deadlockDetected: "deadlock_detected",
        insufficientPrivilege: "insufficient_privilege", syntaxError: "syntax_error",
        undefinedColumn: "undefined_column", undefinedFunction: "undefined_function",
        undefinedObject: "undefined_object",
        undefinedTable: "undefined_table", duplicateTable: "duplicate_table", diskFull: "disk_full",
        tooManyConnections: "too_many_connections", lockNotAvailable: "lock_not_available",
        queryCancelled: "query_canceled", adminShutdown: "admin_shutdown",
        crashShutdown: "crash_shutdown", cannotConnectNow: "cannot_connect_now",
    ]
}
