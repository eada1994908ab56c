extension PredicateTree: Codable {
    /// Decodes the tree from the format string that ``encode(to:)`` wrote.
    ///
    /// - Throws: `DecodingError` if the string is not a format, with the ``PredicateTreeError`` as its
    ///   underlying error.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let format = try container.decode(String.self)
        do throws(PredicateTreeError) {
            try self.init(format: format)
        } catch {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: error.message, underlyingError: error)
            )
        }
    }

    /// Encodes the tree as its ``description``: readable, of any depth, and checked by the parser when
    /// decoded.
    ///
    /// - Throws: The tree's own ``PredicateTreeError`` if its format was wrong.
    public func encode(to encoder: any Encoder) throws {
        if let error { throw error }
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
