public import Foundation

/// An error as a problem document of HTTP, ready to be sent.
///
/// It has the status and the JSON of RFC 9457. It never contains stored values. For errors of the server
/// (a status from 500) it also contains no message, because messages name tables, roles and settings.
///
/// ```swift
/// do {
///     return try await update(request)
/// } catch {
///     let problem = ProblemDetails(error, hasPrecondition: request.headers[.ifMatch] != nil)
///     return Response(status: problem.status, type: ProblemDetails.mediaType, body: try problem.json())
/// }
/// ```
///
/// Source: RFC 9457.
public struct ProblemDetails: Error, Hashable, Sendable, Codable {
    /// The media type of the JSON.
    public static let mediaType = "application/problem+json"

    /// The kind of problem as a URI; always `about:blank`, so the status says what kind it is.
    public let type: String
    /// The status in words, equal for all problems of one status.
    public let title: String
    /// The status code of HTTP.
    public let status: Int
    /// The failure and the remedy; nil for errors of the server.
    public let detail: String?
    /// The name of the error's code, such as `conflict`, for programs.
    public let code: String
    /// The properties and places that are concerned.
    public let errors: [Part]
    /// The seconds after which the client can repeat the request, for the header `Retry-After`; nil if repeating does not
    /// help.
    public let retryAfter: Int?

    /// A property or place that is concerned.
    public struct Part: Hashable, Sendable, Codable {
        /// A JSON pointer to the property, such as `/address/street`; nil for the whole document.
        public let pointer: String?
        /// A code for programs: Core Data's number of a validation issue, or the name of a code.
        public let code: String
        /// The fault and the remedy, without values.
        public let detail: String
        /// The object's id as a component of a path; nil if the object is not known or was never saved.
        public let object: String?
        /// The character of a predicate's format at which the fault is, counted from 1; nil for others.
        public let position: Int?
        /// The line of a document of lines, counted from 1; nil for others.
        public let line: Int?
        /// The row of a batch insertion, counted from 1; nil for others.
        public let row: Int?

        /// Creates a part.
        public init(
            pointer: String? = nil, code: String, detail: String, object: String? = nil, position: Int? = nil,
            line: Int? = nil, row: Int? = nil
        ) {
            self.pointer = pointer
            self.code = code
            self.detail = detail
            self.object = object
            self.position = position
            self.line = line
            self.row = row
        }
    }

    /// Creates a problem of your server, such as a missing precondition.
    ///
    /// ```swift
    /// throw ProblemDetails(428, "preconditionRequired", "The request has no If-Match. Send the ETag of the object.")
    /// ```
    /// Use the error itself for errors of the library: ``init(_:hasPrecondition:)``. From status 500 on, the problem
    /// has neither the detail nor the errors.
    ///
    /// - Parameters:
    ///   - status: The status code of HTTP.
    ///   - code: The name of the problem, for programs.
    ///   - detail: The failure and the remedy, without stored values.
    ///   - errors: The properties and places that are concerned.
    ///   - retryAfter: The seconds after which the client can repeat the request.
    public init(
        _ status: Int, _ code: String, _ detail: String?, _ errors: [Part] = [], retryAfter: Int? = nil
    ) {
        type = "about:blank"
        title = Self.titles[status] ?? "Error"
        self.status = status
        self.code = code
        self.detail = status < 500 ? detail : nil
        self.errors = status < 500 ? errors : []
        self.retryAfter = retryAfter
    }

    /// Returns the JSON, with its members in the order of their names.
    ///
    /// - Throws: Never in practice; `EncodingError` by its signature.
    public func json() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(self)
    }

    private static let titles = [
        400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found",
        405: "Method Not Allowed", 406: "Not Acceptable", 409: "Conflict", 410: "Gone",
        412: "Precondition Failed", 413: "Content Too Large", 415: "Unsupported Media Type",
        416: "Range Not Satisfiable", 422: "Unprocessable Content", 428: "Precondition Required",
        429: "Too Many Requests", 500: "Internal Server Error", 501: "Not Implemented",
        503: "Service Unavailable", 504: "Gateway Timeout",
    ]
}
