import Foundation

/// A source file without its comments and texts: its words, and what it declares.
struct SourceText {
    let name: String
    /// The modules that the file imports.
    private(set) var imports: Set<String> = []
    private(set) var words: Set<String> = []
    /// The words that are called.
    private(set) var calls: Set<String> = []
    /// The types, functions, properties, constants and cases that other files can name.
    private(set) var visible: Set<String> = []
    /// The functions, types and cases that something can call, also those that other files cannot name.
    private(set) var callables: Set<String> = []
    /// What has a name only here, or a label: parameters, local constants, members of closures.
    private(set) var labels: Set<String> = []

    init(name: String, _ source: String) {
        self.name = name
        let code = Self.code(source).replacing(House.identifier, with: "ObjectID")
        // What stands in a condition of the compiler is indented once more.
        var conditions = 0
        for line in code.split(separator: "\n") {
            let trimmed = line.drop { $0 == " " }
            if trimmed.hasPrefix("#if") { conditions += 1 }
            if trimmed.hasPrefix("#endif") { conditions -= 1 }
            if trimmed.contains("import "),
                let module = trimmed.wholeMatch(of: /(?:@?\w+ )*import (\w+) */)?.1
            {
                imports.insert(String(module))
            }
            read(line, indentation: line.count - trimmed.count - 4 * conditions)
        }
    }

    private mutating func read(_ line: Substring, indentation: Int) {
        let tokens = Self.tokens(line)
        words.formUnion(tokens)
        let bare = line.contains("@") ? line.replacing(/@\w+(\([^)]*\))?/, with: "") : line
        if bare.contains("(") {
            for call in bare.matches(of: /(\w+)\(/) where !bare.contains("func \(call.output.1)") {
                calls.insert(String(call.output.1))
            }
        }
        if bare.contains(":") {
            for label in bare.matches(of: /(\w+ +)?(\w+)\??:/) {
                labels.formUnion(Self.tokens(label.output.0))
            }
        }
        if bare.contains(" in") {
            for header in bare.matches(of: /\{ *(\[[^\]]*\] *)?\(?([\w, ]+)\)?( async)?( throws)? in\b/) {
                labels.formUnion(Self.tokens(header.output.2))
            }
        }
        if bare.contains("let ") || bare.contains("var ") || bare.contains("for ") {
            for binding in bare.matches(of: /\b(let|var|for|for case) +(\(([^)]*)\)|\w+)/) {
                labels.formUnion(Self.tokens(binding.output.2))
            }
        }
        declare(bare, bare == line ? tokens : Self.tokens(bare), indentation)
    }

    private mutating func declare(_ line: Substring, _ tokens: [String], _ indentation: Int) {
        var isPrivate = false
        for (place, token) in tokens.enumerated() {
            switch token {
            case "private", "fileprivate":
                isPrivate = isPrivate || !line.contains("\(token)(set)")
            case "struct", "class", "enum", "actor", "protocol", "typealias", "func", "var", "let", "case":
                guard place + 1 < tokens.count else { return }
                if token == "class", ["func", "var"].contains(tokens[place + 1]) { continue }
                // A case of a switch begins with a dot.
                if token == "case", line.contains("case .") || line.contains("case let") { return }
                var names: Set<String> = [tokens[place + 1]]
                if token == "case" {
                    for name in line.replacing(/\([^)]*\)/, with: "").split(separator: ",").dropFirst() {
                        names.formUnion(Self.tokens(name).prefix(1))
                    }
                }
                if token != "var", token != "let" { callables.formUnion(names) }
                if indentation <= 4, !isPrivate { visible.formUnion(names) } else { labels.formUnion(names) }
                return
            default:
                guard Self.modifiers.contains(token) else { return }
            }
        }
    }

    private static func tokens(_ text: some StringProtocol) -> [String] {
        // The sources are ASCII but for comments and texts, and characters take ten times as long.
        if text.utf8.allSatisfy({ $0 < 0x80 }) {
            return Substring(text).utf8.split { !isOfWord($0) }.map { String(decoding: $0, as: UTF8.self) }
        }
        return Substring(text).split { !($0.isLetter || $0.isNumber || $0 == "_") }.map(String.init)
    }

    private static func isOfWord(_ byte: UInt8) -> Bool {
        (0x61...0x7A).contains(byte) || (0x41...0x5A).contains(byte) || (0x30...0x39).contains(byte)
            || byte == 0x5F
    }

    private static let modifiers: Set<String> = [
        "public", "package", "internal", "open", "final", "static", "mutating", "nonmutating", "override",
        "convenience", "lazy", "nonisolated", "nonsending", "set", "weak", "unowned", "dynamic", "indirect",
        "inlinable", "inline", "always", "never", "usableFromInline", "discardableResult", "MainActor",
        "preconcurrency", "frozen",
    ]

    /// The text without comments and literals, with the same lines; what literals interpolate stays.
    static func code(_ source: String) -> String {
        String(decoding: code(Array(source.utf8)), as: UTF8.self)
    }

    private static func code(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var index = 0
        /// For each literal that is open the depth of the parentheses of its interpolation; the quotes that end it.
        var literals: [(quotes: Int, depth: Int)] = []
        func starts(_ text: StaticString) -> Bool {
            // The first byte decides nearly always.
            bytes[index] == text.utf8Start[0] && index + text.utf8CodeUnitCount <= bytes.count
                && (0..<text.utf8CodeUnitCount).allSatisfy { bytes[index + $0] == text.utf8Start[$0] }
        }
        while index < bytes.count {
            let byte = bytes[index]
            if let literal = literals.last, literal.depth == 0 {
                if starts("\\(") {
                    literals[literals.count - 1].depth = 1
                    result.append(0x20)
                    index += 2
                } else if byte == 0x5C {
                    if index + 1 < bytes.count, bytes[index + 1] == 0x0A { result.append(0x0A) }
                    index += 2
                } else if literal.quotes == 3 ? starts("\"\"\"") : byte == 0x22 {
                    literals.removeLast()
                    index += literal.quotes
                } else {
                    if byte == 0x0A { result.append(byte) }
                    index += 1
                }
            } else if starts("/*") {
                while index < bytes.count, !starts("*/") {
                    if bytes[index] == 0x0A { result.append(0x0A) }
                    index += 1
                }
                index += 2
            } else if starts("//") {
                while index < bytes.count, bytes[index] != 0x0A { index += 1 }
            } else if byte == 0x22 {
                let quotes = starts("\"\"\"") ? 3 : 1
                literals.append((quotes, 0))
                result.append(0x20)
                index += quotes
            } else {
                if !literals.isEmpty, byte == 0x28 { literals[literals.count - 1].depth += 1 }
                if !literals.isEmpty, byte == 0x29 {
                    literals[literals.count - 1].depth -= 1
                    if literals[literals.count - 1].depth == 0 {
                        result.append(0x20)
                        index += 1
                        continue
                    }
                }
                result.append(byte)
                index += 1
            }
        }
        return result
    }
}
