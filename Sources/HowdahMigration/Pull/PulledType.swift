internal import HowdahModel
internal import HowdahSchema

/// The attribute type that a column's type is, or is near to.
struct PulledType {
    let type: AttributeType
    var userInfo: [String: String] = [:]
    /// What the attribute is not the same in.
    var remark: String?

    /// The type of an array's elements.
    private static func element(_ name: String?) -> AttributeType? {
        switch name {
        case "int2": .integer16
        case "int4": .integer32
        case "int8": .integer64
        case "numeric": .decimal
        case "float4": .float
        case "float8": .double
        case "text": .string
        case "bool": .boolean
        case "timestamptz": .date
        case "bytea": .binary
        case "uuid": .uuid
        default: nil
        }
    }

    init?(_ column: DatabaseSchema.Column) {
        switch column.type {
        case "int2": type = .integer16
        case "int4": type = .integer32
        case "int8": type = .integer64
        case "numeric":
            type = .decimal
            if column.spelling != "numeric" {
                remark =
                    "The model has no precision for decimals, but the server rounds values to \(column.spelling). Round the values "
                    + "before you save them."
            }
        case "float4": type = .float
        case "float8": type = .double
        case "text", "varchar": type = .string
        case "citext":
            type = .string
            userInfo = [MappingKey.caseInsensitive: MappingKey.yes]
            remark = "The type citext becomes a String that is compared without regard to case."
        case "bpchar", "name":
            type = .string
            remark = "The type \(column.spelling) becomes a String."
        case "bool": type = .boolean
        case "timestamptz": type = .date
        case "timestamp":
            type = .date
            remark =
                "The type \(column.spelling) has no time zone. Its values are read and written as dates in UTC."
        case "bytea": type = .binary
        case "uuid": type = .uuid
        case "jsonb":
            type = .transformable
            userInfo = [MappingKey.jsonb: "true"]
        default:
            if let element = Self.element(column.elementType) {
                type = .array(of: element)
                remark =
                    "A fetch fails at arrays of several dimensions or with NULLs. Correct such rows in SQL."
                return
            }
            guard column.labels != nil else { return nil }
            type = .string
            remark =
                "The enum \(column.spelling) becomes a String. The values of the enum become its allowed values."
        }
    }
}
