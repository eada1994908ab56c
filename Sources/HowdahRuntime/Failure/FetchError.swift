public import Foundation
public import HowdahModel
public import PQClient

/// An error of a fetch or a fault, with the object concerned and the remedy.
public struct FetchError: Error, Sendable {
    /// The kind of failure, for code that reacts to it.
    public let code: Code
    /// The failure and the remedy, for people; never contains stored values.
    public internal(set) var message: String
    /// The object that could not be read, as its id's URI.
    public let objectURI: String?
    /// The error of the server or the connection, if there was one.
    public let databaseError: PostgresError?
    /// The stored value that the program cannot represent.
    ///
    /// If ``code`` is `unknownCase`, it is the raw value that the program's enum does not have. If it is
    /// `invalidValue`, it is the beginning of a value that the attribute's type cannot hold. Only the debug
    /// description includes it.
    public let unknownValue: Value?

    package init(
        _ code: Code, _ message: String, objectURI: String? = nil, databaseError: PostgresError? = nil,
        unknownValue: Value? = nil
    ) {
        self.unknownValue = unknownValue
        self.code = code
        self.message = message
        self.objectURI = objectURI
        self.databaseError = databaseError
    }

    /// A kind of failure; more may be added.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's name.
        public let description: String

        /// The model has no such entity, or the class belongs to none of its entities.
        public static let unknownEntity = Code(description: "unknownEntity")
        /// A predicate, sort key or prefetch path does not fit the model.
        public static let invalidRequest = Code(description: "invalidRequest")
        /// A cursor of a page was altered, truncated, or made by a request with another order or entity.
        public static let invalidCursor = Code(description: "invalidCursor")
        /// A value does not fit its column.
        public static let invalidValue = Code(description: "invalidValue")
        /// A row has a raw value that the attribute's enum has no case for; see ``FetchError/unknownValue``.
        public static let unknownCase = Code(description: "unknownCase")
        /// The object changed between two parts of a value; see
        /// `PersistentContainer.dataParts(of:_:in:size:)`.
        public static let changed = Code(description: "changed")
        /// The row of a fault no longer exists.
        public static let objectNotFound = Code(description: "objectNotFound")
        /// The id belongs to another store, another entity, or is temporary.
        public static let foreignID = Code(description: "foreignID")
        /// A relationship has more rows than a cohort step may load.
        public static let tooManyRows = Code(description: "tooManyRows")
        /// Another program altered a table, so its values cannot be decoded.
        public static let schemaMismatch = Code(description: "schemaMismatch")
        /// Another transaction has locked the rows, and the fetch did not wait, or not any longer.
        ///
        /// See `RowLock` and the setting `lock_timeout`.
        public static let locked = Code(description: "locked")
        /// The fetch and another transaction waited for each other, and the server ended this one.
        ///
        /// Run the unit of work again, as `perform(isolation:retrying:)` does.
        public static let deadlock = Code(description: "deadlock")
        /// Another transaction changed rows that this one had read, in `REPEATABLE READ` or `SERIALIZABLE`.
        ///
        /// Run the unit of work again, as `perform(isolation:retrying:)` does.
        public static let serializationFailure = Code(description: "serializationFailure")
        /// The timeout of `perform(timeout:)` or ``StoreOptions/statementTimeout`` expired.
        public static let deadlineExceeded = Code(description: "deadlineExceeded")
        /// The server refused a statement or the connection failed; see ``FetchError/databaseError``.
        public static let database = Code(description: "database")
        /// The unit of work ended, or its container was closed.
        public static let closed = Code(description: "closed")
    }

    static func untransformable(_ property: String, _ transformer: String, _ error: any Error) -> FetchError {
        FetchError(
            .invalidValue,
            "The transformer \(transformer) cannot decode the stored bytes of \(property): \(error). Extend "
                + "the transformer, or update the row in SQL."
        )
    }

    static func emptyBatch(_ size: Int) -> FetchError {
        FetchError(.invalidRequest, "The size of a batch is \(size). Set it to 1 or more.")
    }

    /// The error for a negative key, which occurs only in a table of another program.
    static func negativeKey(in entity: String) -> FetchError {
        FetchError(
            .invalidValue,
            "A row of \(entity)'s table has a negative key. Negative keys are reserved for unsaved objects. Give the "
                + "row a positive key."
        )
    }

    static func unknownStoredEntity(_ name: String, in entity: String) -> FetchError {
        FetchError(
            .unknownEntity,
            "A row of \(entity)'s table has the entity '\(name)', which this model does not have. Open the store "
                + "with a model that has '\(name)'.")
    }
}

extension FetchError: CustomStringConvertible, CustomDebugStringConvertible {
    /// The code, the object and the message; safe to show.
    public var description: String {
        let place = objectURI.map { " at \($0.split(separator: "/").suffix(2).joined(separator: " "))" } ?? ""
        return "fetch failed (\(code))\(place): \(message.caused(by: databaseError))"
    }

    /// All properties, with the server's own fields.
    public var debugDescription: String {
        "\(description) \(objectURI ?? "") \(databaseError?.debugDescription ?? "")"
            + (unknownValue.map { " \($0)" } ?? "")
    }
}

extension FetchError: LocalizedError {
    /// The same text as ``description``.
    public var errorDescription: String? { description }
}
