import Foundation
import Testing

/// The library's macros over a source text, run by the compiler through the plug-in as in any program.
///
/// A script between compiler and plug-in keeps what they say to each other, so that expansions, diagnostics and
/// proposed changes are exactly those that a user gets.
struct Expansion {
    /// One macro in one role, and the text that the plug-in made of it.
    struct Part {
        /// The macro's type and its role, such as "EntityMacro, member".
        let title: String
        let text: String
    }

    struct Diagnostic: Decodable {
        struct Place: Decodable {
            let fileName: String
            let startOffset: Int
            let endOffset: Int
        }
        struct FixIt: Decodable {
            struct Change: Decodable {
                let range: Place
                let newText: String
            }
            let changes: [Change]
        }
        struct Note: Decodable { let message: String }

        let message: String
        let severity: String
        let highlights: [Place]
        let notes: [Note]
        let fixIts: [FixIt]

        /// The code of the mistake, which the plug-in adds as a note if `HOWDAH_MACRO_CODES` is set.
        var code: String? { notes.first?.message }
    }

    let source: String
    let parts: [Part]
    let diagnostics: [Diagnostic]

    init(_ source: String) async throws {
        self.source = source
        let exchange = try await PluginExchange(source)
        parts = zip(exchange.requests, exchange.answers).compactMap { request, answer in
            guard let expansion = request.expandAttachedMacro, let text = answer.text else { return nil }
            return Part(title: "\(expansion.macro.typeName), \(expansion.macroRole)", text: text)
        }
        diagnostics = exchange.answers.flatMap(\.diagnostics)
    }

    /// All expansions, one below the other, in the order of the compiler's requests.
    var text: String { parts.map { "// \($0.title)\n\($0.text)" }.joined(separator: "\n\n") }

    /// The part of the source that a diagnostic points to.
    func place(of diagnostic: Diagnostic) -> String? {
        diagnostic.highlights.first.map { String(decoding: utf8($0), as: UTF8.self) }
    }

    /// The source with every change made that the diagnostics propose.
    var fixed: String {
        var bytes = Array(source.utf8)
        let changes = diagnostics.flatMap(\.fixIts).flatMap(\.changes)
        for change in changes.sorted(by: { $0.range.startOffset > $1.range.startOffset }) {
            let range = change.range.startOffset..<change.range.endOffset
            bytes.replaceSubrange(range, with: change.newText.utf8)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private func utf8(_ place: Diagnostic.Place) -> [UInt8] {
        Array(Array(source.utf8)[place.startOffset..<place.endOffset])
    }
}
