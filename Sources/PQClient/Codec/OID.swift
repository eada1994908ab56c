/// The number that PostgreSQL gives to a data type.
///
/// Source: the catalogue `pg_type`; the numbers of built-in types never change.
public struct OID: RawRepresentable, Hashable, Sendable {
    /// The number.
    public let rawValue: UInt32

    /// Creates the type with a number, known here or not.
    @inlinable
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// `boolean`
    public static let bool = OID(rawValue: 16)
    /// `bytea`
    public static let bytea = OID(rawValue: 17)
    /// `bigint`
    public static let int8 = OID(rawValue: 20)
    /// `smallint`
    public static let int2 = OID(rawValue: 21)
    /// `integer`
    public static let int4 = OID(rawValue: 23)
    /// `text`
    public static let text = OID(rawValue: 25)
    /// `real`
    public static let float4 = OID(rawValue: 700)
    /// `double precision`
    public static let float8 = OID(rawValue: 701)
    /// `timestamp without time zone`
    public static let timestamp = OID(rawValue: 1114)
    /// `timestamp with time zone`
    public static let timestamptz = OID(rawValue: 1184)
    /// `numeric`
    public static let numeric = OID(rawValue: 1700)
    /// `uuid`
    public static let uuid = OID(rawValue: 2950)
    /// `jsonb`
    public static let jsonb = OID(rawValue: 3802)

    /// The type of an array of this type, if this type is one of the above.
    public var array: OID? { Self.arrays[self] }

    /// Returns the type of the elements of an array type, if it is an array of one of the above.
    static func element(of array: OID) -> OID? { arrays.first { $0.value == array }?.key }

    /// The type as part of a sentence: its name in SQL, or its number if it is not one of the above.
    var sqlName: String { Self.names[self].map { "the type \($0)" } ?? "the type with OID \(rawValue)" }

    private static let names: [OID: String] = [
        .bool: "boolean", .bytea: "bytea", .int8: "bigint", .int2: "smallint", .int4: "integer",
        .text: "text", .float4: "real", .float8: "double precision", .timestamp: "timestamp",
        .timestamptz: "timestamptz", .numeric: "numeric", .uuid: "uuid", .jsonb: "jsonb",
    ]

    private static let arrays: [OID: OID] = [
        .bool: OID(rawValue: 1000), .bytea: OID(rawValue: 1001), .int8: OID(rawValue: 1016),
        .int2: OID(rawValue: 1005), .int4: OID(rawValue: 1007), .text: OID(rawValue: 1009),
        .float4: OID(rawValue: 1021), .float8: OID(rawValue: 1022), .timestamptz: OID(rawValue: 1185),
        .timestamp: OID(rawValue: 1115),
        .numeric: OID(rawValue: 1231), .uuid: OID(rawValue: 2951), .jsonb: OID(rawValue: 3807),
    ]
}
