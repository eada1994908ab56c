import HowdahModel
import HowdahRuntime
import PQClient

extension ProblemDetails {
    /// Describes any error: those of Howdah by their codes, all others as status 500 without a message.
    ///
    /// - Parameters:
    ///   - error: The error that a request ended with.
    ///   - hasPrecondition: Indicates that the request had `If-Match`, so that a conflict is 412 and not 409.
    public init(_ error: any Error, hasPrecondition: Bool = false) {
        switch error {
        case let error as ProblemDetails: self = error
        case let error as SaveError: self = Self.save(error, hasPrecondition)
        case let issue as ValidationIssue:
            self.init(422, "validation", Self.message(of: issue), Self.parts(issue))
        case let error as FetchError: self = Self.fetch(error)
        case let error as PredicateTreeError: self = Self.predicate(error)
        case let error as GraphError: self = Self.graph(error)
        case let error as StoreError: self = Self.store(error)
        case let error as PostgresError: self = Self.server(error, error.code.description)
        case is CancellationError: self.init(503, "cancelled", nil, retryAfter: 1)
        default: self.init(500, "internal", nil)
        }
    }

    private static func save(_ error: SaveError, _ hasPrecondition: Bool) -> ProblemDetails {
        let code = error.code.description
        switch error.code {
        case .validation: return ProblemDetails(422, code, error.message, error.issues.flatMap(parts))
        case .conflict:
            return ProblemDetails(
                hasPrecondition ? 412 : 409, code, error.message, error.conflicts.flatMap(parts))
        case .uniqueness, .referentialIntegrity:
            return ProblemDetails(409, code, error.message, error.issues.flatMap(parts))
        // The message has the statement that an operator would run.
        case .readOnly: return ProblemDetails(403, code, nil)
        case .deadlineExceeded: return ProblemDetails(504, code, nil)
        case .locked, .deadlock, .serializationFailure, .notCommitted:
            return ProblemDetails(503, code, nil, retryAfter: 1)
        case .database: return server(error.databaseError, code)
        // A client that repeats it blindly might store it twice.
        default: return ProblemDetails(500, code, nil)
        }
    }

    private static func fetch(_ error: FetchError) -> ProblemDetails {
        let code = error.code.description
        switch error.code {
        case .objectNotFound, .foreignID: return ProblemDetails(404, code, error.message)
        case .invalidRequest, .invalidCursor, .unknownEntity:
            return ProblemDetails(400, code, error.message)
        case .deadlineExceeded: return ProblemDetails(504, code, nil)
        case .locked, .deadlock, .serializationFailure, .changed, .closed:
            return ProblemDetails(503, code, nil, retryAfter: 1)
        case .database: return server(error.databaseError, code)
        default: return ProblemDetails(500, code, nil)
        }
    }

    private static func store(_ error: StoreError) -> ProblemDetails {
        let code = error.code.description
        switch error.code {
        case .overloaded, .closed, .inUse, .streamIdle: return ProblemDetails(503, code, nil, retryAfter: 1)
        case .deadlineExceeded: return ProblemDetails(504, code, nil)
        case .database: return server(error.databaseError, code)
        default: return ProblemDetails(500, code, nil)
        }
    }

    /// A connection that fails may work again soon; a statement that the server refuses does not.
    private static func server(_ error: PostgresError?, _ code: String) -> ProblemDetails {
        switch error?.code {
        case .connectionFailed, .connectionLost, .poolTimeout, .poolClosed, .cancelled:
            ProblemDetails(503, code, nil, retryAfter: 1)
        case .deadlineExceeded: ProblemDetails(504, code, nil)
        default: ProblemDetails(500, code, nil)
        }
    }

    private static func predicate(_ error: PredicateTreeError) -> ProblemDetails {
        let position = error.format.flatMap { format in
            error.position.map { String(decoding: format.utf8.prefix($0), as: UTF8.self).count + 1 }
        }
        return ProblemDetails(
            400, error.code.description, error.message,
            [Part(code: error.code.description, detail: error.message, position: position)])
    }

    private static func graph(_ error: GraphError) -> ProblemDetails {
        let code = error.code.description
        let part = Part(
            pointer: error.steps.isEmpty ? nil : pointer(error.steps), code: code, detail: error.message,
            line: error.line)
        return ProblemDetails(error.code == .tooLarge ? 413 : 400, code, error.message, [part])
    }

    // MARK: Parts

    /// One part for each property, as a client marks them all.
    private static func parts(_ issue: ValidationIssue) -> [Part] {
        let (detail, object) = (sentence(of: issue), component(issue.objectID))
        let pointers: [String?] = issue.properties.map { pointer($0.split(separator: ".").map(String.init)) }
        return (pointers.isEmpty ? [nil] : pointers).map {
            Part(pointer: $0, code: "\(issue.code)", detail: detail, object: object, row: issue.row)
        }
    }

    /// The message of an issue is the end of a sentence that begins with its properties.
    private static func sentence(of issue: ValidationIssue) -> String {
        let names = issue.properties.joined(separator: ", ")
        let message = message(of: issue)
        return names.isEmpty ? "\(issue.entityName): \(message)" : "\(issue.entityName).\(names): \(message)"
    }

    /// The text of another error may have anything in it.
    private static func message(of issue: ValidationIssue) -> String {
        if issue.message.hasPrefix(ValidationIssue.transformation) {
            return "\(ValidationIssue.transformation) its transformer. Give it another value."
        }
        return issue.underlyingError == nil
            ? issue.message : "A rule of the program failed. Correct the object."
    }

    private static func parts(_ conflict: SaveConflict) -> [Part] {
        let object = component(conflict.objectID)
        // Clients do not know the methods that the description names.
        let detail =
            conflict.isOfNamedVersion && !conflict.isDeleted
            ? "The \(conflict.entityName) has another version in the store. Load it again, and repeat the change."
            : conflict.description
        if conflict.isDeleted || conflict.properties.isEmpty {
            return [Part(code: "conflict", detail: detail, object: object)]
        }
        return conflict.properties.map {
            Part(pointer: pointer([$0]), code: "conflict", detail: detail, object: object)
        }
    }

    private static func component(_ id: ObjectID<ManagedObject>?) -> String? {
        id.flatMap { $0.isTemporaryID ? nil : $0.pathComponent }
    }

    static func pointer(_ names: [String]) -> String {
        names.map { "/" + $0.replacing("~", with: "~0").replacing("/", with: "~1") }.joined()
    }
}
