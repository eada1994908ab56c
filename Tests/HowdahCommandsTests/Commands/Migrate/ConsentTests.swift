import Foundation
import HowdahTesting
import PQClient
import Testing

/// Where the address of a database comes from, and what a command that writes to it says and asks.
@Suite struct ConsentTests {
    private static func run(
        _ store: MigrationFolder, _ arguments: [String], _ environment: [String: String]
    ) throws -> Tool.Outcome {
        try Tool.run(arguments, in: store.folder, environment: environment)
    }

    @Test func anAddressForAllProgramsNeedsConsent() throws {
        let store = try MigrationFolder(["v1": MigrationFolder.attribute("name")])
        let parts = try ConnectionConfiguration(store.database.url)
        let apply = ["migrate", "apply", "--model", "Library.xcdatamodeld"]
        let common: [[String: String]] = [
            ["DATABASE_URL": store.database.url],
            [
                "PGHOST": parts["host"] ?? "", "PGDATABASE": parts["dbname"] ?? "",
                "PGUSER": parts["user"] ?? "",
            ],
        ]
        for environment in common {
            let source = environment.keys.filter { $0 != "PGUSER" }.sorted { $0 > $1 }.joined(separator: ", ")
            for command in [apply, ["migrate", "finish"]] {
                let refused = try Self.run(store, command, environment)
                #expect(refused.status == 64 && refused.output.isEmpty, "\(refused)")
                #expect(
                    refused.complaint.contains("Add --yes, or name the database with --database"),
                    "\(refused)")
                #expect(refused.complaint.contains(parts["dbname"] ?? "?"), "\(refused)")
            }
            // Commands that only read ask nothing and say nothing.
            let status = try Self.run(
                store, ["migrate", "status", "--model", "Library.xcdatamodeld"], environment)
            #expect(!status.complaint.contains("Writing to") && status.status == 2, "\(status)")
            #expect(source == "DATABASE_URL" || source == "PGHOST, PGDATABASE")
        }
        let tables = try store.connect()
        defer { tables.close() }
        #expect(
            try tables.query("SELECT 1 FROM pg_catalog.pg_tables WHERE schemaname = 'public'", cached: false)
                .rowCount == 0)
        let own = try Self.run(
            store, apply, ["HOWDAH_DATABASE": store.database.url, "DATABASE_URL": "postgres://other"])
        #expect(
            own.status == 0 && own.complaint.contains("as role postgres, from HOWDAH_DATABASE.\n"), "\(own)")
        for environment in common {
            let agreed = try Self.run(store, apply + ["--yes"], environment)
            #expect(agreed.status == 0 && agreed.complaint.hasPrefix("Writing to database "), "\(agreed)")
            #expect(try Self.run(store, apply + ["--yes", "--quiet"], environment).complaint.isEmpty)
        }
        // The option counts before any variable.
        let named = try store.run("apply", "v1")
        #expect(named.status == 0 && named.complaint.contains("from --database.\n"), "\(named)")
    }

    @Test func theDatabaseOfAServiceIsNamed() throws {
        let store = try MigrationFolder(["v1": MigrationFolder.attribute("name")])
        let parts = try ConnectionConfiguration(store.database.url)
        let file = store.folder.path + "/services.conf"
        try "[prod]\nhost=\(parts["host"] ?? "")\ndbname=\(store.database.name)\nuser=postgres\n"
            .write(toFile: file, atomically: true, encoding: .utf8)
        // What the environment also has completes the service, and does not replace it.
        let environment = [
            "PGSERVICE": "prod", "PGSERVICEFILE": file, "PGDATABASE": "other", "PGHOST": "/nowhere",
        ]
        let made = try Self.run(
            store, ["migrate", "apply", "--model", "Library.xcdatamodeld", "--yes"], environment)
        #expect(made.status == 0, "\(made)")
        #expect(
            made.complaint.hasPrefix("Writing to database \(store.database.name) on ")
                && made.complaint.contains("(service prod)"), "\(made)")
        let tables = try store.connect()
        defer { tables.close() }
        #expect(
            try tables.query("SELECT 1 FROM pg_catalog.pg_tables WHERE tablename = 'author'", cached: false)
                .rowCount == 1)
    }

    @Test func anAddressOfTheEnvironmentReplacesNoSocket() throws {
        let store = try MigrationFolder(["v1": MigrationFolder.attribute("name")])
        let outcome = try Self.run(
            store,
            ["migrate", "status", "--model", "Library.xcdatamodeld", "--database", store.database.url],
            ["PGHOSTADDR": "127.0.0.1"])
        #expect(outcome.status == 1 && outcome.complaint.contains("Unset PGHOSTADDR."), "\(outcome)")
    }

    @Test func onlyVariablesThatNameAPlaceCount() throws {
        let store = try MigrationFolder(["v1": MigrationFolder.attribute("name")])
        for environment in [
            [:], ["PGUSER": "postgres", "PGPORT": "5432"], ["HOWDAH_DATABASE": " ", "DATABASE_URL": ""],
        ] {
            let outcome = try Self.run(
                store, ["migrate", "status", "--model", "Library.xcdatamodeld"], environment)
            #expect(outcome.status == 64 && outcome.complaint.contains("No database is given."), "\(outcome)")
        }
    }
}
