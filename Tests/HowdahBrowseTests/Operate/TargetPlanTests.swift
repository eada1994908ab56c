import HowdahMigration
import HowdahModel
import HowdahRuntime
import HowdahTesting
import PQClient
import TestSupport
import Testing

@testable import HowdahBrowse

/// The plan from the store's model to another one.
@Suite struct TargetPlanTests {
    /// The shop with a new attribute, without the one that has values, and with an index.
    private func next() throws -> ManagedObjectModel {
        var model = try Shop.model()
        model = try ManagedObjectModel(
            entities: model.entities.map { entity in
                guard entity.name == "Project" else { return entity }
                return EntityDescription(
                    "Project",
                    properties: [
                        .attribute("budget", .decimal),
                        .relationship("members", to: "Employee", inverse: "projects", toMany: true),
                    ], fetchIndexes: [FetchIndexDescription("by_budget", on: "budget")])
            })
        return model
    }

    private func text(_ target: ManagedObjectModel, _ url: String) async throws -> String {
        let gate = BrowseGate(port: 8_125)
        let site = try await BrowseSite.opening(
            url, gate: gate, target: BrowseTarget(target, named: "Shop <2>"))
        let response = await site.respond(to: gate.request("/migrations"))
        #expect(response.status == 200)
        await site.close()
        return try await response.text()
    }

    @Test func versionsHaveTheNamesOfTheFile() async throws {
        try await withTestDatabase(for: Shop.model()) { database in
            let (first, second) = (try Shop.model(), try next())
            let target = BrowseTarget(
                second, named: "Shop", versions: [(name: "Shop 1", model: first), ("Shop 2", second)])
            let gate = BrowseGate(port: 8_125)
            let site = try await BrowseSite.opening(database.url, gate: gate, target: target)
            let text = try await site.respond(to: gate.request("/migrations")).text()
            await site.close()
            #expect(text.contains("version Shop 1 <code>\(first.versionChecksum)</code>"))
            #expect(text.contains("<h2>Plan to Shop, version Shop 2</h2>"))
        }
    }

    @Test func stepsLocksAndLossesAreShown() async throws {
        try await withTestDatabase(for: Shop.model()) { database in
            let container = try await PersistentContainer.open(database.url, model: Shop.model())
            try await Shop.fill(container)
            let text = try await text(next(), database.url)
            #expect(text.contains("<h2>Plan to Shop &lt;2&gt;</h2>"))
            #expect(text.contains("ADD COLUMN budget") || text.contains("ADD COLUMN &quot;budget&quot;"))
            #expect(text.contains("ACCESS EXCLUSIVE") && text.contains("by_budget"))
            // The project has a title, and its loss must be confirmed.
            #expect(text.contains("--confirm-drop Project.title") || text.contains("Project.title"))
            let count = "/objects/Project?where=title%20%21%3D%20nil&amp;count=exact"
            #expect(text.contains("<a href=\"\(count)\">Count the objects that lose a value</a>"))
            let same = try await self.text(Shop.model(), database.url)
            #expect(same.contains("The store already has this model. Nothing is pending."))
            // Nothing was changed.
            let titles = try await container.perform { context in
                try context.fetchRows(String.self, sql: "SELECT title FROM project")
            }
            #expect(titles == ["Apollo"])
            await container.close()
        }
    }

    @Test("A plan whose changes cannot be inferred is shown as it is with the confirmations")
    func plansNeedConfirmations() async throws {
        try await withTestDatabase(for: Shop.model()) { database in
            let container = try await PersistentContainer.open(database.url, model: Shop.model())
            try await Shop.fill(container)
            await container.close()
            let target = try ManagedObjectModel(
                entities: Shop.model().entities.map { entity in
                    guard entity.name == "Project" else { return entity }
                    return EntityDescription(
                        "Project",
                        properties: [
                            .attribute("title", .binary), .attribute("budget", .decimal),
                            .relationship("members", to: "Employee", inverse: "projects", toMany: true),
                        ])
                })
            let text = try await text(target, database.url)
            #expect(text.contains("It needs confirmations, because some changes cannot be inferred."))
            #expect(text.contains("<code>--confirm-drop Project.title</code>") && text.contains("<li>"))
            #expect(text.contains("budget") && text.contains("ACCESS EXCLUSIVE"))
        }
    }

    @Test func aReaderSeesWhyThereIsNoPlan() async throws {
        try await withTestDatabase(for: Shop.model()) { database in
            let sql = PlainSQL(url: database.url)
            let role = "plan_reader_\(UInt32.random(in: 0 ... .max))"
            try sql.rows("CREATE ROLE \(role) LOGIN")
            try sql.rows("GRANT SELECT ON ALL TABLES IN SCHEMA public TO \(role)")
            let text = try await text(next(), database.url.replacing("user=postgres", with: "user=\(role)"))
            #expect(text.contains("Plan to Shop") && text.contains("belongs to the role"))
            try sql.rows("DROP OWNED BY \(role)")
            try sql.rows("DROP ROLE \(role)")
        }
    }

    @Test func withoutATargetThereIsNoPlan() async throws {
        try await Shop.withSite { site, _ in
            let text = try await site.text("/migrations")
            #expect(!text.contains("<h2>Plan"))
        }
    }

    @Test("A plan is kept until the store changes, a reader asks again, or it failed")
    func plansAreKept() async throws {
        try await withTestDatabase(for: Shop.model()) { database in
            try await PersistentContainer.open(database.url, model: Shop.model()).close()
            let planning = BrowsePlanning(
                target: BrowseTarget(try next(), named: "next"), url: database.url, options: StoreOptions())
            let cache = planning.plans
            let first = await cache.plan(planning, for: ["1"], again: false)
            #expect(await cache.plan(planning, for: ["1"], again: false).time == first.time)
            let other = await cache.plan(planning, for: ["2"], again: false)
            #expect(other.time > first.time)
            let again = await cache.plan(planning, for: ["2"], again: true)
            #expect(again.time > other.time)
            let broken = BrowsePlanning(target: planning.target, url: "port=1", options: StoreOptions())
            let failed = await broken.plans.plan(broken, for: ["1"], again: false)
            #expect(failed.plan.isFailed)
            #expect(await broken.plans.plan(broken, for: ["1"], again: false).time > failed.time)
        }
    }

    @Test("A plan that was made while a table was locked is not kept")
    func unansweredPlansAreMadeAgain() async throws {
        try await withTestDatabase(for: Shop.model()) { database in
            let container = try await PersistentContainer.open(database.url, model: Shop.model())
            try await Shop.fill(container)
            let gate = BrowseGate(port: 8_133)
            let site = try await BrowseSite.opening(
                database.url, gate: gate, target: BrowseTarget(try next(), named: "next"))
            let holder = try Connection(ConnectionConfiguration(database.url))
            try holder.executeScript("BEGIN; LOCK TABLE project IN ACCESS EXCLUSIVE MODE")
            let during = try await site.respond(to: gate.request("/migrations")).text()
            #expect(during.contains("assumes that they exist"))
            holder.close()
            let after = try await site.respond(to: gate.request("/migrations")).text()
            #expect(after.contains("Count the objects") && !after.contains("assumes that they exist"))
            await site.close()
            await container.close()
        }
    }

    @Test("A store that was migrated meanwhile has a new plan")
    func migratedStoresHaveANewPlan() async throws {
        try await withTestDatabase(for: Shop.model()) { database in
            try await PersistentContainer.open(database.url, model: Shop.model()).close()
            let gate = BrowseGate(port: 8_132)
            let site = try await BrowseSite.opening(
                database.url, gate: gate, target: BrowseTarget(try next(), named: "next"))
            func page(_ query: String = "") async throws -> String {
                try await site.respond(to: gate.request("/migrations\(query)")).text()
            }
            #expect(try await page().contains(" pending. "))
            #expect(try await page("?plan=new").contains(" pending. "))
            let connection = try Connection(ConnectionConfiguration(database.url))
            _ = try StoreMigration(connection, to: try next()).apply()
            #expect(try await page().contains("The store already has this model."))
            await site.close()
        }
    }
}
