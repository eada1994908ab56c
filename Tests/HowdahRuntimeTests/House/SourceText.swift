import Foundation

/// A source file without its comments and texts: its words, and what it declares.
struct SourceText {
    let name: String
    private(set) var words: Set<String> = []
    /// The types at the outermost level.
    private(set) var types: Set<String> = []
    /// The functions and properties that other files can name.
    private(set) var members: Set<String> = []
    /// Everything that is declared inside of types, whoever can name it.
    private(set) var inner: Set<String> = []

    init(name: String, _ source: String) {
        self.name = name
        let code = String(decoding: Self.code(Array(source.utf8)), as: UTF8.self)
            .replacing(House.identifier, with: "ObjectID")
        for line in code.split(separator: "\n") { read(line) }
    }

    private mutating func read(_ line: Substring) {
        let indentation = line.prefix { $0 == " " }.count
        let tokens = line.split { !($0.isLetter || $0.isNumber || $0 == "_") }.map(String.init)
        words.formUnion(tokens)
        var isPrivate = false
        for (place, token) in tokens.enumerated() {
            switch token {
            case "private", "fileprivate":
                isPrivate = isPrivate || !line.contains("\(token)(set)")
            case "struct", "class", "enum", "actor", "protocol", "typealias":
                guard place + 1 < tokens.count, tokens[place + 1] != "func", tokens[place + 1] != "var" else {
                    continue
                }
                if indentation == 0 { types.insert(tokens[place + 1]) }
                return
            case "func", "var", "let", "case":
                guard indentation > 0, place + 1 < tokens.count else { return }
                inner.insert(tokens[place + 1])
                if indentation == 4, !isPrivate, token == "func" || token == "var" {
                    members.insert(tokens[place + 1])
                }
                return
            default:
                guard Self.modifiers.contains(token) else { return }
            }
        }
    }

    private static let modifiers: Set<String> = [
        "public", "package", "internal", "open", "final", "static", "mutating", "nonmutating", "override",
        "convenience", "lazy", "nonisolated", "nonsending", "set", "weak", "unowned", "dynamic", "indirect",
        "inlinable", "inline", "always", "never", "usableFromInline", "discardableResult", "MainActor",
        "preconcurrency", "frozen",
    ]

    /// The text without comments and literals; what literals interpolate stays.
    private static func code(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var index = 0
        /// For each literal that is open the depth of the parentheses of its interpolation; the quotes that end it.
        var literals: [(quotes: Int, depth: Int)] = []
        func starts(_ text: StaticString) -> Bool {
            index + text.utf8CodeUnitCount <= bytes.count
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
                    index += 2
                } else if literal.quotes == 3 ? starts("\"\"\"") : byte == 0x22 {
                    literals.removeLast()
                    index += literal.quotes
                } else {
                    if byte == 0x0A { result.append(byte) }
                    index += 1
                }
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
