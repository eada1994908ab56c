extension CoreDataPage {
    /// The contradictions between the page and the symbols, each with its line and the correction.
    func findings(_ symbols: PublicSymbols) -> [String] {
        unreadable.map {
            "line \($0): This is neither a heading '### NSClass → Type' nor a row of three cells."
        }
            + sections.flatMap { findings($0, symbols) }
    }

    private func findings(_ section: Section, _ symbols: PublicSymbols) -> [String] {
        var findings: [String] = []
        for type in section.counterparts where !symbols.types.contains(type) {
            findings.append("line \(section.line): \(type) is not a public type. Correct the heading.")
        }
        if section.counterparts.isEmpty, let type = Self.plain(section.title), symbols.types.contains(type) {
            findings.append("line \(section.line): The type \(type) exists. Name it in the heading.")
        }
        var seen: Set<Name> = []
        for row in section.rows {
            for name in row.names {
                if !seen.insert(name).inserted {
                    findings.append("line \(row.line): \(section.title).\(name) is listed twice.")
                }
                findings += self.findings(row, name, section, symbols).map {
                    "line \(row.line): \(section.title).\(name): \($0)"
                }
            }
            if case .others(let paths) = row.answer {
                for path in paths where !symbols.contains(path) {
                    findings.append(
                        "line \(row.line): \(path) is not a public symbol. \(Self.advice(path, symbols))")
                }
            }
        }
        return findings
    }

    private func findings(
        _ row: Row, _ name: Name, _ section: Section, _ symbols: PublicSymbols
    ) -> [String] {
        let twin = section.counterparts.first { symbols.has(name, in: $0) }.map { "\($0).\(name.text)" }
        switch row.answer {
        case .same:
            guard twin == nil else { return [] }
            let path = "\(section.counterparts.first ?? "?").\(name.text)"
            let kind = name.isStatic ? "static member" : "instance member"
            return ["\(path) is not a public \(kind). \(Self.advice(path, symbols))"]
        case .missing:
            return twin.map { ["\($0) exists. Write 'same'."] } ?? []
        case .notNeeded:
            if let twin { return ["\(twin) exists. Write 'same'."] }
            return row.note.isEmpty ? ["Say in the note why it is not needed."] : []
        case .others(let paths):
            guard let twin else { return [] }
            // The same name for something else is possible, and has to be explained.
            return paths.contains(twin) && !row.note.isEmpty ? [] : ["\(twin) exists. Write 'same'."]
        case .unreadable(let text):
            return [
                "'\(text)' is not an answer. Write 'same', 'missing', 'not needed', or symbols in backticks."
            ]
        }
    }

    private static func advice(_ path: String, _ symbols: PublicSymbols) -> String {
        let relatives = symbols.relatives(of: path).filter { $0 != path }.map { "`\($0)`" }
        return relatives.isEmpty
            ? "Write 'missing', or the symbols that take its place."
            : "Write \(relatives.joined(separator: " or "))."
    }

    /// The name of a class of Core Data without its prefix; nil for a heading that is not such a name.
    private static func plain(_ title: String) -> String? {
        title.hasPrefix("NS") && !title.contains(" ") ? String(title.dropFirst(2)) : nil
    }
}
