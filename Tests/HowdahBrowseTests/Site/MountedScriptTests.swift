import HowdahRuntime
import Testing

@testable import HowdahBrowse

/// The script of a site that is mounted below a path.
@Suite struct MountedScriptTests {
    @Test func theScriptAsksBelowThePrefix() async throws {
        try await Shop.withSite { _, container in
            let site = BrowseSite(container, at: "/admin/") { _ in .read }
            let page = try await site.text("/admin/objects/Employee")
            #expect(
                page.contains(
                    "<script src=\"/admin/browse.js?v=\(Links.version)\" data-root=\"/admin\" defer></script>"
                ))
            let script = try await site.text("/admin/browse.js")
            #expect(script.contains("fetch(root + path)"))
            _ = try await site.text("/admin/names/Employee")
            _ = try await site.text("/names/Employee", status: 404)
        }
    }

    @Test func theScriptsAddressesNeedTheAccessOfPages() async throws {
        try await Shop.withSite { _, container in
            let site = BrowseSite(container) { _ in .none }
            container.statementLog.start()
            for target in ["/names/Employee", "/check/Employee?where=x", "/versions/Employee?rows=1.1"] {
                _ = try await site.text(target, status: 403)
            }
            #expect(container.statementLog.count == 0)
        }
    }
}
