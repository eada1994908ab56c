public import HowdahModel

/// Comparisons of strings: exact ones, and ones that ignore case and diacritics.
extension KeyPathExpression where Value == String {
    /// Returns a condition that both are equal; `==[cd]`.
    public func isEqual(to text: String?, options: PredicateTree.Options) -> PredicateTree {
        compared(.equal, text, options)
    }

    /// Returns a condition that they differ; `!=[cd]`.
    public func isNotEqual(to text: String?, options: PredicateTree.Options) -> PredicateTree {
        compared(.notEqual, text, options)
    }

    /// Returns a condition that this is before; `<[cd]`.
    public func isLess(than text: String, options: PredicateTree.Options) -> PredicateTree {
        compared(.lessThan, text, options)
    }

    /// Returns a condition that this is after; `>[cd]`.
    public func isGreater(than text: String, options: PredicateTree.Options) -> PredicateTree {
        compared(.greaterThan, text, options)
    }

    /// Returns a condition that this is one of these; `IN[cd]`.
    public func isIn(_ texts: some Sequence<String>, options: PredicateTree.Options) -> PredicateTree {
        compared(.in, values: Array(texts), options)
    }

    /// Returns a condition that this is between two others, or is one of them; `BETWEEN[cd]`.
    public func isBetween(
        _ lowest: String, and highest: String, options: PredicateTree.Options
    ) -> PredicateTree { compared(.between, values: [lowest, highest], options) }

    /// Returns a condition that this contains a part; `CONTAINS[cd]`.
    public func contains(_ part: String, options: PredicateTree.Options = []) -> PredicateTree {
        compared(.contains, part, options)
    }

    /// Returns a condition that this begins with a text; `BEGINSWITH[cd]`.
    public func beginsWith(_ beginning: String, options: PredicateTree.Options = []) -> PredicateTree {
        compared(.beginsWith, beginning, options)
    }

    /// Returns a condition that this ends with a text; `ENDSWITH[cd]`.
    public func endsWith(_ end: String, options: PredicateTree.Options = []) -> PredicateTree {
        compared(.endsWith, end, options)
    }

    /// Returns a condition that the whole string matches a pattern; `LIKE[cd]`.
    ///
    /// In the pattern `*` is any text, `?` one letter, and `\` takes the next character itself.
    public func like(_ pattern: String, options: PredicateTree.Options = []) -> PredicateTree {
        compared(.like, pattern, options)
    }

    /// Returns a condition that the whole string matches a regular expression; `MATCHES[cd]`.
    ///
    /// If ICU and PostgreSQL read a construct differently, the fetch refuses it.
    public func matches(_ expression: String, options: PredicateTree.Options = []) -> PredicateTree {
        compared(.matches, expression, options)
    }
}
