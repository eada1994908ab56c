/// A format and where it comes from.
struct FormatLine {
    /// The line of the file, from 1; nil for a format of the command line.
    let number: Int?
    let format: String
    /// The entity that the file names for it.
    var entity: String?
}

extension FormatLine {
    /// The formats of a file: one on each line, or of a table with tabs those of the column `format`.
    ///
    /// Empty lines are none. A cell in quotes is one of a spreadsheet: the quotes go, and doubled ones are single.
    static func all(in text: String, isTable: Bool) throws(CommandError) -> [FormatLine] {
        var lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map(String.init)
            .enumerated().map { (number: $0 + 1, text: $1) }
        guard isTable else {
            return lines.filter { !$0.text.allSatisfy(\.isWhitespace) }
                .map { FormatLine(number: $0.number, format: $0.text) }
        }
        if text.allSatisfy(\.isWhitespace) { return [] }
        let header = lines.removeFirst().text.split(separator: "\t", omittingEmptySubsequences: false)
            .map { unquoted($0).lowercased() }
        guard let column = header.firstIndex(of: "format") else {
            throw CommandError(
                "The first line of the table has no column 'format', only \(header.joined(separator: ", ")). Add that column."
            )
        }
        let entity = header.firstIndex(of: "entity")
        return lines.filter { !$0.text.allSatisfy(\.isWhitespace) }.map { number, text in
            let cells = text.split(separator: "\t", omittingEmptySubsequences: false).map(unquoted)
            let name = entity.flatMap { cells.indices.contains($0) ? cells[$0] : nil }
            return FormatLine(
                number: number, format: cells.indices.contains(column) ? cells[column] : "",
                entity: name?.isEmpty == true ? nil : name)
        }
    }

    private static func unquoted(_ cell: Substring) -> String {
        guard cell.count > 1, cell.hasPrefix("\""), cell.hasSuffix("\"") else { return String(cell) }
        return String(cell.dropFirst().dropLast()).replacing("\"\"", with: "\"")
    }
}
