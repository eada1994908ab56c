import HTTPTypes
import Howdah
import Hummingbird

extension Request {
    /// The version that the client has seen, from `If-Match`; nil for `*`, which any version has.
    ///
    /// - Throws: ``ProblemDetails`` with status 428 without the header.
    func requiredVersion() throws -> ObjectVersion? {
        guard headers[.ifMatch] != nil else {
            throw ProblemDetails(
                428, "preconditionRequired", "The request has no If-Match. Send the ETag of the object.")
        }
        return try expectedVersion()
    }

    /// The version in `If-Match`; nil if the client accepts any.
    func expectedVersion() throws -> ObjectVersion? {
        guard let tag = headers[.ifMatch], tag != "*" else { return nil }
        guard let version = ObjectVersion(entityTag: tag) else {
            throw ProblemDetails(
                412, "conflict", "If-Match is not an ETag of this server. Send one ETag of the object.")
        }
        return version
    }

    /// The client's name for the request, with which it can be sent again.
    var idempotencyKey: String? {
        get throws {
            guard let key = headers[named: "Idempotency-Key"] else { return nil }
            guard (1...200).contains(key.unicodeScalars.count) else {
                throw ProblemDetails(
                    400, "invalidIdempotencyKey",
                    "The Idempotency-Key is empty or longer than 200 characters. Choose another one.")
            }
            return key
        }
    }

    /// Indicates whether a deletion is only to be previewed: `?preview=1`.
    ///
    /// - Throws: ``ProblemDetails`` for any other query, as a misspelt one must not delete.
    func isPreview() throws -> Bool {
        guard let query = uri.query, !query.isEmpty else { return false }
        guard query == "preview=1" else {
            throw ProblemDetails(
                400, "invalidPreview", "The query is not 'preview=1'. Correct it, or leave it out to delete.")
        }
        return true
    }

    /// Indicates whether the client has the version already: the answer is 304 then.
    func has(_ version: ObjectVersion?) -> Bool {
        guard let version, let tags = headers[.ifNoneMatch] else { return false }
        return tags == "*"
            || tags.split(separator: ",").contains { tag in
                tag.trimmingPrefix(while: \.isWhitespace).trimmingPrefix("W/") == version.entityTag
            }
    }
}

extension Request {
    /// Indicates whether the client uses TLS, which ends at the proxy in front of the server.
    var isSecure: Bool { headers[named: "X-Forwarded-Proto"] == "https" }
}

extension HTTPFields {
    /// A header that has no constant.
    subscript(named name: String) -> String? {
        get { HTTPField.Name(name).flatMap { self[$0] } }
        set {
            guard let name = HTTPField.Name(name) else { return }
            self[name] = newValue
        }
    }
}
