import Foundation
import HowdahModel
import HowdahRuntime
import HowdahTesting
import TestSupport
import Testing

@testable import HowdahBrowse

/// The login of a site on the same machine, and requests that try to pass it.
@Suite struct GateTests {
    private func withSite(_ body: (BrowseSite, BrowseGate) async throws -> Void) async throws {
        try await withTestStore(Shop.model()) { container in
            let gate = BrowseGate(port: 8_123)
            try await body(BrowseSite(container, gate: gate), gate)
        }
    }

    @Test func theTokenWorksOnceAndBecomesACookie() async throws {
        try await withSite { site, gate in
            let url = try #require(gate.url)
            #expect(url.hasPrefix("http://127.0.0.1:8123/?token="))
            let target = String(url.dropFirst("http://127.0.0.1:8123".count))
            let host = (name: "Host", value: "127.0.0.1:8123")
            let first = await site.respond(to: BrowseRequest(target: target, headers: [host]))
            #expect(first.status == 303 && first.header("Location") == "/" && gate.url == nil)
            let cookie = try #require(first.header("Set-Cookie"))
            #expect(cookie.contains("; HttpOnly; SameSite=Strict"))
            let second = await site.respond(to: BrowseRequest(target: target, headers: [host]))
            #expect(second.status == 401)
            let pair = String(cookie.prefix { $0 != ";" })
            let page = await site.respond(
                to: BrowseRequest(target: "/", headers: [host, ("Cookie", "other=1; \(pair)")]))
            #expect(page.status == 200)
            let again = await site.respond(
                to: BrowseRequest(target: target, headers: [host, ("Cookie", pair)]))
            #expect(again.status == 303 && again.header("Location") == "/")
        }
    }

    /// A strict cookie is not sent along a redirection that a file or another site began.
    @Test func anAddressInAFileLeadsToAPageOfTheSite() async throws {
        try await withSite { site, gate in
            let target = try String(#require(gate.url).dropFirst("http://127.0.0.1:8123".count))
            let headers = [("Host", "127.0.0.1:8123"), ("Sec-Fetch-Site", "cross-site")]
            let page = await site.respond(to: BrowseRequest(target: target, headers: headers))
            #expect(page.status == 200 && page.header("Set-Cookie")?.contains(gate.session) == true)
            let text = try await page.text()
            #expect(text.contains("content=\"0; url=/\"") && !text.contains("token"))
            let stranger = await site.respond(to: BrowseRequest(target: target, headers: headers))
            #expect(stranger.status == 401 && stranger.header("Set-Cookie") == nil)
        }
    }

    @Test(arguments: [
        "/", "/browse.css", "/objects/Employee", "/sql", "/?token=", "/?token=0", "/value/Employee/1/photo",
    ])
    func strangersGetNothing(target: String) async throws {
        try await withSite { site, gate in
            for cookie in [
                "", "howdah-browse-8123=", "howdah-browse-8123=x", "howdah-browse-80=\(gate.session)",
            ] {
                let answer = await site.respond(
                    to: BrowseRequest(
                        target: target, headers: [("Host", "127.0.0.1:8123"), ("Cookie", cookie)]))
                #expect(answer.status == 401)
                let text = try await answer.text()
                #expect(!text.contains("Employee"))
            }
        }
    }

    @Test(arguments: [
        "evil.test:8123", "127.0.0.1:8123.evil.test", "127.0.0.1", "127.0.0.1:80", "",
        "localhost:8123@evil.test",
    ])
    func otherHostsAreMisdirected(host: String) async throws {
        try await withSite { site, gate in
            var request = gate.request("/")
            request.headers.removeAll { $0.name == "Host" }
            #expect(await site.respond(to: request).status == 421)
            request.headers.append(("Host", host))
            #expect(await site.respond(to: request).status == 421)
            request.headers.append(("host", "127.0.0.1:8123"))
            #expect(await site.respond(to: request).status == 421)
        }
    }

    @Test func namesOfThisMachineAreServed() async throws {
        try await withSite { site, gate in
            for host in ["127.0.0.1:8123", "localhost:8123", "[::1]:8123"] {
                var request = gate.request("/")
                request.headers[0].value = host
                #expect(await site.respond(to: request).status == 200)
            }
        }
    }

    @Test(arguments: [
        [("Origin", "http://evil.test")], [("Origin", "null")], [],
        [("Origin", "https://127.0.0.1:8123")],
        [("Origin", "http://127.0.0.1:8123"), ("Sec-Fetch-Site", "cross-site")],
        [("Origin", "http://127.0.0.1:8123"), ("Sec-Fetch-Site", "same-site")],
    ])
    func formsOfOtherSitesAreRefused(headers: [(String, String)]) async throws {
        try await withSite { site, gate in
            var request = gate.request("/sql")
            request.method = "POST"
            request.body = Array("query=SELECT+1".utf8)
            request.headers += headers.map { (name: $0.0, value: $0.1) }
            #expect(await site.respond(to: request).status == 403)
        }
    }

    @Test func thePagesOwnFormIsAnswered() async throws {
        try await withSite { site, gate in
            var request = gate.request("/sql")
            request.method = "POST"
            request.body = Array("query=SELECT+41%2B1+AS+sum".utf8)
            request.headers += [("Origin", "http://127.0.0.1:8123"), ("Sec-Fetch-Site", "same-origin")]
            let answer = await site.respond(to: request)
            let text = try await answer.text()
            #expect(answer.status == 200 && text.contains(">42</th>"))
        }
    }
}
