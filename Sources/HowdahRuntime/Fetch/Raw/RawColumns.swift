import HowdahModel
import PQClient

/// Checks that the columns of your own statement have the types with which its rows are read.
struct RawColumns {
    private let columns: [QueryResult.Column]
    private var next = 0
    private var required: [Int] = []
    /// The types `json` and `jsonb`.
    private static let json: Set<UInt32> = [114, 3802]

    init(_ columns: [QueryResult.Column]) { self.columns = columns }

    /// The positions of the columns for a row reader.
    var positions: [Int32] { (0..<Int32(max(1, columns.count))).map { $0 } }

    /// Checks the type of the next column.
    mutating func expect<Value: AttributeValue>(_ type: Value.Type) throws {
        guard let column = Value._attributeType.scalarColumn, column != .jsonb, Value._columnCount == 1 else {
            throw FetchError(
                .invalidRequest,
                "\(Value.self) cannot be read from one column of plain values. Read each element as "
                    + "its own column, or JSON as a String.")
        }
        guard next < columns.count else { throw wrongCount }
        let found = columns[next]
        // What reads an Int64 reads narrower ones; what reads a text reads the server's other kinds of it.
        let isRead =
            switch column {
            case .int8: [OID.int2, .int4, .int8].contains(found.type)
            case .text: [25, 1043, 1042, 19].contains(found.type.rawValue)
            default: found.type == column.oid
            }
        // No cast leads from JSON to its bytes.
        if column == .bytea, Self.json.contains(found.type.rawValue) {
            throw FetchError(
                .invalidRequest,
                "The column \(found.name) is JSON and cannot be read as \(Value.self). Write "
                    + "convert_to(\(found.name)::text, 'UTF8') in the statement, or read \(found.name)::text as "
                    + "String.")
        }
        guard isRead else {
            throw FetchError(
                .invalidRequest,
                "The column \(found.name) cannot be read as \(Value.self). Cast \(found.name) to \(column.sqlName) "
                    + "in the statement, or read the column as its own type.")
        }
        // A type that has nothing for NULL would read it as zero.
        if !Value._zero._isNull { required.append(next) }
        next += 1
    }

    func expectEnd() throws {
        if next != columns.count { throw wrongCount }
    }

    func checkNulls(in row: Row) throws {
        for place in required where row[place].isNull {
            throw FetchError(
                .invalidValue, "The column \(columns[place].name) contains NULL. Read it as an Optional.")
        }
    }

    var unreadable: FetchError {
        let names = columns.map(\.name).joined(separator: ", ")
        return FetchError(
            .invalidValue,
            "A row has a value that the Swift type of its column cannot represent. "
                + "\(columns.count == 1 ? "The column is" : "It is in one of the columns") \(names). Read the "
                + "column as another type, or exclude such rows."
        )
    }

    private var wrongCount: FetchError {
        FetchError(
            .invalidRequest, "The statement returns \(columns.count) columns. Name a type for each of them.")
    }
}
