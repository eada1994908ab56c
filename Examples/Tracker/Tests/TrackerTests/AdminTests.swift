import Foundation
import Howdah
import Testing

@testable import Tracker

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension TrackerTests {
    /// The pages of the store at `/admin`.
    @Suite struct AdminTests {
        /// A client that keeps no cookies and follows no redirections.
        private final class Browser: NSObject, URLSessionTaskDelegate, Sendable {
            func urlSession(
                _ session: URLSession, task: URLSessionTask,
                willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
                completionHandler: @escaping @Sendable (URLRequest?) -> Void
            ) { completionHandler(nil) }

            func send(_ request: URLRequest) async throws -> (
                status: Int, headers: [String: String], text: String
            ) {
                let configuration = URLSessionConfiguration.ephemeral
                configuration.httpShouldSetCookies = false
                configuration.httpCookieAcceptPolicy = .never
                let session = URLSession(configuration: configuration, delegate: self, delegateQueue: nil)
                let (body, response) = try await session.data(for: request)
                let answer = try #require(response as? HTTPURLResponse)
                let headers = answer.allHeaderFields.map { ("\($0)".lowercased(), "\($1)") }
                return (
                    answer.statusCode, Dictionary(headers) { $1 }, String(decoding: body, as: UTF8.self)
                )
            }
        }

        /// Sends the form of the login.
        private func logIn(
            _ client: Client, _ login: String, _ password: String, _ headers: [String: String] = [:]
        ) async throws -> (status: Int, headers: [String: String], text: String) {
            var request = client.request("POST", "/admin/login", headers)
            request.setValue("application/x-www-form-urlencoded", forHTTPHeaderField: "Content-Type")
            request.httpBody = Data("login=\(login)&password=\(password)".utf8)
            return try await Browser().send(request)
        }

        private static let administrators = ["TRACKER_ADMINISTRATORS": "ada,margaret"]

        @Test("Only the cookie of an administrator opens the pages")
        func access() async throws {
            try await withTracker(Self.administrators) { tracker in
                let (client, browser) = (tracker.client, Browser())
                // The bearer token of the API is not a cookie.
                for path in [
                    "/admin", "/admin/", "/admin/objects/User", "/admin/sql", "/admin/export/User.csv",
                ] {
                    let answer = try await browser.send(client.request("GET", path))
                    #expect(answer.status == 401 && answer.text.contains("action=\"/admin/login\""))
                    #expect(
                        answer.headers["content-security-policy"]?.hasPrefix("default-src 'none'") == true)
                    #expect(
                        !answer.text.contains("lovelace") && !answer.text.contains("href=\"/admin/objects"))
                }
                #expect(try await logIn(client, "ada", "wrong").status == 401)
                #expect(try await logIn(client, "nobody", "lovelace").status == 401)
                #expect(try await logIn(client, "grace", "hopper").status == 403)

                let login = try await logIn(client, "ada", "lovelace")
                #expect(login.status == 303 && login.headers["location"] == "/admin/")
                let field = try #require(login.headers["set-cookie"])
                #expect(field.hasSuffix("; Path=/admin; Max-Age=28800; HttpOnly; SameSite=Strict"))
                let cookie = String(field.prefix { $0 != ";" })
                let page = try await browser.send(client.request("GET", "/admin/", ["Cookie": cookie]))
                #expect(page.status == 200 && page.text.contains("href=\"/admin/objects/Issue\""))
                #expect(page.headers["content-security-policy"]?.hasPrefix("default-src 'none'") == true)
                #expect(page.headers["cache-control"] == "no-store")
                for forged in [cookie + "x", "tracker-admin=", "\(cookie); \(cookie)"] {
                    let answer = try await browser.send(client.request("GET", "/admin/", ["Cookie": forged]))
                    #expect(answer.status == 401, "\(forged)")
                }
                let secure = try await logIn(client, "ada", "lovelace", ["X-Forwarded-Proto": "https"])
                #expect(secure.headers["set-cookie"]?.hasSuffix("; Secure") == true)
            }
        }

        @Test("The token of another user, and of a deleted administrator, is refused")
        func others() async throws {
            try await withTracker(Self.administrators) { tracker in
                var grace = Client(tracker.servers[0])
                try await grace.logIn("grace", "hopper")
                let cookie = ["Cookie": "tracker-admin=\(try #require(grace.token))"]
                #expect(try await Browser().send(grace.request("GET", "/admin/", cookie)).status == 403)

                try await tracker.container.perform { context in
                    let user = User(context: context)
                    user.login = "margaret"
                    user.team = try context.fetch(User.self, where: #Predicate { $0.login == "ada" })[0].team
                    try user.setPassword("hamilton")
                    try context.save()
                }
                let login = try await logIn(grace, "margaret", "hamilton")
                let own = ["Cookie": String(try #require(login.headers["set-cookie"]).prefix { $0 != ";" })]
                #expect(try await Browser().send(grace.request("GET", "/admin/", own)).status == 200)
                try await tracker.container.perform { context in
                    for user in try context.fetch(User.self, where: #Predicate { $0.login == "margaret" }) {
                        context.delete(user)
                    }
                    try context.save()
                }
                #expect(try await Browser().send(grace.request("GET", "/admin/", own)).status == 403)
            }
        }

        @Test("Pages have no password, and the report has the tracker's statements")
        func pages() async throws {
            try await withTracker(Self.administrators) { tracker in
                let (client, browser) = (tracker.client, Browser())
                let login = try await logIn(client, "ada", "lovelace")
                let cookie = [
                    "Cookie": String(try #require(login.headers["set-cookie"]).prefix { $0 != ";" })
                ]
                let stored = try await tracker.container.perform { context in
                    try context.fetch(User.self, where: #Predicate { $0.login == "ada" })[0].password
                }
                let hexadecimal = stored.prefix(4).map { String(format: "%02x", $0) }.joined()
                for path in [
                    "", "/objects/User", "/structure/User", "/export/User.jsonl", "/migrations", "/activity",
                    "/report",
                ] {
                    let page = try await browser.send(client.request("GET", "/admin\(path)", cookie))
                    #expect(page.status == 200, "\(path)")
                    #expect(!page.text.contains("lovelace") && !page.text.contains(hexadecimal), "\(path)")
                    if path == "/report" { #expect(page.text.contains("Round trips")) }
                    if path == "/objects/User" { #expect(page.text.contains("masked")) }
                }
                let form = client.request(
                    "POST", "/admin/sql", cookie.merging(["Origin": "http://evil.test"]) { $1 })
                #expect(try await browser.send(form).status == 403)
                let anonymous = try await withTracker { other in
                    try await logIn(Client(other.servers[0]), "ada", "lovelace").status
                }
                #expect(anonymous == 403)
            }
        }
    }
}
