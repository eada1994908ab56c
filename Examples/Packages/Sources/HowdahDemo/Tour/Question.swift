import Howdah

/// A question to the graph: asked in words, answered by a body, printed with what it cost.
struct Question {
    let words: String
    /// The fetch as a programmer writes it.
    let code: String

    /// Runs the body in a context of its own and prints what it returns.
    func ask(
        _ container: PersistentContainer, _ body: sending @escaping (ManagedObjectContext) throws -> [String]
    ) async throws -> Int {
        let before = container.statementLog.count
        let began = ContinuousClock.now
        let lines = try await container.perform(body)
        let time = ContinuousClock.now - began
        let statements = container.statementLog.count - before
        Screen.line("  \(words)")
        for line in code.split(separator: "\n") { Screen.line("    > \(line)") }
        for line in lines.isEmpty ? ["none"] : lines { Screen.line("    \(line)") }
        Screen.line("    [\(Format.time(time)), \(Format.count(statements, "statement"))]")
        return lines.count
    }
}
