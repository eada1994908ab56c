/// Parameters that are arrays, as rows of a FROM clause.
package enum SQLRows {
    /// The rows of the arrays `$1` to `$count`, a column for each.
    ///
    /// PostgreSQL takes its own function for `unnest` with several arguments, whatever the search path has, and does not know
    /// this form under a qualified name. With one argument it is a function as any other: `public.unnest(bigint[])`
    /// of somebody else's would be the better match.
    package static func unnesting(_ count: Int) -> String {
        guard count > 1 else { return "pg_catalog.unnest($1)" }
        return "unnest(\((1...count).map { "$\($0)" }.joined(separator: ", ")))"
    }
}
