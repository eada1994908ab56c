/// The condition for the rows after a position in an order. An index of that order can start at it.
struct KeysetCondition {
    let terms: [OrderTerm]
    /// The parameter of each source; nil if the position has NULL.
    let values: [String?]

    var sql: String {
        let parameters = terms.map { term in values[term.source].map(term.alike) }
        if terms.allSatisfy(\.isAscending), parameters.allSatisfy({ $0 != nil }) {
            // NULL comes first, so that a row with NULL, for which this is not true, is not behind.
            let (ours, theirs) = (terms.map(\.sql), parameters.compactMap(\.self))
            return "(\(ours.joined(separator: ", "))) > (\(theirs.joined(separator: ", ")))"
        }
        return after(terms[...], parameters[...]) ?? SQLConstant.nothing
    }

    private enum SQLConstant { static let nothing = "FALSE" }

    /// Returns the condition for rows after the position; nil if no row can be.
    private func after(_ terms: ArraySlice<OrderTerm>, _ parameters: ArraySlice<String?>) -> String? {
        guard let term = terms.first, let parameter = parameters.first else { return nil }
        let rest = after(terms.dropFirst(), parameters.dropFirst())
        guard let parameter else {
            let equal = rest.map { "(\(term.sql) IS NULL AND \($0))" }
            guard term.isAscending else { return equal }
            return equal.map { "(\(term.sql) IS NOT NULL OR \($0))" } ?? "\(term.sql) IS NOT NULL"
        }
        let strict =
            if term.isAscending { "\(term.sql) > \(parameter)" } else if term.isNullable {
                "(\(term.sql) < \(parameter) OR \(term.sql) IS NULL)"
            } else { "\(term.sql) < \(parameter)" }
        guard let rest else { return strict }
        let either = "(\(strict) OR (\(term.sql) = \(parameter) AND \(rest)))"
        if term.isAscending { return "(\(term.sql) >= \(parameter) AND \(either))" }
        return term.isNullable ? either : "(\(term.sql) <= \(parameter) AND \(either))"
    }
}
