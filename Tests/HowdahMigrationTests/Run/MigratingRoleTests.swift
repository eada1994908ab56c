import Foundation
import HowdahMigration
import HowdahModel
import HowdahRuntime
import HowdahSchema
import HowdahStages
import HowdahTesting
import PQClient
import TestSupport
import Testing

/// Whatever role migrates: what it makes belongs to the store's owner, and it does not migrate what it cannot see or change.
@Suite struct MigratingRoleTests {
    @Test(arguments: ["postgres", "owner", "member"], [true, false])
    func whatIsMadeBelongsToTheOwner(role: String, deferring: Bool) async throws {
        try await StoreRoles.with { roles in
            let connection = try roles.connect(role)
            defer { connection.close() }
            var options = MigrationOptions()
            options.shouldDeferLightweightMigration = deferring
            options.confirmedDrops = ["Gone", "Person.nick"]
            _ = try StoreMigration(connection, to: try Register.new(), options: options).apply()
            #expect(try roles.strangers() == [])
            // While work is pending, and after it.
            for _ in 0..<2 {
                for user in ["owner", "clerk"] {
                    let container = try await PersistentContainer.open(roles.url(user), model: Register.new())
                    try await container.perform { context in
                        context.insert("Person")["title"] = "\(role) \(user) \(UInt32.random(in: 0 ... .max))"
                        try context.save()
                    }
                    await container.close()
                }
                try DeferredWork(connection).finish()
                #expect(try roles.strangers() == [])
            }
            #expect(try await Register.differences(roles.database) == [])

            // The owner goes on alone, and a program that reads only asks the ledger as it restarts.
            let own = try roles.connect("owner")
            defer { own.close() }
            var back = MigrationOptions()
            back.goesBack = true
            back.confirmedDrops = options.confirmedDrops
            _ = try StoreMigration(own, to: try Register.old(), options: back).apply()
            let reader = try roles.connect("reader")
            defer { reader.close() }
            #expect(try MigrationLedger.hasLeft(Register.new(), in: "public", on: reader))
        }
    }

    @Test(
        "A role with any name migrates a store of another role",
        arguments: ["Mixed", "a b", "a\"b'c\\", "1"])
    func roleNames(_ start: String) async throws {
        try await StoreRoles.with { roles in
            // Digits alone are the number of a role, too.
            let name = start == "1" ? "1\(UInt32.random(in: 0 ... .max))" : start + roles.suffix
            let role = SQLIdentifier.quoted(name)
            try roles.admin.executeScript(
                "CREATE ROLE \(role) LOGIN; GRANT \(roles.name("owner")) TO \(role)")
            defer { try? roles.admin.executeScript("DROP OWNED BY \(role); DROP ROLE \(role)") }
            let value = try #require(name.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
            let connection = try Connection(
                ConnectionConfiguration(
                    roles.database.url.replacing("user=postgres", with: "user=\(value)")))
            defer { connection.close() }
            var options = MigrationOptions()
            options.confirmedDrops = ["Gone", "Person.nick"]
            try StoreMigration(connection, to: try Register.new(), options: options).apply()
            #expect(try roles.strangers() == [])
        }
    }

    @Test("A member is told the permission that the owner lacks") func ownerWithoutCreate() async throws {
        try await StoreRoles.with { roles in
            let (owner, member) = (roles.name("owner"), roles.name("member"))
            try roles.admin.executeScript(
                "REVOKE CREATE ON SCHEMA public FROM \(owner); GRANT CREATE ON SCHEMA public TO \(member)")
            let connection = try roles.connect("member")
            defer { connection.close() }
            var options = MigrationOptions()
            options.confirmedDrops = ["Gone", "Person.nick"]
            let runner = StoreMigration(connection, to: try Register.new(), options: options)
            let error = #expect(throws: MigrationError.self) { try runner.apply() }
            #expect(error?.code == .missingGrant)
            #expect(
                error?.message.contains("GRANT CREATE ON SCHEMA \"public\" to that owner") == true,
                "\(String(describing: error))")
        }
    }

    @Test(arguments: ["clerk", "reader"]) func whoMayNotChangeTheStoreIsToldWhoMay(role: String) async throws
    {
        try await StoreRoles.with { roles in
            let connection = try roles.connect(role)
            defer { connection.close() }
            let runner = StoreMigration(connection, to: try Register.new())
            for attempt in [{ _ = try runner.plan() }, { _ = try runner.apply() }] {
                let error = #expect(throws: MigrationError.self) { try attempt() }
                #expect(error?.code == .missingGrant, "\(error as Any)")
                let grant = "GRANT \(roles.name("owner")) TO \(roles.name(role))"
                #expect(error?.message.contains(grant) == true, "\(error as Any)")
            }
        }
    }

    @Test func hiddenRowsAreNotMigrated() async throws {
        try await StoreRoles.with { roles in
            try roles.admin.executeScript(
                "ALTER TABLE person ENABLE ROW LEVEL SECURITY; ALTER TABLE person FORCE ROW LEVEL SECURITY; "
                    + "CREATE POLICY own ON person USING (_id % 2 = 0)")
            let connection = try roles.connect("owner")
            defer { connection.close() }
            var options = MigrationOptions()
            options.shouldDeferLightweightMigration = true
            options.confirmedDrops = ["Gone", "Person.nick"]
            let runner = StoreMigration(connection, to: try Register.new(), options: options)
            for attempt in [{ _ = try runner.plan() }, { _ = try runner.apply() }] {
                let error = #expect(throws: MigrationError.self) { try attempt() }
                #expect(error?.code == .rowSecurity, "\(error as Any)")
                for word in ["person", roles.name("owner"), "BYPASSRLS", "NO FORCE ROW LEVEL SECURITY"] {
                    #expect(error?.message.contains(word) == true, "\(word): \(error as Any)")
                }
            }
            // One who sees all may; the rest of the work is refused to the owner again.
            let seeing = try roles.connect("guard")
            defer { seeing.close() }
            var held = options
            held.lockBudget = .seconds(5)
            try seeing.begin()
            try seeing.rollback()
            _ = try StoreMigration(seeing, to: try Register.new(), options: held).apply()
            if try !PendingWork(roles.admin, in: "public").steps().isEmpty {
                let error = #expect(throws: MigrationError.self) {
                    try DeferredWork(connection).finish()
                }
                #expect(error?.code == .rowSecurity)
            }
            try DeferredWork(seeing).finish()
            let ages = try roles.admin.query(
                "SELECT count(*) FROM person WHERE age IS NOT NULL", cached: false)
            #expect(ages.scalar(\.int64) == 20)
        }
    }

    @Test(arguments: ["DATABASE", "ROLE"]) func settingsDoNotMatter(place: String) async throws {
        try await StoreRoles.with { roles in
            let admin = roles.admin
            let role = roles.name("guard")
            try admin.executeScript("ALTER ROLE \(role) SUPERUSER")
            let name = place == "ROLE" ? role : SQLIdentifier.quoted(roles.database.name)
            for (setting, value) in HostileSettings.worst {
                try admin.executeScript("ALTER \(place) \(name) SET \(setting) = '\(value)'")
            }
            let connection = try roles.connect("guard")
            defer { connection.close() }
            _ = try Register.runner(connection).apply()
            try DeferredWork(connection).finish()
            // The catalogue is told in words that depend on some of them.
            try admin.executeScript("ALTER DATABASE \(SQLIdentifier.quoted(roles.database.name)) RESET ALL")
            #expect(try await Register.differences(roles.database) == [])
            let ages = try admin.query("SELECT count(*) FROM person WHERE age = 30", cached: false)
            #expect(ages.scalar(\.int64) == 15)
        }
    }
}
