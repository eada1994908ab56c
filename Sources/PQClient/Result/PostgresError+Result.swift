internal import CLibPQ

extension PostgresError {
    static func field(_ field: howdah_error_field, of result: OpaquePointer) -> String? {
        howdah_error_field(result, field).map { String(cString: $0) }
    }

    /// Creates an error of code `server` from all fields of an error result.
    init(result: OpaquePointer, phase: Phase, statement: String) {
        func field(_ code: howdah_error_field) -> String? { Self.field(code, of: result) }
        var message = field(HOWDAH_FIELD_MESSAGE)
        if message == nil {
            // Errors that libpq makes itself have no fields, only a text.
            message = PQresultErrorMessage(result).map { String(cString: $0) }
            while message?.last?.isWhitespace == true { message?.removeLast() }
        }
        self.init(.server, message ?? "no message", phase: phase, statement: statement)
        severity = field(HOWDAH_FIELD_SEVERITY)
        sqlState = field(HOWDAH_FIELD_SQLSTATE)
        detail = field(HOWDAH_FIELD_DETAIL)
        hint = field(HOWDAH_FIELD_HINT)
        position = field(HOWDAH_FIELD_POSITION).flatMap(Int.init)
        schema = field(HOWDAH_FIELD_SCHEMA)
        table = field(HOWDAH_FIELD_TABLE)
        column = field(HOWDAH_FIELD_COLUMN)
        dataType = field(HOWDAH_FIELD_DATATYPE)
        constraint = field(HOWDAH_FIELD_CONSTRAINT)
        context = field(HOWDAH_FIELD_CONTEXT)
        internalQuery = field(HOWDAH_FIELD_INTERNAL_QUERY)
        internalPosition = field(HOWDAH_FIELD_INTERNAL_POSITION).flatMap(Int.init)
        let place = [HOWDAH_FIELD_SOURCE_FILE, HOWDAH_FIELD_SOURCE_LINE, HOWDAH_FIELD_SOURCE_FUNCTION]
            .compactMap(field)
        source = place.isEmpty ? nil : place.joined(separator: ":")
    }
}
