import Foundation
import Testing

/// The rules of axe-core, which `scripts/check-browser` fetches.
enum Axe {
    /// Adds axe to the page that a browser shows.
    static func install(in browser: WebDriver) async throws {
        let file = Pictures.folder.appending(path: "axe.min.js")
        let text = try String(contentsOf: file, encoding: .utf8)
        try await browser.run(text)
    }

    /// Indicates whether a page that was just changed breaks no rule; the others are recorded.
    static func isClean(_ browser: WebDriver, _ place: SourceLocation = #_sourceLocation) async throws -> Bool
    {
        try await install(in: browser)
        let found = try await violations(in: browser)
        for violation in found { Issue.record("\(violation)", sourceLocation: place) }
        return found.isEmpty
    }

    /// Returns the rules that the page breaks, with the elements.
    static func violations(in browser: WebDriver) async throws -> [String] {
        try await browser.promise(
            """
            const found = await axe.run(document, { resultTypes: ['violations'] });
            return found.violations.map(v => v.id + ': ' + v.nodes.map(n => n.html.slice(0, 150)).slice(0, 3).join(' | '));
            """)
    }
}
