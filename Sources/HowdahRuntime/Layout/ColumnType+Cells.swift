import Foundation
package import HowdahModel
package import PQClient

extension StoreSchema.ColumnType {
    /// The type's OID in PostgreSQL's catalogue.
    var oid: OID {
        switch self {
        case .int2: .int2
        case .int4: .int4
        case .int8: .int8
        case .numeric: .numeric
        case .float8: .float8
        case .float4: .float4
        case .text: .text
        case .boolean: .bool
        case .timestamptz: .timestamptz
        case .bytea: .bytea
        case .uuid: .uuid
        case .jsonb: .jsonb
        case .array(let element): element.oid.array ?? element.oid
        }
    }

    /// The type's name in SQL, for casts.
    package var sqlName: String {
        switch self {
        case .int2: "int2"
        case .int4: "int4"
        case .int8: "int8"
        case .numeric: "numeric"
        case .float8: "float8"
        case .float4: "float4"
        case .text: "text"
        case .boolean: "bool"
        case .timestamptz: "timestamptz"
        case .bytea: "bytea"
        case .uuid: "uuid"
        case .jsonb: "jsonb"
        case .array(let element): element.sqlName + "[]"
        }
    }
}

extension CellWriter {
    /// Writes one scalar value as a cell of a column of `type`.
    ///
    /// - Throws: `PostgresError.invalidValue` for text with NUL and dates out of range, and for a value that the
    ///   column's type cannot hold.
    package mutating func write(_ value: Value, as type: StoreSchema.ColumnType) throws {
        switch (value, type) {
        case (.null, _): null()
        case (.bool(let flag), .boolean): bool(flag)
        case (.int(let number), .int8): int64(number)
        case (.int(let number), .int4):
            if let exact = Int32(exactly: number) { int32(exact) } else { throw misfit(value, type) }
        case (.int(let number), .int2):
            if let exact = Int16(exactly: number) { int16(exact) } else { throw misfit(value, type) }
        case (.int(let number), .numeric): try decimal(Decimal(number))
        case (.int(let number), .float8): double(Double(number))
        case (.double(let number), .float8): double(number)
        case (.double(let number), .numeric):
            // The shortest decimal text of a double is the number its reader wrote.
            guard let exact = Decimal(string: "\(number)", locale: nil) else { throw misfit(value, type) }
            try decimal(exact)
        case (.float(let number), .float4): float(number)
        case (.float(let number), .float8): double(Double(number))
        case (.decimal(let number), .numeric): try decimal(number)
        case (.string(let text), .text): try string(text)
        case (.uri(let url), .text): try string(url.absoluteString)
        case (.date(let moment), .timestamptz):
            // The server would keep it as infinity, which no Date read back stands for.
            guard moment.timeIntervalSinceReferenceDate.isFinite else { throw misfit(value, type) }
            try date(moment)
        case (.data(let bytes), .bytea), (.data(let bytes), .jsonb): jsonOrData(bytes, type)
        case (.uuid(let identifier), .uuid): uuid(identifier)
        case (.array(let values), .array(let element)):
            try array(of: element.oid, count: values.count) { cells in
                for value in values { try cells.write(value, as: element) }
            }
        case (.reference(let reference), .int8): int64(reference.key)
        case (.reference(let reference), .int4), (.reference(let reference), .int2):
            try write(.int(reference.key), as: type)
        default: throw misfit(value, type)
        }
    }

    /// Writes the operand of a predicate as ``write(_:as:)`` does, but accepts infinite dates.
    mutating func writeOperand(_ value: Value, as type: StoreSchema.ColumnType) throws {
        if case .date(let moment) = value, type == .timestamptz {
            try date(moment)
        } else {
            try write(value, as: type)
        }
    }

    private mutating func jsonOrData(_ bytes: Data, _ type: StoreSchema.ColumnType) {
        guard type == .jsonb else { return data(bytes) }
        // The binary form of jsonb is its text behind a version byte.
        data(Data([1]) + bytes)
    }

    private func misfit(_ value: Value, _ type: StoreSchema.ColumnType) -> FetchError {
        FetchError(
            .invalidValue,
            "\(value.kindName.article == "a" ? "A" : "An") \(value.kindName) does not fit a column of type "
                + "\(type.sqlName). Give another value."
        )
    }
}

extension Value {
    /// The kind of value for messages; never the value itself.
    var kindName: String {
        switch self {
        case .null: "nil"
        case .bool: "Boolean"
        case .int: "integer"
        case .double: "Double"
        case .float: "Float"
        case .decimal: "Decimal"
        case .string: "String"
        case .date: "Date"
        case .data: "Data"
        case .uuid: "UUID"
        case .uri: "URL"
        case .composite: "composite"
        case .array: "array"
        case .reference: "object"
        }
    }
}
