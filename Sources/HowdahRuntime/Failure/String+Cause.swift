import PQClient

extension String {
    /// Returns the message, followed by the error of the server or the connection if given.
    func caused(by error: PostgresError?) -> String {
        guard let error else { return self }
        return "\(asSentence) Cause: \(error)"
    }

    /// The message with a full stop. A sentence can follow it.
    var asSentence: String { hasSuffix(".") ? self : self + "." }
}
