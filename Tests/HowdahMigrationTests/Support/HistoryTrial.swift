import HowdahMigration
import HowdahModel
import HowdahRuntime
import HowdahSchema
import HowdahTesting
import PQClient
import TestSupport
import Testing

/// A store of folders and notes without history, and what an operator and a program without history do with it.
struct HistoryTrial {
    let database: TemporaryDatabase
    let connection: Connection

    var history: HistoryAdministration { HistoryAdministration(connection, lockBudget: .seconds(5)) }

    static func with(
        _ model: ManagedObjectModel? = nil, _ body: (HistoryTrial) async throws -> Void
    ) async throws {
        try await withTemporaryDatabase(for: model ?? Notebook.model()) { database in
            let connection = try Connection(ConnectionConfiguration(database.url))
            defer { connection.close() }
            try await body(HistoryTrial(database: database, connection: connection))
        }
    }

    func connect() throws -> Connection { try Connection(ConnectionConfiguration(database.url)) }

    func run(_ script: String) throws { try connection.executeScript(script) }

    /// The first value of a query or expression, as text.
    func value(_ expression: String) throws -> String? {
        try connection.query("SELECT (\(expression))::text", cached: false)
            .map { $0[0].isNull ? nil : $0[0].string() }.first ?? nil
    }

    /// Runs statements as a program that writes its history.
    func runMarked(_ script: String) throws {
        try run("BEGIN; SET LOCAL howdah.history = 'on'; \(script); COMMIT")
    }

    /// The SQLSTATE with which a script fails on another session; nil if it does not.
    func failure(of script: String) throws -> String? {
        let other = try connect()
        defer { other.close() }
        do {
            try other.executeScript(script)
            return nil
        } catch let error as PostgresError {
            return error.sqlState ?? "?"
        }
    }

    /// The code with which a call of an operator fails.
    func code(_ body: () throws -> some Any) -> String {
        do {
            _ = try body()
            return ""
        } catch {
            return (error as? MigrationError)?.code.description ?? "\(error)"
        }
    }
}
