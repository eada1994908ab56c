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
                remark = "The model does not keep the precision of \(column.spelling)."
            }
        case "float4": type = .float
        case "float8": type = .double
        case "text", "varchar": type = .string
        case "citext":
            type = .string
            userInfo = [MappingKey.caseInsensitive: MappingKey.yes]
            remark = "The type citext is read as case-insensitive text."
        case "bpchar", "name":
            type = .string
            remark = "The type \(column.spelling) is read as text."
        case "bool": type = .boolean
        case "timestamptz": type = .date
        case "timestamp":
            type = .date
            remark = "The type \(column.spelling) is read as a date and time in UTC."
        case "bytea": type = .binary
        case "uuid": type = .uuid
        case "jsonb":
            type = .transformable
            userInfo = [MappingKey.jsonb: "true"]
        default:
            if let element = Self.element(column.elementType) {
                type = .array(of: element)
                remark = "Only arrays of one dimension without NULLs can be read."
                return
            }
            guard column.labels != nil else { return nil }
            type = .string
            remark = "The enum \(column.spelling) is read as text with the values of the enum."
        }
    }
}
