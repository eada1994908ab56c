/// The rules of a context, its parts and its backing, for one source of HowdahRuntime.
enum PartRules {
    /// The number of stored properties that a context can have.
    static let limit = 10
    static let context = "Context/ManagedObjectContext.swift"
    /// The parts of a context, each in its file.
    static let parts = ["Registry", "Changes", "Recorder"]
    /// Sources with a `parent` that is not a context.
    private static let otherParents: Set<String> = ["Fetch/Render/SQLScope.swift"]

    /// The contradictions of a source to the rules.
    static func findings(_ path: String, _ source: String) -> [String] {
        // Most sources have none of the words.
        let part = parts.first { path == "Context/\($0).swift" }
        guard part != nil || source.contains("parent") || source.contains("acking") else { return [] }
        let code = SourceText.code(source)
        var findings: [String] = []
        if path == context {
            let fields = StoredProperty.all(in: source).filter { $0.type == "ManagedObjectContext" }
            if !(4...limit).contains(fields.count) {
                findings.append("The context stores \(fields.count) things: \(fields.map(\.name))")
            }
            findings += settable(fields)
        }
        if let part {
            let fields = StoredProperty.all(in: source)
            if !code.contains("final class \(part) {") { findings.append("\(part) is not a final class") }
            if fields.isEmpty { findings.append("\(part) has no fields") }
            findings += settable(fields)
        }
        if !path.hasPrefix("Child/"), !otherParents.contains(path) {
            findings += matches(of: /\bparent\s*[!=]==?\s*nil\b|\bnil\s*[!=]==?\s*[\w.]*\bparent\b/, in: code)
            findings += matches(
                of: /(\b(if|guard|while)|,)\s+(let|var)\s+(\w+\s*=\s*[\w.]*)?\bparent\b/, in: code)
        }
        findings += matches(
            of: /\b(is|as[?!]?|==)\s*(\(?any\s+)?(DatabaseBacking|ParentBacking)\b/, in: code)
        findings += matches(
            of: /\bbacking\s+(is|as[?!]?)\s|\btype\(of:\s*[\w.]*\bbacking\b/, in: code)
        return findings
    }

    private static func matches<Output>(of question: Regex<Output>, in code: String) -> [String] {
        // The boundaries of Unicode's words are not at the dots between names.
        let question = question.wordBoundaryKind(.simple)
        return code.matches(of: question).map { "asks: \(code[$0.range])" }
    }

    private static func settable(_ fields: [StoredProperty]) -> [String] {
        fields.filter(\.isSettable).map { "\($0.type).\($0.name) can be set from other files" }
    }
}
