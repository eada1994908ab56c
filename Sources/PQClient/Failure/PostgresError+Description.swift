public import Foundation

extension PostgresError: CustomStringConvertible, CustomDebugStringConvertible {
    /// The error in one line, without values.
    ///
    /// The server's message is included only if it can name just objects, roles and settings, such as
    /// `permission denied for table person`. Messages of other kinds may quote values and are left out.
    public var description: String {
        var text = "PostgreSQL \(code) during \(phase)"
        if let batchIndex { text += " of batch entry \(batchIndex)" }
        if let sqlState {
            text += ": SQLSTATE \(sqlState)"
            if let name = SQLState.name(of: sqlState) { text += " (\(name))" }
            if let firstState {
                let name = SQLState.name(of: firstState).map { " (\($0))" } ?? ""
                text += ", because an earlier statement failed with \(firstState)\(name)"
            }
        } else {
            text += ": \(message)"
        }
        if let sqlState, isWithoutValues(sqlState) { text += ": \(message)" }
        // RAISE gives these fields any text.
        for (label, value) in [("table", table), ("column", column), ("constraint", constraint)] {
            if let value, !isRaised { text += ", \(label) \(value)" }
        }
        if mayHaveCommitted {
            text +=
                (text.hasSuffix(".") ? "" : ".") + " The changes may have been committed. Check what was "
                + "stored before you repeat them."
        }
        return text
    }

    /// A Boolean value that indicates whether a function of the user raised the error, or another server reported it
    /// through this one.
    private var isRaised: Bool {
        if let source, Self.raising.contains(where: source.contains) { return true }
        // A function in a language that is not known here.
        return context?.split(separator: "PL/").dropFirst().contains { !$0.hasPrefix("pgSQL") } == true
    }

    /// The functions, and the files, of servers that report errors with any SQLSTATE and text.
    private static let raising = [
        "exec_stmt_raise", "dblink.c", "dblink_res_error", "pgfdw_report_error", "PLy_elog", "plpy_elog.c",
        "plperl",
        "pltcl",
    ]

    /// Returns true if the server's message consists of names only.
    ///
    /// Such messages report missing objects, rights, settings, connections and the server's own state. If a
    /// function of the user raises an error, its SQLSTATE and its text can be anything.
    private func isWithoutValues(_ sqlState: String) -> Bool {
        if isRaised { return false }
        switch sqlState.prefix(2) {
        case "08", "25", "28", "53", "55", "57": return true
        case "42" where sqlState == "42501":
            return ["permission denied", "must be ", "new row violates row-level"].contains(
                where: message.hasPrefix)
        // Before a statement runs, no value is known: what is missing or wrong then is in its text.
        case "0A", "3D", "3F", "42": return phase == .prepare || phase == .connect
        default: return false
        }
    }

    /// Every field of the error, with the server's message and DETAIL. It may hold values of rows.
    public var debugDescription: String {
        let fields: [(String, String?)] = [
            ("message", message), ("severity", severity), ("detail", detail), ("hint", hint),
            ("position", position.map(String.init)), ("schema", schema), ("table", table),
            ("column", column), ("data type", dataType), ("constraint", constraint), ("context", context),
            ("internal query", internalQuery), ("internal position", internalPosition.map(String.init)),
            ("source", source), ("statement", statement),
        ]
        return fields.reduce(into: description) { text, field in
            if let value = field.1 { text += "\n  \(field.0): \(value)" }
        }
    }
}

extension PostgresError: LocalizedError {
    /// The same text as ``description``.
    public var errorDescription: String? { description }
}
