import Synchronization

/// The login of a site that serves one reader on the same machine.
///
/// The address has a token that works once and is exchanged for a cookie. Requests to other host names are
/// refused, so that a page of another site cannot reach this one by changing its DNS entry.
public final class BrowseGate: Sendable {
    /// The port at which the server listens.
    public let port: Int
    private let hosts: Set<String>
    /// The value of the cookie.
    let session = BrowseGate.secret()
    private let token: Mutex<String?>

    /// Creates a gate for a server at a port of this machine.
    ///
    /// - Parameter hosts: Further values of the `Host` field, with their port.
    public init(port: Int, allowing hosts: Set<String> = []) {
        self.port = port
        self.hosts = hosts.union(["127.0.0.1:\(port)", "localhost:\(port)", "[::1]:\(port)"])
        token = Mutex(Self.secret())
    }

    /// The address to open; nil after it was used.
    public var url: String? { token.withLock { $0 }.map { "http://127.0.0.1:\(port)/?token=\($0)" } }

    /// Returns the response to a request that must not reach the pages; nil if it may.
    func refusal(of request: BrowseRequest) -> BrowseResponse? {
        guard let host = request.header("host"), hosts.contains(host) else {
            return Self.refusal(
                421, "The request is for another host. Open the address that howdah browse printed.")
        }
        if request.method != "GET", request.method != "HEAD" {
            guard request.header("origin") == "http://\(host)",
                request.isFromOwnPage
            else {
                return Self.refusal(403, "Another site sent the request. Use the page's own forms.")
            }
        }
        if hasSession(request) {
            // Whoever opens the printed address again is already logged in.
            let isOpenedAgain =
                request.method == "GET" && request.segments.isEmpty && request.parameter("token") != nil
            return isOpenedAgain ? .redirect(to: "/") : nil
        }
        guard request.method == "GET", let given = request.parameter("token"), takes(given) else {
            let remedy =
                request.parameter("token") == nil
                ? "Open the address that howdah browse printed."
                : "The address works once, and only the browser that opened it has the session. Restart howdah browse for "
                    + "another address."
            return Self.refusal(401, "The session is unknown. \(remedy)")
        }
        let login = ("Set-Cookie", "\(cookie)=\(session); HttpOnly; SameSite=Strict; Path=/")
        guard request.header("sec-fetch-site") == "cross-site" else {
            return .redirect(to: "/", headers: [login])
        }
        // A file or another page has the link. Browsers would not send the strict cookie along a redirection of it.
        var page = BrowseResponse(Self.step, type: "text/html; charset=utf-8", status: 200)
        page.headers.append(login)
        return page
    }

    /// A page that opens the first one.
    private static let step = """
        <!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>howdah browse</title>
        <meta http-equiv="refresh" content="0; url=/"><p><a href="/">Open the pages.</a></p></html>

        """

    /// Cookies ignore ports, so the name has it.
    private var cookie: String { "howdah-browse-\(port)" }

    private func hasSession(_ request: BrowseRequest) -> Bool {
        let pairs = (request.header("cookie") ?? "").split(separator: ";")
        return pairs.contains { pair in
            let parts = pair.split(separator: "=", maxSplits: 1)
            return parts.count == 2 && parts[0].drop { $0 == " " } == cookie
                && Self.isEqual(String(parts[1]), session)
        }
    }

    private func takes(_ given: String) -> Bool {
        token.withLock { token in
            guard let expected = token, Self.isEqual(given, expected) else { return false }
            token = nil
            return true
        }
    }

    /// Compares in a time that does not depend on the place of a difference.
    private static func isEqual(_ left: String, _ right: String) -> Bool {
        let (left, right) = (Array(left.utf8), Array(right.utf8))
        guard left.count == right.count else { return false }
        return zip(left, right).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }

    /// 128 random bits.
    private static func secret() -> String {
        var generator = SystemRandomNumberGenerator()
        let text = (0..<2).map { _ in
            let part = String(generator.next() as UInt64, radix: 16)
            return String(repeating: "0", count: 16 - part.count) + part
        }
        return text.joined()
    }

    private static func refusal(_ status: Int, _ message: String) -> BrowseResponse {
        BrowseResponse(message + "\n", type: "text/plain; charset=utf-8", status: status)
    }
}
