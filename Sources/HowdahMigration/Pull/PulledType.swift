internal import HowdahModel

/// The attribute type that a column's type is, or is near to.
struct PulledType {
    let type: AttributeType
    var userInfo: [String: String] = [:]
    /// What the attribute is not the same in.
    var remark: String?

    init?(_ column: DatabaseSchema.Column) {
        switch column.type {
        case "int2": type = .integer16
        case "int4": type = .integer32
        case "int8": type = .integer64
        case "numeric":
            type = .decimal
            if column.spelling != "numeric" { remark = "The precision of \(column.spelling) is not kept." }
        case "float4": type = .float
        case "float8": type = .double
        case "text", "varchar": type = .string
        case "citext":
            type = .string
            userInfo = [MappingKey.caseInsensitive: MappingKey.yes]
            remark = "The type citext is taken for a case-insensitive text."
        case "bpchar", "name", "char":
            type = .string
            remark = "The type \(column.spelling) is taken for text."
        case "bool": type = .boolean
        case "timestamptz": type = .date
        case "timestamp", "date":
            type = .date
            remark = "The type \(column.spelling) is taken for a moment in time."
        case "bytea": type = .binary
        case "uuid": type = .uuid
        case "jsonb":
            type = .transformable
            userInfo = [MappingKey.jsonb: "true"]
        case "json":
            type = .transformable
            userInfo = [MappingKey.jsonb: "true"]
            remark = "The type json is taken for jsonb."
        default:
            guard column.labels != nil else { return nil }
            type = .string
            remark = "The enum \(column.spelling) is taken for text with these values."
        }
    }
}
