import Foundation

/// The tables of `docs/core-data-api.md`, or of a page like it.
struct CoreDataPage {
    /// A method or property of Core Data, in Swift's spelling.
    struct Name: Hashable, CustomStringConvertible {
        let text: String
        let isStatic: Bool

        init(_ code: some StringProtocol) {
            isStatic = code.hasPrefix("static ")
            text = String(isStatic ? code.dropFirst("static ".count) : code[...])
        }

        var description: String { isStatic ? "static \(text)" : text }
    }

    /// The statement in the column *Howdah*.
    enum Answer: Equatable {
        case same, missing, notNeeded
        case others([String])
        case unreadable(String)
    }

    /// A line of a table.
    struct Row {
        let line: Int
        let names: [Name]
        let answer: Answer
        let note: String
    }

    /// The tables of one class of Core Data, and the types that take its place.
    struct Section {
        let line: Int
        let title: String
        let counterparts: [String]
        var rows: [Row] = []
    }

    private(set) var sections: [Section] = []
    /// The lines that are neither text, heading nor a row of three cells.
    private(set) var unreadable: [Int] = []

    /// Reads a page: a heading `### NSClass → Type, Type` or `### NSClass → none` before each table.
    init(_ markdown: String) {
        var isInTable = false
        for (index, text) in markdown.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let line = index + 1
            if text.hasPrefix("### ") {
                let parts = text.dropFirst("### ".count).components(separatedBy: " → ")
                guard parts.count == 2 else {
                    unreadable.append(line)
                    continue
                }
                sections.append(
                    Section(
                        line: line, title: parts[0],
                        counterparts: parts[1] == "none" ? [] : parts[1].components(separatedBy: ", ")))
            } else if text == "| Core Data | Howdah | note |" {
                isInTable = true
            } else if !text.hasPrefix("|") {
                isInTable = false
            } else if isInTable, text != "|---|---|---|" {
                guard let row = Self.row(text, line), !sections.isEmpty else {
                    unreadable.append(line)
                    continue
                }
                sections[sections.count - 1].rows.append(row)
            }
        }
    }

    private static func row(_ text: Substring, _ line: Int) -> Row? {
        let cells = text.split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast()
            .map { $0.trimmingCharacters(in: .whitespaces) }
        guard cells.count == 3 else { return nil }
        let names = code(cells[0]).map(Name.init)
        guard !names.isEmpty else { return nil }
        return Row(line: line, names: names, answer: answer(cells[1]), note: cells[2])
    }

    private static func answer(_ cell: String) -> Answer {
        switch cell {
        case "same": return .same
        case "missing": return .missing
        case "not needed": return .notNeeded
        default:
            let symbols = code(cell)
            let expected = symbols.map { "`\($0)`" }.joined(separator: ", ")
            return symbols.isEmpty || expected != cell ? .unreadable(cell) : .others(symbols)
        }
    }

    /// The text between backticks.
    private static func code(_ cell: String) -> [String] {
        cell.components(separatedBy: "`").enumerated().filter { !$0.offset.isMultiple(of: 2) }.map(\.element)
    }
}
