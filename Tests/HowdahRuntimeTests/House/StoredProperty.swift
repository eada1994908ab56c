/// A stored property of a type's instances, as a source declares it.
struct StoredProperty {
    let type: String
    let name: String
    /// Indicates whether other files can set it.
    let isSettable: Bool

    /// The stored properties that a source declares, in order. The source is indented as `swift format` does
    /// it.
    static func all(in source: String) -> [StoredProperty] {
        var found: [StoredProperty] = []
        var open: [(name: Substring, indentation: Int)] = []
        let lines = SourceText.code(source).split(separator: "\n").filter { !$0.allSatisfy(\.isWhitespace) }
        for (place, line) in lines.enumerated() {
            let text = line.drop { $0 == " " }
            let indentation = line.count - text.count
            while let last = open.last, last.indentation >= indentation, text != "{" { open.removeLast() }
            if let type = open.last, indentation == type.indentation + 4 {
                let next = place + 1 < lines.count ? lines[place + 1].drop { $0 == " " } : ""
                if let property = StoredProperty(text, of: type.name, before: next) { found.append(property) }
            }
            if let header = text.firstMatch(of: /^(?:[\w()@]+ )*?(?:class|struct|enum|actor) (\w+)/),
                !["func", "var", "let"].contains(header.1), !text.hasSuffix("}")
            {
                open.append((header.1, indentation))
            }
        }
        return found
    }

    private init?(_ line: Substring, of type: Substring, before next: Substring) {
        guard let parts = line.wholeMatch(of: /((?:@?\w+(?:\([^)]*\))? )*)(let|var) (\w+)(.*)/) else {
            return nil
        }
        let modifiers = parts.1.split(separator: " ")
        if modifiers.contains("static") || modifiers.contains("class") { return nil }
        let isVariable = parts.2 == "var"
        let observes = ["didSet", "willSet"].contains { next.hasPrefix($0) || parts.4.contains($0) }
        if isVariable, !observes, parts.4.contains(/^[^=]*\{/) { return nil }
        self.type = String(type)
        name = String(parts.3)
        let guards: Set<Substring> = ["private", "fileprivate", "private(set)", "fileprivate(set)"]
        isSettable = isVariable && guards.isDisjoint(with: modifiers)
    }
}
