/// A response of a ``BrowseSite``.
public struct BrowseResponse: Sendable {
    /// The status, such as 200.
    public var status: Int
    /// The header fields. ``BrowseSite`` adds those that protect the reader to every response.
    public var headers: [(name: String, value: String)]
    /// The body.
    public var body: Body

    /// The content of a response.
    public enum Body: Sendable {
        /// All bytes.
        case bytes([UInt8])
        /// Parts that are read from the store while the response is sent.
        case stream(AsyncThrowingStream<[UInt8], any Error>)
    }

    /// Creates a response.
    public init(status: Int = 200, headers: [(name: String, value: String)] = [], body: Body = .bytes([])) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// Returns the value of a header field; nil if there is none.
    public func header(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    init(_ text: String, type: String, status: Int = 200) {
        self.init(status: status, headers: [("Content-Type", type)], body: .bytes(Array(text.utf8)))
    }

    /// A response that sends the reader to another address.
    static func redirect(to target: String, headers: [(name: String, value: String)] = []) -> BrowseResponse {
        BrowseResponse(status: 303, headers: [("Location", target)] + headers)
    }
}

extension BrowseResponse {
    /// Adds the header fields that protect the reader, unless the response has stricter ones.
    mutating func protect() {
        let fields = [
            ("Content-Security-Policy", Self.policy), ("X-Content-Type-Options", "nosniff"),
            // With no-referrer, browsers send no origin with the page's own forms.
            ("Referrer-Policy", "same-origin"), ("X-Frame-Options", "DENY"),
            ("Cross-Origin-Resource-Policy", "same-origin"), ("Cross-Origin-Opener-Policy", "same-origin"),
            ("Cache-Control", "no-store"),
        ]
        for (name, value) in fields where header(name) == nil { headers.append((name, value)) }
    }

    private static let policy =
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        + "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
}
