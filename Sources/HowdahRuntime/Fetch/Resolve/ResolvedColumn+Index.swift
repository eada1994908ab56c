import HowdahModel

/// Indexes that hold only the beginning of long values, or digests of them: a condition on the whole value cannot use
/// them, so the same condition on what they hold is put beside it.
extension ResolvedColumn {
    /// `condition`, which compares the column with `parameter`, together with what it implies for the indexes.
    func narrowed(_ condition: String, _ op: PredicateTree.Operator, _ parameter: String) -> String {
        var parts: [String] = []
        if let indexPrefix {
            let prefix = { Self.prefix(of: $0, type, indexPrefix) }
            let (held, wanted) = (prefix(sql), prefix(parameter))
            switch op {
            case .equal, .notEqual: parts.append("\(held) = \(wanted)")
            case .lessThan, .lessThanOrEqual: parts.append("\(held) <= \(wanted)")
            case .greaterThan, .greaterThanOrEqual: parts.append("\(held) >= \(wanted)")
            case .in: parts.append("\(held) = ANY(\(Self.mapped(parameter, prefix)))")
            case .beginsWith:
                // Nothing of that length sorts after the last scalar of all, repeated.
                parts.append("\(held) >= \(wanted)")
                parts.append(
                    "\(held) <= \(wanted) || pg_catalog.repeat(pg_catalog.chr(1114111), \(indexPrefix))")
            default: break
            }
        }
        if hasDigestIndex {
            let digest = { type.digest(of: $0) }
            switch op {
            case .equal, .notEqual: parts.append("\(digest(sql)) = \(digest(parameter))")
            case .in: parts.append("\(digest(sql)) = ANY(\(Self.mapped(parameter, digest)))")
            default: break
            }
        }
        return parts.isEmpty ? condition : "(\((parts + [condition]).joined(separator: " AND ")))"
    }

    /// That there is no value, together with what it implies for the indexes.
    var isNull: String {
        var parts: [String] = []
        if let indexPrefix { parts.append("\(Self.prefix(of: sql, type, indexPrefix)) IS NULL") }
        if hasDigestIndex { parts.append("\(type.digest(of: sql)) IS NULL") }
        let condition = "\(sql) IS NULL"
        return parts.isEmpty ? condition : "(\((parts + [condition]).joined(separator: " AND ")))"
    }

    /// What is sorted by, with what a value goes through to be compared with it: what the index holds, then the rest.
    var sortKeys: [(sql: String, alike: @Sendable (String) -> String)] {
        let whole: (String, @Sendable (String) -> String) = (ordered.sql, { $0 })
        guard let indexPrefix else { return [whole] }
        let type = type
        return [
            (Self.prefix(of: sql, type, indexPrefix), { Self.prefix(of: $0, type, indexPrefix) }), whole,
        ]
    }

    private static func prefix(of sql: String, _ type: StoreSchema.ColumnType, _ length: Int) -> String {
        type == .bytea ? "pg_catalog.substring(\(sql), 1, \(length))" : "pg_catalog.left(\(sql), \(length))"
    }

    private static func mapped(_ array: String, _ transform: (String) -> String) -> String {
        "ARRAY(SELECT \(transform("v")) FROM pg_catalog.unnest(\(array)) v)"
    }
}
