import Testing

/// A declaration with one mistake in it, and what the macros must say.
struct Mistake: CustomTestStringConvertible, Sendable {
    let code: String
    let source: String
    /// The text the diagnostic points to.
    let place: String
    /// A part of the message.
    let message: String
    /// The declaration after the proposed change; nil where none is proposed.
    let fixed: String?

    var testDescription: String { code }

    init(_ code: String, _ source: String, at place: String, says message: String, fixed: String? = nil) {
        (self.code, self.source, self.place, self.message, self.fixed) = (code, source, place, message, fixed)
    }

    /// A mistake of one property of an otherwise good entity.
    static func property(
        _ code: String, _ line: String, at place: String, says message: String, fixed: String? = nil
    ) -> Mistake {
        func entity(_ line: String) -> String {
            """
            @Entity final class Thing: ManagedObject {
                var good: String
                \(line)
            }
            """
        }
        return Mistake(code, entity(line), at: place, says: message, fixed: fixed.map(entity))
    }
}
