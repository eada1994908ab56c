import PQClient

extension PostgresError {
    /// A Boolean value that indicates whether the error is about the values of a row.
    ///
    /// They do not fit a column, an index, a constraint or a policy, or two rows of a statement have the same ones.
    var refusesRow: Bool {
        guard !mayHaveCommitted, let sqlState else { return code == .invalidValue }
        if sqlState == SQLState.insufficientPrivilege { return isOfPolicy }
        return sqlState.hasPrefix("22") || sqlState.hasPrefix("23")
            || [SQLState.cardinalityViolation, "54000"].contains(sqlState)
    }

    /// A Boolean value that indicates whether a policy of row level security refused a row.
    ///
    /// The server uses the same SQLSTATE for a role that lacks a right.
    var isOfPolicy: Bool { source?.contains("ExecWithCheckOptions") == true }

    /// A Boolean value that indicates whether the server refused a COPY, because row level security applies.
    ///
    /// Triggers of the table can use the same SQLSTATE for a row.
    var isOfRefusedCopy: Bool {
        sqlState == SQLState.featureNotSupported && source?.contains("DoCopy") == true
    }
}
