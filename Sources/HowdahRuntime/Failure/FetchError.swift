public import HowdahModel
public import PQClient

/// Why objects could not be read: what went wrong, where, and what to do about it.
public struct FetchError: Error, Sendable {
    /// What went wrong, for code that reacts to it.
    public let code: Code
    /// What went wrong and the remedy, for people; never contains stored values.
    public internal(set) var message: String
    /// The object that could not be read, as its id's URI.
    public let objectURI: String?
    /// What the server or the connection said, where it did.
    public let underlying: PostgresError?
    /// The stored raw value that the program's enum does not know, where ``code`` is `unknownCase`; where it is
    /// `invalidValue`, the beginning of what the attribute's type cannot hold. Part of the debug description only.
    public let unknownValue: Value?

    package init(
        _ code: Code, _ message: String, objectURI: String? = nil, underlying: PostgresError? = nil,
        unknownValue: Value? = nil
    ) {
        self.unknownValue = unknownValue
        self.code = code
        self.message = message
        self.objectURI = objectURI
        self.underlying = underlying
    }

    /// A kind of failure; more may be added.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's name.
        public let description: String

        /// The model has no such entity, or the class belongs to none of its entities.
        public static let unknownEntity = Code(description: "unknownEntity")
        /// A predicate, sort key or prefetch path does not fit the model.
        public static let invalidRequest = Code(description: "invalidRequest")
        /// A cursor of a page was altered, cut, or made by a request with another order or entity.
        public static let invalidCursor = Code(description: "invalidCursor")
        /// A value does not fit its column.
        public static let invalidValue = Code(description: "invalidValue")
        /// A row has a raw value that no case of the attribute's enum stands for; see ``FetchError/unknownValue``.
        public static let unknownCase = Code(description: "unknownCase")
        /// The row of a fault is no longer there.
        public static let objectNotFound = Code(description: "objectNotFound")
        /// The id belongs to another store, another entity, or is temporary.
        public static let foreignID = Code(description: "foreignID")
        /// One relationship has more rows than a cohort step may load.
        public static let tooManyRows = Code(description: "tooManyRows")
        /// A table was altered behind the store's back, so that its values cannot be decoded.
        public static let schemaMismatch = Code(description: "schemaMismatch")
        /// Another transaction has locked the rows, and the fetch was not to wait for them, or not any longer; see
        /// `RowLock` and the setting `lock_timeout`.
        public static let locked = Code(description: "locked")
        /// The fetch and another transaction waited for each other, and the server ended this one; run the unit of work
        /// again, as `perform(isolation:retrying:)` does.
        public static let deadlock = Code(description: "deadlock")
        /// Another transaction changed what this one had read, in `REPEATABLE READ` or `SERIALIZABLE`; run the unit of work
        /// again, as `perform(isolation:retrying:)` does.
        public static let serializationFailure = Code(description: "serializationFailure")
        /// The time that `perform(timeout:)` or ``StoreOptions/statementTimeout`` gives was over.
        public static let deadlineExceeded = Code(description: "deadlineExceeded")
        /// The server refused or the connection failed; see ``FetchError/underlying``.
        public static let database = Code(description: "database")
        /// The unit of work ended, or its container was closed.
        public static let closed = Code(description: "closed")
    }

    static func untransformable(_ property: String, _ transformer: String, _ error: any Error) -> FetchError {
        FetchError(
            .invalidValue,
            "\(property) has bytes that the transformer \(transformer) refuses: \(error). Let it take them, or update the row."
        )
    }

    static func emptyBatch(_ size: Int) -> FetchError {
        FetchError(.invalidRequest, "A batch of \(size) objects never ends; give a size of 1 or more.")
    }

    /// Only in a table that another program made.
    static func negativeKey(in entity: String) -> FetchError {
        FetchError(
            .invalidValue,
            "A row of \(entity)'s table has a negative key, which stands for an unsaved object; give it another."
        )
    }

    static func unknownStoredEntity(_ name: String, in entity: String) -> FetchError {
        FetchError(
            .unknownEntity,
            "A row of \(entity)'s table says it is a '\(name)', which this model does not have; "
                + "open the store with the model it was written with.")
    }
}

extension FetchError: CustomStringConvertible, CustomDebugStringConvertible {
    /// The code, the object and the message; safe to show.
    public var description: String {
        let place = objectURI.map { " at \($0.split(separator: "/").suffix(2).joined(separator: " "))" } ?? ""
        return "fetch failed (\(code))\(place): \(message.caused(by: underlying))"
    }

    /// Everything, with the server's own fields.
    public var debugDescription: String {
        "\(description) \(objectURI ?? "") \(underlying?.debugDescription ?? "")"
            + (unknownValue.map { " \($0)" } ?? "")
    }
}
