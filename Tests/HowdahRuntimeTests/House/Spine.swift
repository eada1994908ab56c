/// A function whose numbered comments name the stages that it calls, as `// 1 Freeze: …` before `freeze()`.
struct Spine {
    /// A stage in a comment, or in a table of a page.
    struct Stage: Equatable, CustomStringConvertible {
        let number: Int
        let name: String

        init(_ number: some StringProtocol, _ name: some StringProtocol) {
            self.number = Int(number) ?? 0
            self.name = name.prefix(1).uppercased() + name.dropFirst()
        }

        var description: String { "\(number) \(name)" }
    }

    static let lineLimit = 120

    private(set) var stages: [Stage] = []
    /// The stages of a comment that names several: another spine calls them.
    private(set) var elsewhere: [Stage] = []
    /// The differences between comments and calls.
    private(set) var findings: [String] = []
    private var numbers: [Int] = []

    /// Reads a function of a source.
    ///
    /// - Parameter others: The calls of the function that are not stages, each with its receiver.
    init(_ source: String, function: String = "run", others: Set<String> = []) {
        let lines = source.split(separator: "\n", omittingEmptySubsequences: false)
        if lines.count >= Self.lineLimit { findings.append("has \(lines.count) lines") }
        let code = SourceText.code(source).split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count == code.count, let body = Self.body(of: function, in: code) else {
            findings.append("has no function \(function)")
            return
        }
        var expected: [Stage] = []
        var calls: [String] = []
        var unused = others
        for place in body {
            let heading = Self.heading(lines[place])
            if !heading.isEmpty {
                close(expected, calls)
                (expected, calls) = (heading, [])
            }
            for call in Self.calls(in: code[place]) {
                if others.contains(call) { unused.remove(call) } else { calls.append(call) }
            }
        }
        close(expected, calls)
        findings += unused.sorted().map { "no longer calls \($0)" }
        if zip(numbers, numbers.dropFirst()).contains(where: { $0 >= $1 }) {
            findings.append("has stages out of order: \(numbers)")
        }
    }

    /// Compares the calls after a comment with the stages that it names.
    private mutating func close(_ expected: [Stage], _ calls: [String]) {
        let isElsewhere = expected.count > 1
        numbers += expected.map(\.number)
        if isElsewhere { elsewhere += expected } else { stages += expected }
        let names = isElsewhere ? [] : expected.map { $0.name.prefix(1).lowercased() + $0.name.dropFirst() }
        if calls != names { findings.append("calls \(calls) in place of \(names)") }
    }

    private static func body(of function: String, in code: [Substring]) -> Range<Int>? {
        let signature = code.firstIndex {
            $0.contains("func \(function)(") || $0.contains("func \(function)<")
        }
        guard let signature, let start = code[signature...].firstIndex(where: { $0.hasSuffix("{") }),
            let end = code[start...].firstIndex(of: "    }")
        else { return nil }
        return start + 1..<end
    }

    private static func heading(_ line: Substring) -> [Stage] {
        guard let comment = line.wholeMatch(of: /\s*\/\/ (\d+ [A-Z][^:]*)(:.*)?/) else { return [] }
        return comment.1.matches(of: /(\d+) (\w+)/).map { Stage($0.1, $0.2) }
    }

    /// The functions that a line calls, with their receivers; also those with nothing but a closure.
    private static func calls(in line: Substring) -> [String] {
        // The brace after a condition begins no closure.
        let line = line.replacing(/\b(if|guard|while|for|switch)\b[^{]*\{/) { $0.0.dropLast() }
        return line.matches(of: /([\w.]+)\(|(\w[\w.]*\.\w+) \{/).map { String($0.1 ?? $0.2 ?? "") }
    }
}
