import HTTPTypes

/// The cookie with the token of an administrator.
enum AdminCookie {
    private static let name = "tracker-admin"

    /// Returns the value of `Set-Cookie`. Scripts cannot read the cookie, and other sites cannot send it.
    static func field(_ token: String, isSecure: Bool) -> String {
        "\(name)=\(token); Path=/admin; Max-Age=28800; HttpOnly; SameSite=Strict"
            + (isSecure ? "; Secure" : "")
    }

    /// Returns the token; nil without the cookie, or with two of its name.
    static func token(in headers: HTTPFields) -> String? {
        let cookies = headers[values: .cookie].flatMap { $0.split(separator: ";") }
            .map { String($0.trimmingPrefix(while: \.isWhitespace)) }
        let found = cookies.filter { $0.hasPrefix(name + "=") }
        return found.count == 1 ? String(found[0].dropFirst(name.count + 1)) : nil
    }
}
