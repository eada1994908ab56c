import PQClient

extension KeysetCondition {
    /// The conditions for the rows after the position, each of which is one range of an index, in the order of their
    /// rows.
    ///
    /// NULL makes two of them: with OR between them, the server reads the index from its beginning to the position.
    var ranges: [String] {
        guard let first = terms.first, first.isNullable else { return [sql] }
        let hasValue = values[first.source] != nil
        if first.isAscending {
            // Rows with NULL come first, and the position is one of them.
            guard !hasValue else { return [sql] }
            let rest = KeysetCondition(terms: Array(terms.dropFirst()), values: values)
            return ["\(first.sql) IS NULL AND \(rest.sql)", "\(first.sql) IS NOT NULL"]
        }
        guard hasValue else { return [sql] }
        let some = OrderTerm(
            sql: first.sql, isAscending: false, isNullable: false, spelling: first.spelling,
            source: first.source, alike: first.alike)
        let values = KeysetCondition(terms: [some] + terms.dropFirst(), values: values)
        return [values.sql, "\(first.sql) IS NULL"]
    }
}

extension RenderedFetch {
    /// Returns the conditions for the rows after a position, as ranges in their order, and adds their parameters.
    mutating func ranges(after cells: [[UInt8]?]) -> [String] {
        let values = zip(sources, cells).map { source, cell -> String? in
            guard let cell else { return nil }
            parameters.append(source.type.oid) { $0.bytes(cell) }
            return "$\(parameters.count)"
        }
        return KeysetCondition(terms: terms, values: values).ranges
    }
}
