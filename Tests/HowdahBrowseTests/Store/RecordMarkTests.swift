import HowdahModel
import HowdahRuntime
import HowdahTesting
import TestSupport
import Testing

@testable import HowdahBrowse

/// Pages that are older than the store.
@Suite struct RecordMarkTests {
    @Test("The first page and a page that is not found say that the store was migrated or replaced")
    func oldPagesSaySo() async throws {
        try await withTestDatabase(for: Shop.model()) { database in
            try await PersistentContainer.open(database.url, model: Shop.model()).close()
            let gate = BrowseGate(port: 8_137)
            let site = try await BrowseSite.opening(database.url, gate: gate)
            func text(_ target: String) async throws -> String {
                try await site.respond(to: gate.request(target)).text()
            }
            for target in ["/", "/objects/Settings"] {
                #expect(try await !text(target).contains("after these pages opened it"))
            }
            let sql = PlainSQL(url: database.url)
            try sql.rows("UPDATE _howdah_store SET checksum = 'another'")
            for target in ["/", "/objects/Settings", "/structure/Settings", "/object/Settings/1"] {
                let page = try await text(target)
                #expect(page.contains("The store was migrated to another model after these pages opened it"))
                #expect(page.contains("Restart howdah browse"))
            }
            #expect(try await text("/migrations").contains("restart <code>howdah browse</code>"))
            try sql.rows("UPDATE _howdah_store SET store_uuid = gen_random_uuid()")
            for target in ["/", "/objects/Settings"] {
                #expect(try await text(target).contains("The store was replaced by another store"))
            }
            await site.close()
        }
    }

    @Test("Tables without a store have no record to compare")
    func tablesHaveNone() async throws {
        try await Legacy.withSite(["CREATE TABLE item (id bigint PRIMARY KEY)"]) { site, _ in
            #expect(try await !Legacy.text("/", of: site).contains("after these pages opened it"))
            _ = try await Legacy.text("/objects/Nothing", of: site, status: 404)
        }
    }
}
