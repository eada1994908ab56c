public import Foundation

/// An error of a predicate, with its place in the format and the remedy.
public struct PredicateTreeError: Error, Hashable, Sendable {
    /// The kind of failure, for code that reacts to it.
    public let code: Code
    /// The failure and the remedy, for people; may name the offending token, never an argument's value.
    public let message: String
    /// The format string, if there is one.
    public let format: String?
    /// The start of the offending token, as an offset into the UTF-8 of ``format``.
    public let position: Int?
    /// The offending token in the spelling of the format; empty at the format's end.
    public let token: String?
    /// The number of the argument to blame, counted from 1.
    public let argument: Int?
    /// A Boolean value that indicates whether two operands have types that do not compare, such as a string
    /// and a number.
    package let isTypeMismatch: Bool

    package init(
        _ code: Code, _ message: String, format: String? = nil, position: Int? = nil, token: String? = nil,
        argument: Int? = nil, isTypeMismatch: Bool = false
    ) {
        self.code = code
        self.message = message
        self.format = format
        self.position = position
        self.token = token
        self.argument = argument
        self.isTypeMismatch = isTypeMismatch
    }
}

extension PredicateTreeError {
    static func tooDeep(format: String? = nil, position: Int? = nil) -> Self {
        PredicateTreeError(
            .tooLarge,
            "The predicate is nested deeper than \(PredicateTree.Limit.depth) levels. Flatten the "
                + "predicate.",
            format: format, position: position)
    }

    /// Returns the error for a method that is called in place of a function.
    package static func callOutsideMappingModel(_ selector: String) -> Self {
        PredicateTreeError(
            .unsupported,
            "The method \(selector) is available only in the expressions of mapping models. Pass its result "
                + "as an argument."
        )
    }

    static func tooLarge(format: String? = nil, position: Int? = nil) -> Self {
        PredicateTreeError(
            .tooLarge,
            "The predicate has more than \(PredicateTree.Limit.terms) comparisons. Use IN with a collection.",
            format: format, position: position)
    }
}

extension PredicateTreeError: CustomStringConvertible {
    /// The message, and the place in the format counted in characters from 1.
    public var description: String {
        guard let format, let position else { return "predicate: \(message)" }
        let column = String(decoding: format.utf8.prefix(position), as: UTF8.self).count + 1
        let shown = token.map { $0.isEmpty ? ", at the end" : ", at \"\($0)\"" } ?? ""
        return "predicate: \(message) (character \(column)\(shown), of: \(format))"
    }
}

extension PredicateTreeError: LocalizedError {
    /// The same text as ``description``.
    public var errorDescription: String? { description }
}
