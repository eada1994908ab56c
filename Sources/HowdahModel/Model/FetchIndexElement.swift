/// A member of a fetch index: a property, or an expression over the entity's columns.
///
/// Source: Core Data's `NSFetchIndexElementDescription`.
public struct FetchIndexElement: Hashable, Sendable {
    /// The indexed property or expression.
    package enum Subject: Hashable, Sendable {
        case property(String)
        case expression(String)
        case folded(String, PredicateTree.Options)
        case localized(String, locale: String)
    }

    package let subject: Subject
    /// A Boolean value that indicates whether small values are first; only B-trees have an order.
    public let isAscending: Bool

    /// Creates an element for an attribute, a to-one relationship, or an element of a composite by its dotted
    /// path.
    public init(_ keyPath: String, ascending isAscending: Bool = true) {
        subject = .property(keyPath)
        self.isAscending = isAscending
    }

    private init(subject: Subject, isAscending: Bool) {
        self.subject = subject
        self.isAscending = isAscending
    }

    /// Returns an element for an SQL expression over the columns of the entity's table, in PostgreSQL's
    /// spelling.
    ///
    /// It becomes a part of the DDL unchanged: never take it from outside your own model.
    public static func expression(_ sql: String, ascending isAscending: Bool = true) -> Self {
        Self(subject: .expression(sql), isAscending: isAscending)
    }
}

extension FetchIndexElement {
    /// Returns an element for a String or URI as comparisons with `[cd]` treat it or, with `options`, with
    /// `[c]` or `[d]`.
    ///
    /// It serves `==[cd]`, `IN[cd]`, ranges and `BEGINSWITH[cd]`.
    public static func folded(
        _ keyPath: String,
        options: PredicateTree.Options = [.caseInsensitive, .diacriticInsensitive],
        ascending isAscending: Bool = true
    ) -> Self {
        Self(subject: .folded(keyPath, options.folding), isAscending: isAscending)
    }

    /// Returns an element for a String or URI in the order of a locale, for sort keys with
    /// ``SortKey/inLocale(_:)``.
    ///
    /// The attribute needs a maximum length of at most 600.
    public static func localized(
        _ keyPath: String, locale: String, ascending isAscending: Bool = true
    ) -> Self {
        Self(subject: .localized(keyPath, locale: locale), isAscending: isAscending)
    }

    /// The property that the element indexes, folded or not; nil if the element is an SQL expression.
    ///
    /// Source: Core Data's `propertyName`.
    public var keyPath: String? {
        switch subject {
        case .property(let keyPath), .folded(let keyPath, _), .localized(let keyPath, _): keyPath
        case .expression: nil
        }
    }
}

/// Default values are left out.
extension FetchIndexElement: Codable {
    private enum CodingKeys: String, CodingKey {
        case property, expression, folding, locale, isAscending
    }

    /// Encodes the subject under the key of its kind.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch subject {
        case .property(let keyPath): try container.encode(keyPath, forKey: .property)
        case .expression(let sql): try container.encode(sql, forKey: .expression)
        case .folded(let keyPath, let options):
            try container.encode(keyPath, forKey: .property)
            try container.encode(options.letters, forKey: .folding)
        case .localized(let keyPath, let locale):
            try container.encode(keyPath, forKey: .property)
            try container.encode(locale, forKey: .locale)
        }
        try container.encode(isAscending, forKey: .isAscending, unless: true)
    }

    /// Decodes the output of ``encode(to:)``.
    ///
    /// - Throws: `DecodingError` for a folding other than c, d and cd.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        isAscending = try container.decode(.isAscending, default: true)
        if let sql = try container.decodeIfPresent(String.self, forKey: .expression) {
            subject = .expression(sql)
        } else if let letters = try container.decodeIfPresent(String.self, forKey: .folding) {
            guard let options = PredicateTree.Options(letters: letters) else {
                throw DecodingError.dataCorruptedError(
                    forKey: .folding, in: container,
                    debugDescription: "\"\(letters)\" is not a folding. Use c, d or cd.")
            }
            subject = .folded(try container.decode(String.self, forKey: .property), options)
        } else if let locale = try container.decodeIfPresent(String.self, forKey: .locale) {
            subject = .localized(try container.decode(String.self, forKey: .property), locale: locale)
        } else {
            subject = .property(try container.decode(String.self, forKey: .property))
        }
    }
}
