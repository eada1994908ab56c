import PQClient

extension String {
    /// The message with what the server or the connection said behind it, if it did.
    func caused(by error: PostgresError?) -> String {
        guard let error else { return self }
        return (hasSuffix(".") ? String(dropLast()) : self) + ": \(error)"
    }

    /// The message, ready for a sentence behind it.
    var asSentence: String { hasSuffix(".") ? self : self + "." }
}
