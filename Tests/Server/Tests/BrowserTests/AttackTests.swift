import Foundation
import Howdah
import Testing

/// Attacks on the pages that need a browser.
@Suite(.timeLimit(.minutes(2))) struct AttackTests {
    private func text(_ browser: WebDriver) async throws -> String {
        try await browser.script("return document.documentElement.textContent")
    }

    @Test("A page of another site cannot reach the pages by changing its DNS entry")
    func rebinding() async throws {
        try await Library.withPages { pages in
            try await WebDriver.run(resolving: "evil.test") { browser in
                let port = pages.origin.split(separator: ":").last ?? ""
                try await browser.open(pages.entrance)
                try await browser.open("http://evil.test:\(port)/objects/Author")
                #expect(try await text(browser).contains("The request is for another host."))
                #expect(
                    try await browser.script(
                        "return performance.getEntriesByType('navigation')[0].responseStatus") == 421)
            }
        }
    }

    @Test("A form of another site is refused, and its session has no cookie")
    func foreignForm() async throws {
        try await Library.withPages { pages in
            try await WebDriver.run { browser in
                try await browser.open(pages.entrance)
                let form =
                    "<form method='post' action='\(pages.origin)/sql'><input name='query' value='SELECT 1'></form>"
                try await browser.open("data:text/html,\(form)")
                try await browser.run("document.forms[0].submit()")
                try await browser.wait(until: "document.documentElement.textContent.includes('Another site')")
                #expect(
                    try await browser.script(
                        "return performance.getEntriesByType('navigation')[0].responseStatus") == 403)
            }
        }
    }

    @Test("The policy of a page refuses inline scripts and frames")
    func inlineScript() async throws {
        try await Library.withPages { pages in
            try await WebDriver.run { browser in
                try await browser.open(pages.entrance)
                try await browser.open(pages.origin + "/objects/Author")
                #expect(try await browser.console() == [])
                try await browser.run(
                    """
                    const script = document.createElement('script');
                    script.textContent = "document.title = 'attacked'";
                    document.body.append(script);
                    const image = document.createElement('div');
                    image.innerHTML = '<img src=x onerror="document.title = 1">';
                    document.body.append(image);
                    const frame = document.createElement('iframe');
                    frame.src = '/';
                    document.body.append(frame);
                    """)
                try await Task.sleep(for: .milliseconds(300))
                #expect(try await browser.script("return document.title") == "Author – howdah browse")
                let messages = try await browser.console()
                #expect(messages.filter { $0.contains("Content Security Policy") }.count >= 3, "\(messages)")
            }
        }
    }

    @Test("Without the cookie a browser sees nothing, and the address works once")
    func session() async throws {
        try await Library.withPages { pages in
            try await WebDriver.run { browser in
                try await browser.open(pages.origin + "/objects/Author")
                #expect(try await text(browser).contains("The session is unknown."))
                try await browser.open(pages.entrance)
                #expect(try await browser.script("return location.href") == pages.origin + "/")
                // Scripts cannot read the cookie.
                #expect(try await browser.script("return document.cookie") == "")
            }
            try await WebDriver.run { browser in
                try await browser.open(pages.entrance)
                #expect(try await text(browser).contains("The session is unknown."))
            }
        }
    }
}
