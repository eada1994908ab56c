import SwiftDiagnostics
import SwiftSyntax

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// One mistake in a declaration: where it is, what to do about it, and the change that does it.
struct Problem {
    let node: Syntax
    let code: String
    let message: String
    /// Whether the rest of the class can still be emitted.
    let leavesClassIntact: Bool
    var fixIts: [FixIt] = []

    init(_ node: some SyntaxProtocol, _ code: String, _ message: String, leavesClassIntact: Bool = true) {
        self.node = Syntax(node)
        self.code = code
        self.message = message
        self.leavesClassIntact = leavesClassIntact
    }

    /// Adds a change that puts one node in another's place, between the same spaces.
    func replacing(_ old: some SyntaxProtocol, with new: some SyntaxProtocol, _ title: String) -> Problem {
        var copy = self
        let new = new.with(\.leadingTrivia, old.leadingTrivia).with(\.trailingTrivia, old.trailingTrivia)
        copy.fixIts.append(
            FixIt(
                message: Text(id: code, text: title),
                changes: [.replace(oldNode: Syntax(old), newNode: Syntax(new))]))
        return copy
    }

    var diagnostic: Diagnostic {
        let text = Text(id: code, text: message)
        // The compiler passes no codes on; the tests ask for them as notes.
        let codes = getenv("HOWDAH_MACRO_CODES") == nil ? [] : [Note(node: node, message: Code(id: code))]
        return Diagnostic(node: node, message: text, notes: codes, fixIts: fixIts)
    }

    private struct Text: DiagnosticMessage, FixItMessage {
        let id: String
        let text: String

        var message: String { text }
        var diagnosticID: MessageID { MessageID(domain: "Howdah", id: id) }
        var fixItID: MessageID { MessageID(domain: "Howdah", id: "\(id).fix") }
        var severity: DiagnosticSeverity { .error }
    }

    private struct Code: NoteMessage {
        let id: String

        var message: String { "Howdah.\(id)" }
        var noteID: MessageID { MessageID(domain: "Howdah", id: "\(id).code") }
    }
}
