import HowdahModel
import PQClient

/// A handler of a stage as a script of SQL.
struct SQLHandler: Sendable {
    private let script: String
    private let schemaName: String

    init(_ script: String, schemaName: String) {
        self.script = script
        self.schemaName = schemaName
    }

    /// Runs the script with unqualified names meaning those of the store.
    ///
    /// In a block of the server's language, where statements that end the transaction are refused before they do.
    func run(_ connection: Connection, _ model: ManagedObjectModel) throws {
        let path = "\(SQLIdentifier.quoted(schemaName)), pg_catalog, pg_temp"
        _ = try connection.query("SET LOCAL search_path TO \(path)", cached: false)
        let body = "BEGIN EXECUTE \(SQLLiteral.string(script)); END"
        _ = try connection.query("DO LANGUAGE plpgsql \(SQLLiteral.string(body))", cached: false)
    }
}
