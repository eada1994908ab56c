public import PQClient

/// Why a store could not be opened, and what to do about it.
public struct StoreError: Error, Sendable {
    /// What went wrong, for code that reacts to it.
    public let code: Code
    /// What went wrong and the remedy, for people.
    public let message: String
    /// What the server or the connection said, where it did.
    public let underlying: PostgresError?

    /// What a handler of a migration's stage threw, where that is the reason.
    public let cause: (any Error)?

    package init(
        _ code: Code, _ message: String, underlying: PostgresError? = nil, cause: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        self.underlying = underlying
        self.cause = cause
    }

    /// A kind of failure; more may be added.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's name.
        public let description: String

        /// The store was made with another model.
        public static let incompatibleModel = Code(description: "incompatibleModel")
        /// The store could not be migrated to the model, and is as it was; the message says what stands in the way.
        public static let migrationFailed = Code(description: "migrationFailed")
        /// The model cannot be laid out as tables, or uses what contexts do not support.
        public static let invalidModel = Code(description: "invalidModel")
        /// An option has a value that no store can work with.
        public static let invalidOptions = Code(description: "invalidOptions")
        /// A class does not have the properties of its entity.
        public static let classMismatch = Code(description: "classMismatch")
        /// The schema has tables that belong to something else, or the store's own record is damaged.
        public static let notAStore = Code(description: "notAStore")
        /// The tables that exist are not those that the model says; the message lists every difference.
        public static let schemaMismatch = Code(description: "schemaMismatch")
        /// The database does not suit: its encoding or version.
        public static let unsuitableDatabase = Code(description: "unsuitableDatabase")
        /// The server refused or the connection failed; see ``StoreError/underlying``.
        public static let database = Code(description: "database")
        /// No thread or connection became free in time, or more units of work wait than may.
        public static let overloaded = Code(description: "overloaded")
        /// The time that `perform(timeout:)` gives was over before the unit of work could begin; its body did not run.
        public static let deadlineExceeded = Code(description: "deadlineExceeded")
        /// The store that a container has open was destroyed, or replaced by another one. Open a container again.
        public static let destroyed = Code(description: "destroyed")
        /// Other programs use the store, so that it could not be destroyed or replaced in time.
        public static let inUse = Code(description: "inUse")
        /// The role may not do what was asked; the message names the role that may.
        public static let missingGrant = Code(description: "missingGrant")
        /// Objects of other programs depend on the store's tables; the message lists them.
        public static let hasDependents = Code(description: "hasDependents")
        /// A key or value of metadata cannot be stored.
        public static let invalidMetadata = Code(description: "invalidMetadata")
        /// The container was closed.
        public static let closed = Code(description: "closed")
        /// A stream ended because its source or its client was idle for longer than
        /// ``StoreOptions/streamIdleTimeout``.
        public static let streamIdle = Code(description: "streamIdle")
        /// The temporary file of a stream could not be created, written or read.
        public static let temporaryFile = Code(description: "temporaryFile")
    }
}

extension StoreError: CustomStringConvertible, CustomDebugStringConvertible {
    /// The code and message; safe to show.
    public var description: String {
        "the store cannot be used (\(code)): \(message.caused(by: underlying))"
    }

    /// Everything, with the server's own fields.
    public var debugDescription: String { "\(description) \(underlying?.debugDescription ?? "")" }
}
