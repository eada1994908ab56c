internal import HowdahModel
internal import PQClient

/// How a column that exists can hold the values of a property.
struct ExistingColumn {
    /// The type whose binary form values are exchanged in.
    let type: StoreSchema.ColumnType
    let form: StoreSchema.Column.Form?

    /// Nil where the column's type is too far from the one that is asked for.
    init?(_ found: DatabaseSchema.Column, as wanted: StoreSchema.ColumnType) {
        switch (wanted, found.type) {
        case (.int8, "int2"): (type, form) = (.int2, nil)
        case (.int8, "int4"): (type, form) = (.int4, nil)
        case (.text, _):
            guard found.isDeterministic, let form = Self.textForm(found) else { return nil }
            (type, self.form) = (.text, found.type == "text" && found.isBytewise ? nil : form)
        case (.timestamptz, "timestamp"):
            (type, form) = (
                wanted, .init(.utc, sent: OID.timestamp.rawValue, received: OID.timestamptz.rawValue)
            )
        case (.array(let element), _):
            guard found.elementType == element.catalogName else { return nil }
            (type, form) = (wanted, nil)
        default:
            guard found.type == wanted.catalogName else { return nil }
            (type, form) = (wanted, nil)
        }
    }

    /// What the column does not hold beyond its type.
    static func limit(_ found: DatabaseSchema.Column) -> StoreSchema.Column.Limit? {
        if let length = found.length { return .characters(length) }
        if let labels = found.labels { return .labels(labels) }
        guard found.type == "numeric", found.spelling.hasPrefix("numeric("), found.spelling.hasSuffix(")")
        else { return nil }
        let numbers = found.spelling.dropFirst("numeric(".count).dropLast().split(separator: ",")
            .compactMap { Int($0) }
        return numbers.count == 2 ? .digits(numbers[0], scale: numbers[1]) : nil
    }

    /// An enum is the only one of these that takes no text: its labels are sent as values of the type itself.
    private static func textForm(_ found: DatabaseSchema.Column) -> StoreSchema.Column.Form? {
        let text = OID.text.rawValue
        switch found.type {
        case "text", "varchar":
            return .init(.plain, sent: text, received: found.typeNumber, isBytewise: found.isBytewise)
        case "bpchar", "name", "citext": return .init(.text, sent: text, received: text, isBytewise: false)
        default:
            guard found.labels != nil else { return nil }
            return .init(.text, sent: found.typeNumber, received: text, isBytewise: false)
        }
    }
}

extension StoreSchema.ColumnType {
    /// The type's name in PostgreSQL's catalog; of an array that of its elements.
    var catalogName: String {
        switch self {
        case .int2: "int2"
        case .int4: "int4"
        case .int8: "int8"
        case .numeric: "numeric"
        case .float4: "float4"
        case .float8: "float8"
        case .text: "text"
        case .boolean: "bool"
        case .timestamptz: "timestamptz"
        case .bytea: "bytea"
        case .uuid: "uuid"
        case .jsonb: "jsonb"
        case .array(let element): element.catalogName
        }
    }

    /// The type as messages call it.
    var spelling: String {
        switch self {
        case .int2: "smallint"
        case .int4: "integer"
        case .int8: "bigint"
        case .float4: "real"
        case .float8: "double precision"
        case .boolean: "boolean"
        case .timestamptz: "timestamp with time zone"
        case .array(let element): element.spelling + "[]"
        default: catalogName
        }
    }
}
