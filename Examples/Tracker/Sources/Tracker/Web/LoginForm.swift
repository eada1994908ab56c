import HTTPTypes
import Hummingbird

/// The page with which an administrator logs in. It has no value of the request.
struct LoginForm {
    let status: HTTPResponse.Status
    let message: StaticString?

    var response: Response {
        var headers: HTTPFields = [
            .contentType: "text/html; charset=utf-8", .cacheControl: "no-store",
            .contentSecurityPolicy:
                "default-src 'none'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
            .xContentTypeOptions: "nosniff",
        ]
        headers[named: "Referrer-Policy"] = "same-origin"
        return Response(
            status: status, headers: headers, body: .init(byteBuffer: ByteBuffer(string: document)))
    }

    private var document: String {
        """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>Log in – Tracker</title>
        </head>
        <body>
        <main>
        <h1>Log in as an administrator</h1>
        \(message.map { "<p role=\"alert\">\($0)</p>" } ?? "")
        <form method="post" action="/admin/login">
        <p><label for="login">Login</label> <input id="login" name="login" autocomplete="username" required></p>
        <p><label for="password">Password</label>
        <input id="password" name="password" type="password" autocomplete="current-password" required></p>
        <p><button>Log in</button></p>
        </form>
        </main>
        </body>
        </html>

        """
    }
}
