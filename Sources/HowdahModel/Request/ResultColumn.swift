/// A value in each row of a fetch of dictionaries: a property, or an aggregate of one over a group.
///
/// A string literal is the property of that name.
///
/// Source: Core Data's `NSExpressionDescription`.
public struct ResultColumn<Object>: Hashable, Sendable, ExpressibleByStringLiteral {
    /// The function over all values of a group; nil values are left out.
    package enum Aggregate: String, Hashable, Sendable {
        case count, sum, avg, min, max
    }

    /// The key in the dictionaries.
    public let name: String
    /// Names joined by dots; empty for the rows themselves.
    package let keyPath: String
    package let aggregate: Aggregate?
    /// The reason why the column cannot be used, which the fetch throws; nil if it can.
    package let complaint: String?

    package init(_ keyPath: String, as name: String, _ aggregate: Aggregate? = nil, complaint: String? = nil)
    {
        self.keyPath = keyPath
        self.name = name
        self.aggregate = aggregate
        self.complaint = complaint
    }

    /// Creates a column of the property of that name, or at the end of a key path over to-one relationships
    /// and composites.
    public init(stringLiteral keyPath: String) { self.init(keyPath, as: keyPath) }

    /// The key path of ``objectID``.
    package static var objectIDKey: String { "objectID" }

    /// The ids of the objects themselves, with the key "objectID".
    public static var objectID: ResultColumn { ResultColumn(objectIDKey, as: objectIDKey) }

    /// Returns a column of a property, or of the end of a key path over to-one relationships and composites.
    public static func property(_ keyPath: String, as name: String? = nil) -> ResultColumn {
        ResultColumn(keyPath, as: name ?? keyPath)
    }

    /// Returns a column of the number of rows of a group, as `Int64`.
    public static func count(as name: String = "count") -> ResultColumn { ResultColumn("", as: name, .count) }

    /// Returns a column of the number of values of a property in a group, as `Int64`.
    public static func count(_ keyPath: String, as name: String) -> ResultColumn {
        ResultColumn(keyPath, as: name, .count)
    }

    /// Returns a column of the sum of a number: `Int64` of integers, `Decimal` of decimals, otherwise
    /// `Double`.
    ///
    /// If `Int64` is too small for a sum of integers, it is a `Decimal`.
    public static func sum(_ keyPath: String, as name: String) -> ResultColumn {
        ResultColumn(keyPath, as: name, .sum)
    }

    /// Returns a column of the mean of a number: `Decimal` of integers and decimals, otherwise `Double`.
    public static func average(_ keyPath: String, as name: String) -> ResultColumn {
        ResultColumn(keyPath, as: name, .avg)
    }

    /// Returns a column of the smallest number, string or date.
    public static func minimum(_ keyPath: String, as name: String) -> ResultColumn {
        ResultColumn(keyPath, as: name, .min)
    }

    /// Returns a column of the greatest number, string or date.
    public static func maximum(_ keyPath: String, as name: String) -> ResultColumn {
        ResultColumn(keyPath, as: name, .max)
    }
}
