public import HowdahModel

/// Comparisons of strings, exactly or without regard to case and diacritics.
extension KeyPathExpression where Value == String {
    /// Whether both are equal; `==[cd]`.
    public func isEqual(to text: String?, options: PredicateTree.Options) -> PredicateTree {
        compared(.equal, text, options)
    }

    /// Whether they differ; `!=[cd]`.
    public func isNotEqual(to text: String?, options: PredicateTree.Options) -> PredicateTree {
        compared(.notEqual, text, options)
    }

    /// Whether this comes before; `<[cd]`.
    public func isLess(than text: String, options: PredicateTree.Options) -> PredicateTree {
        compared(.lessThan, text, options)
    }

    /// Whether this comes after; `>[cd]`.
    public func isGreater(than text: String, options: PredicateTree.Options) -> PredicateTree {
        compared(.greaterThan, text, options)
    }

    /// Whether this is one of these; `IN[cd]`.
    public func isIn(_ texts: some Sequence<String>, options: PredicateTree.Options) -> PredicateTree {
        compared(.in, values: Array(texts), options)
    }

    /// Whether this lies between two others, or is one of them; `BETWEEN[cd]`.
    public func isBetween(
        _ lowest: String, and highest: String, options: PredicateTree.Options
    ) -> PredicateTree { compared(.between, values: [lowest, highest], options) }

    /// Whether this has a part; `CONTAINS[cd]`.
    public func contains(_ part: String, options: PredicateTree.Options = []) -> PredicateTree {
        compared(.contains, part, options)
    }

    /// Whether this begins so; `BEGINSWITH[cd]`.
    public func beginsWith(_ beginning: String, options: PredicateTree.Options = []) -> PredicateTree {
        compared(.beginsWith, beginning, options)
    }

    /// Whether this ends so; `ENDSWITH[cd]`.
    public func endsWith(_ end: String, options: PredicateTree.Options = []) -> PredicateTree {
        compared(.endsWith, end, options)
    }

    /// Whether the whole of this fits a pattern, in which `*` is any text, `?` one letter and `\` takes the next as it is;
    /// `LIKE[cd]`.
    public func like(_ pattern: String, options: PredicateTree.Options = []) -> PredicateTree {
        compared(.like, pattern, options)
    }

    /// Whether a regular expression fits the whole of this; `MATCHES[cd]`. The fetch refuses what ICU and PostgreSQL read
    /// differently.
    public func matches(_ expression: String, options: PredicateTree.Options = []) -> PredicateTree {
        compared(.matches, expression, options)
    }
}
