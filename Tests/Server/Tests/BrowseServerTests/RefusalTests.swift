import Foundation
import Howdah
import HowdahTesting
import LocalPostgres
import Testing

/// Databases that `howdah browse` cannot show: status 1, a remedy, and no password.
@Suite(.timeLimit(.minutes(5))) struct RefusalTests {
    private static let password = "s3cret-word"

    /// Runs the command and expects that it fails with each of the texts.
    private func expect(_ texts: [String], _ arguments: [String]) throws {
        let failure = try BrowseProgram.failure(arguments)
        #expect(failure.status == 1)
        for text in texts { #expect(failure.complaint.contains(text), "\(failure.complaint)") }
        #expect(!failure.complaint.contains(Self.password))
    }

    /// Runs `body` with the address of a database, with a role that has the password.
    private func withDatabase(_ body: (_ url: String) throws -> Void) throws {
        let database = try EphemeralPostgres.shared().createDatabase()
        defer { try? database.drop() }
        try body(database.url)
    }

    @Test("A schema without a store is refused, and stays empty")
    func noStore() throws {
        try withDatabase { url in
            for _ in 0..<2 {
                try expect(
                    ["The schema 'public' has no store", "howdah migrate apply"], ["--database", url])
            }
        }
    }

    @Test("A schema that does not exist is named")
    func noSchema() throws {
        try withDatabase { url in
            try expect(["'nowhere'"], ["--database", url, "--schema", "nowhere"])
        }
    }

    @Test("A database that does not exist is named")
    func noDatabase() throws {
        try withDatabase { url in
            var parts = try #require(URLComponents(string: url))
            parts.path = "/no_such_database"
            try expect(
                ["The database cannot be reached.", "no_such_database"],
                ["--database", try #require(parts.string)])
        }
    }

    @Test("A server that cannot be reached is reported")
    func noServer() throws {
        try expect(
            ["The database cannot be reached. Check the address"],
            ["--database", "postgres://reader:\(Self.password)@127.0.0.1:1/shop"])
    }

    @Test("A wrong password is reported without it")
    func wrongPassword() async throws {
        let cluster = try LocalCluster.start()
        defer { cluster.stop(.immediate) }
        let url = cluster.url()
        let container = try await PersistentContainer.open(url, model: Notes.model())
        let file = try await container.perform { context in
            try context.fetchRows(String.self, sql: "SELECT pg_catalog.current_setting('hba_file')")[0]
        }
        try "local all all scram-sha-256\nhost all all all scram-sha-256\n".write(
            toFile: file, atomically: false, encoding: .utf8)
        _ = try await container.perform { context in
            try context.fetchRows(Bool.self, sql: "SELECT pg_catalog.pg_reload_conf()")
        }
        await container.close()
        var parts = try #require(URLComponents(string: url))
        parts.password = Self.password
        parts.queryItems = (parts.queryItems ?? []) + [.init(name: "password", value: Self.password)]
        var complaint = ""
        for _ in 0..<50 where !complaint.contains("password") {
            complaint = try BrowseProgram.failure(["--database", try #require(parts.string)]).complaint
        }
        #expect(complaint.contains("The database cannot be reached. Check the address"), "\(complaint)")
        #expect(!complaint.contains(Self.password))
    }
}
