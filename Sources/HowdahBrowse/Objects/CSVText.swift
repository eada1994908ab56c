/// The text of a CSV file, which spreadsheets and PostgreSQL's `COPY` read.
enum CSVText {
    /// Returns a line.
    static func line(_ values: [String?]) -> String {
        values.map(field).joined(separator: ",") + "\r\n"
    }

    /// Returns a field. As in `COPY`, NULL is nothing, and an empty text is a pair of quotation marks.
    ///
    /// A spreadsheet would run a text that begins like a formula, so it gets an apostrophe.
    static func field(_ value: String?) -> String {
        guard var text = value else { return "" }
        if text.isEmpty { return "\"\"" }
        if let first = text.unicodeScalars.first, "=+-@\t\r\n".unicodeScalars.contains(first),
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

    private static let special = Set("\",\r\n".utf8)
}
