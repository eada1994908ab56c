/// Why a private PostgreSQL could not be found, made or started.
public struct LocalPostgresError: Error, Sendable, CustomStringConvertible {
    /// What kind of failure it is; compare with the constants.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The name of the code, as in the constant's name.
        public let description: String

        /// No folder with `initdb` and `postgres` was found.
        public static let installationNotFound = Code(description: "installationNotFound")
        /// A setting, a path or an account cannot be used.
        public static let invalidConfiguration = Code(description: "invalidConfiguration")
        /// The process is root, and there is no way here to run the server as somebody else.
        public static let privilegeDropUnavailable = Code(description: "privilegeDropUnavailable")
        /// The operating system refused a file, a socket or a process.
        public static let system = Code(description: "system")
        /// `initdb` or the server ended instead of becoming ready.
        public static let startFailed = Code(description: "startFailed")
        /// The server was not ready in time.
        public static let startTimedOut = Code(description: "startTimedOut")
    }

    /// What kind of failure it is.
    public let code: Code
    /// One sentence that names the remedy, followed by the end of the server's log where there is one.
    public let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The code and the message.
    public var description: String { "LocalPostgresError.\(code): \(message)" }
}
