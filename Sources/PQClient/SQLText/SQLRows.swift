/// Parameters that are arrays, as rows of a FROM clause.
package enum SQLRows {
    /// Returns the rows of the arrays `$1` to `$count`, with a column for each.
    ///
    /// With several arguments, PostgreSQL uses its own `unnest` for any search path. It does not know this
    /// form under a qualified name. With one argument it is an ordinary function. A `public.unnest(bigint[])`
    /// of another role would be the better match.
    package static func unnesting(_ count: Int) -> String {
        guard count > 1 else { return "pg_catalog.unnest($1)" }
        return "unnest(\((1...count).map { "$\($0)" }.joined(separator: ", ")))"
    }
}
