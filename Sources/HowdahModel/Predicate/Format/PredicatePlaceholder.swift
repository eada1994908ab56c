/// A placeholder for an argument of a format.
package enum PredicatePlaceholder: Sendable {
    /// `%@`
    case object
    /// `%K`
    case key
    /// `%d` and its relatives.
    case integer
    /// `%f` and its relatives.
    case float

    /// Returns the placeholders of a format, in its order; quoted ones are text.
    ///
    /// - Throws: `syntax` if the format has characters without a meaning.
    package static func all(in format: String) throws(PredicateTreeError) -> [PredicatePlaceholder] {
        var lexer = PredicateLexer(format: format)
        var found: [PredicatePlaceholder] = []
        while true {
            switch try lexer.next().kind {
            case .objectPlaceholder: found.append(.object)
            case .keyPlaceholder: found.append(.key)
            case .integerPlaceholder: found.append(.integer)
            case .floatPlaceholder: found.append(.float)
            case .end: return found
            default: continue
            }
        }
    }
}

/// A substitute for a later argument: it becomes a `$variable`.
package struct OpenPredicateArgument: Sendable {
    let name: String

    /// Creates the substitute for the argument with a number, from 1.
    package init(_ number: Int) { name = "argument\(number)" }
}
