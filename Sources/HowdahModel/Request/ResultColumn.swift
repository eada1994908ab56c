/// One value in each row of a fetch of dictionaries: a property, or what an aggregate makes of one over a group.
///
/// A string literal is the property of that name. Source: Core Data's `NSExpressionDescription`.
public struct ResultColumn<Object>: Hashable, Sendable, ExpressibleByStringLiteral {
    /// What is made of all values of a group; nil values are left out.
    package enum Aggregate: String, Hashable, Sendable {
        case count, sum, avg, min, max
    }

    /// The key in the dictionaries.
    public let name: String
    /// Names joined by dots; empty for the rows themselves.
    package let keyPath: String
    package let aggregate: Aggregate?
    /// Why the column cannot be used; the fetch that uses it throws it.
    package let complaint: String?

    package init(_ keyPath: String, as name: String, _ aggregate: Aggregate? = nil, complaint: String? = nil)
    {
        self.keyPath = keyPath
        self.name = name
        self.aggregate = aggregate
        self.complaint = complaint
    }

    /// The property of that name, or at the end of a key path over to-one relationships and composites.
    public init(stringLiteral keyPath: String) { self.init(keyPath, as: keyPath) }

    /// The key path of ``objectID``.
    package static var objectIDKey: String { "objectID" }

    /// The ids of the objects themselves, under "objectID".
    public static var objectID: ResultColumn { ResultColumn(objectIDKey, as: objectIDKey) }

    /// A property, or what lies at the end of a key path over to-one relationships and composites.
    public static func property(_ keyPath: String, as name: String? = nil) -> ResultColumn {
        ResultColumn(keyPath, as: name ?? keyPath)
    }

    /// How many rows a group has, as `Int64`.
    public static func count(as name: String = "count") -> ResultColumn { ResultColumn("", as: name, .count) }

    /// How many values of a property a group has, as `Int64`.
    public static func count(_ keyPath: String, as name: String) -> ResultColumn {
        ResultColumn(keyPath, as: name, .count)
    }

    /// The sum of a number: `Int64` of integers (`Decimal` where that is too small), `Decimal` of decimals, else `Double`.
    public static func sum(_ keyPath: String, as name: String) -> ResultColumn {
        ResultColumn(keyPath, as: name, .sum)
    }

    /// The mean of a number: `Decimal` of integers and decimals, else `Double`.
    public static func average(_ keyPath: String, as name: String) -> ResultColumn {
        ResultColumn(keyPath, as: name, .avg)
    }

    /// The smallest number, string or date.
    public static func minimum(_ keyPath: String, as name: String) -> ResultColumn {
        ResultColumn(keyPath, as: name, .min)
    }

    /// The greatest number, string or date.
    public static func maximum(_ keyPath: String, as name: String) -> ResultColumn {
        ResultColumn(keyPath, as: name, .max)
    }
}
