import HTTPTypes
import Howdah
import Hummingbird

extension Request {
    /// The version that the client has seen, from `If-Match`.
    func requiredVersion() throws -> ObjectVersion {
        guard let tag = headers[.ifMatch] else {
            throw ProblemDetails(
                428, "preconditionRequired", "The request has no If-Match. Send the ETag of the object.")
        }
        guard let version = ObjectVersion(entityTag: tag) else {
            throw ProblemDetails(
                412, "conflict", "If-Match is not an ETag of this server. Send one ETag of the object.")
        }
        return version
    }

    /// Indicates whether the client has the version already: the answer is 304 then.
    func has(_ version: ObjectVersion?) -> Bool {
        guard let version, let tags = headers[.ifNoneMatch] else { return false }
        return tags.split(separator: ",").contains { tag in
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
