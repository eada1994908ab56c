import HowdahModel

/// Conditions for indexes with only the beginning of long values, or digests of them.
///
/// A condition on the whole value cannot use them, so a condition on their content is added.
extension ResolvedColumn {
    /// Returns `condition`, which compares the column with `parameter`, with its consequence for the indexes.
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

    /// The condition that the value is NULL. It includes the consequence for the indexes.
    var isNull: String {
        var parts: [String] = []
        if let indexPrefix { parts.append("\(Self.prefix(of: sql, type, indexPrefix)) IS NULL") }
        if hasDigestIndex { parts.append("\(type.digest(of: sql)) IS NULL") }
        let condition = "\(sql) IS NULL"
        return parts.isEmpty ? condition : "(\((parts + [condition]).joined(separator: " AND ")))"
    }

    /// The sort expressions, each with the conversion of compared values. The index's content is first.
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
