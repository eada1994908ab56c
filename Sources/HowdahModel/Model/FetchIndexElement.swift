/// One member of a fetch index: a property, or an expression over the entity's columns.
///
/// Source: Core Data's `NSFetchIndexElementDescription`.
public struct FetchIndexElement: Hashable, Sendable {
    /// What is indexed.
    package enum Subject: Hashable, Sendable {
        case property(String)
        case expression(String)
    }

    package let subject: Subject
    /// Whether small values come first; only B-trees have an order.
    public let isAscending: Bool

    /// An attribute, a to-one relationship, or an element of a composite by its dotted path.
    public init(_ keyPath: String, ascending isAscending: Bool = true) {
        subject = .property(keyPath)
        self.isAscending = isAscending
    }

    private init(subject: Subject, isAscending: Bool) {
        self.subject = subject
        self.isAscending = isAscending
    }

    /// An SQL expression over the columns of the entity's table, in the spelling of PostgreSQL.
    ///
    /// It becomes part of the DDL as it is: take it from nowhere but your own model.
    public static func expression(_ sql: String, ascending isAscending: Bool = true) -> Self {
        Self(subject: .expression(sql), isAscending: isAscending)
    }
}

/// What has its default value is left out.
extension FetchIndexElement: Codable {
    private enum CodingKeys: String, CodingKey { case property, expression, isAscending }

    /// Writes the subject under the key of its kind.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch subject {
        case .property(let keyPath): try container.encode(keyPath, forKey: .property)
        case .expression(let sql): try container.encode(sql, forKey: .expression)
        }
        try container.encode(isAscending, forKey: .isAscending, unless: true)
    }

    /// Reads what ``encode(to:)`` wrote.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        isAscending = try container.decode(.isAscending, default: true)
        if let sql = try container.decodeIfPresent(String.self, forKey: .expression) {
            subject = .expression(sql)
        } else {
            subject = .property(try container.decode(String.self, forKey: .property))
        }
    }
}
