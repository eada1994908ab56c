import Foundation
import HowdahBrowse
import HowdahRuntime
import HowdahTesting
import TestSupport

/// Tables without a store, in the schema `legacy`.
enum Legacy {
    static let gate = BrowseGate(port: 8_126)

    /// Runs `body` with a site over tables, and with SQL for the database.
    ///
    /// - Parameter statements: Statements that create the tables; the schema is first in their search path.
    nonisolated(nonsending)
        static func withSite(
            _ statements: [String], _ body: (BrowseSite, PlainSQL) async throws -> Void
        ) async throws
    {
        try await withTestDatabase(for: Shop.model()) { database in
            let sql = PlainSQL(url: database.url)
            try create(statements, sql)
            let site = try await site(database.url)
            try await body(site, sql)
            await site.close()
        }
    }

    /// Creates the tables.
    static func create(_ statements: [String], _ sql: PlainSQL) throws {
        let all = ["CREATE SCHEMA legacy", "SET search_path = legacy, public"] + statements
        try sql.script(all.joined(separator: ";\n"))
    }

    /// Opens a site over the tables.
    static func site(_ url: String) async throws -> BrowseSite {
        var options = StoreOptions()
        options.schemaName = "legacy"
        return try await BrowseSite.opening(url, options: options, gate: gate)
    }

    /// Returns the text of a page.
    static func text(_ target: String, of site: BrowseSite, status: Int = 200) async throws -> String {
        let response = await site.respond(to: gate.request(target))
        let text = try await response.text()
        if response.status != status { throw UnexpectedStatus(status: response.status, text: text) }
        return text
    }
}
