import HowdahModel
import HowdahRuntime

/// The lines of an export.
struct RowWriter: Sendable {
    let format: ExportResponse.Format
    let entity: String
    let names: [String]
    /// The number of characters to which the server cuts values. One that is longer is its size, as data is.
    static let cut = 8 << 20
    private let isNumber: [Bool]
    private let isBoolean: [Bool]
    private let areTexts: [Bool]

    init(format: ExportResponse.Format, entity: String, names: [String], guide: ModelGuide) {
        self.format = format
        self.entity = entity
        self.names = names
        let types = names.map { guide.model.property(named: $0, of: entity)?.attribute?.type.kind }
        isNumber = types.map { kind in
            switch kind {
            case .integer16, .integer32, .integer64, .decimal, .double, .float: true
            default: false
            }
        }
        areTexts = names.map { name in
            switch guide.attribute(at: name, of: entity)?.type.kind {
            case .integer16, .integer32, .integer64, .decimal, .double, .float, .boolean, .date, .uuid: false
            default: true
            }
        }
        isBoolean = types.map { if case .boolean = $0 { true } else { false } }
    }

    /// The first line of CSV; empty for JSON lines.
    var head: String {
        if format == .jsonl { return "" }
        return CSVText.line(["entity", "key"] + names)
    }

    /// Returns the line of an object.
    func line(_ row: BrowseRow, _ cells: [BrowseCell]) -> String {
        switch format {
        case .csv:
            return CSVText.line(
                [row.entityName, String(row.key)] + cells.map(Self.text), areTexts: [true, false] + areTexts)
        case .jsonl: return json(row, cells) + "\n"
        }
    }

    /// Returns the object as JSON. To-one relationships are the entity and the key of their destination.
    ///
    /// - Parameter unreadable: The properties that the role may not read.
    func json(_ row: BrowseRow, _ cells: [BrowseCell], unreadable: [String] = []) -> String {
        var members = ["\"@entity\":\(Self.quoted(row.entityName))", "\"@key\":\(row.key)"]
        if !unreadable.isEmpty {
            members.append("\"@unreadable\":[\(unreadable.map(Self.quoted).joined(separator: ","))]")
        }
        for (index, cell) in cells.enumerated() {
            members.append("\(Self.quoted(names[index])):\(value(cell, index))")
        }
        return "{\(members.joined(separator: ","))}"
    }

    private func value(_ cell: BrowseCell, _ index: Int) -> String {
        switch cell {
        case .null: return "null"
        case .text(_, let size?): return "{\"@bytes\":\(size)}"
        case .text(let text, nil):
            // NaN and infinity are not JSON.
            if isNumber[index], text.allSatisfy({ $0.isASCII && ($0.isNumber || "+-.e".contains($0)) }) {
                return text
            }
            return isBoolean[index] ? text : Self.quoted(text)
        case .data(_, let size): return "{\"@bytes\":\(size)}"
        case .object(let key, let entity): return "{\"@entity\":\(Self.quoted(entity)),\"@key\":\(key)}"
        case .parts(let parts):
            return "{"
                + parts.map { part in
                    let name = Self.quoted(part.name)
                    switch part.cell {
                    case .text(let text, nil): return "\(name):\(Self.quoted(text))"
                    case .text(_, let size?): return "\(name):{\"@bytes\":\(size)}"
                    default: return "\(name):null"
                    }
                }.joined(separator: ",") + "}"
        }
    }

    private static func text(_ cell: BrowseCell) -> String? {
        switch cell {
        case .null: nil
        case .text(let text, nil): text
        case .text(_, let size?), .data(_, let size): "\(size) bytes"
        case .object(let key, let entity): "\(entity) \(key)"
        case .parts(let parts):
            parts.map { part in
                switch part.cell {
                case .text(let text, nil): "\(part.name): \(text)"
                case .text(_, let size?): "\(part.name): \(size) bytes"
                default: ""
                }
            }.filter { !$0.isEmpty }.joined(separator: "; ")
        }
    }

    /// Returns a string of JSON.
    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case "\u{0}"..."\u{1F}", "\u{2028}", "\u{2029}":
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
