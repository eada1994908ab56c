/// What a format leaves to its arguments.
package enum PredicatePlaceholder: Sendable {
    /// `%@`
    case object
    /// `%K`
    case key
    /// `%d` and its relatives.
    case integer
    /// `%f` and its relatives.
    case float

    /// The placeholders of a format, in its order; quoted ones are text.
    ///
    /// - Throws: `syntax` where the format has characters that mean nothing.
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

/// Stands for an argument that is not there yet: it becomes a `$variable`.
package struct OpenPredicateArgument: Sendable {
    let name: String

    /// The argument of that number, from 1.
    package init(_ number: Int) { name = "argument\(number)" }
}
