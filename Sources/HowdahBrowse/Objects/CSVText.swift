import PQClient

/// The text of a CSV file, which spreadsheets and PostgreSQL's `COPY` read.
enum CSVText {
    /// Returns a line.
    ///
    /// - Parameter areTexts: For each value, whether its type is one of texts; nil if all are.
    static func line(_ values: [String?], areTexts: [Bool]? = nil) -> String {
        values.enumerated().map { field($1, isText: areTexts?[$0] ?? true) }.joined(separator: ",") + "\r\n"
    }

    /// Returns a field. As in `COPY`, NULL is nothing, and an empty text is a pair of quotation marks.
    ///
    /// A spreadsheet would run a text that begins like a formula, so it gets an apostrophe. A negative amount of money or
    /// an interval begins like one too, but its type has no formulas.
    static func field(_ value: String?, isText: Bool = true) -> String {
        guard var text = value else { return "" }
        if text.isEmpty { return "\"\"" }
        if isText, let first = text.unicodeScalars.first, "=+-@\t\r\n".unicodeScalars.contains(first),
            Double(text) == nil
        {
            text = "'" + text
        }
        // A mark that is followed by a combining character is another character, and the same byte.
        guard text.utf8.contains(where: special.contains) else { return text }
        var bytes = [UInt8(ascii: "\"")]
        for byte in text.utf8 {
            if byte == UInt8(ascii: "\"") { bytes.append(byte) }
            bytes.append(byte)
        }
        return String(decoding: bytes + [UInt8(ascii: "\"")], as: UTF8.self)
    }

    /// Returns a Boolean value that indicates whether a type of the server can have any text, as unknown types can.
    static func isText(_ type: OID) -> Bool { !plain.contains(type.rawValue) }

    /// bool, int8, int2, int4, oid, float4, float8, money, date, time, timestamp, timestamptz, interval, timetz, numeric,
    /// uuid.
    private static let plain: Set<UInt32> = [
        16, 20, 21, 23, 26, 700, 701, 790, 1_082, 1_083, 1_114, 1_184, 1_186, 1_266, 1_700, 2_950,
    ]

    private static let special = Set("\",\r\n".utf8)
}
