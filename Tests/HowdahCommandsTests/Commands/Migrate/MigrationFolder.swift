import Foundation
import HowdahTesting
import PQClient
import Testing

/// A folder with versions of a model, and a database; what is run in it works on both.
final class MigrationFolder {
    let folder: ToolFolder
    let database: TemporaryDatabase

    /// - Parameter versions: the attributes and relationships of `Author`, by the version's name.
    init(_ versions: [String: String]) throws {
        folder = try ToolFolder()
        for (name, elements) in versions {
            try folder.place(
                "<entity name=\"Author\" syncable=\"YES\">\(elements)</entity>",
                at: "Library.xcdatamodeld/\(name).xcdatamodel")
        }
        database = try EphemeralPostgres.shared().createDatabase()
    }

    deinit { try? database.drop() }

    static func attribute(_ name: String, _ type: String = "String", _ more: String = "") -> String {
        "<attribute name=\"\(name)\" optional=\"YES\" attributeType=\"\(type)\" \(more)/>"
    }

    /// Runs `migrate` with the model.
    func run(_ command: String, _ version: String, _ more: String...) throws -> Tool.Outcome {
        try Tool.run(
            [
                "migrate", command, "--model", "Library.xcdatamodeld", "--version", version, "--database",
                database.url,
            ] + more, in: folder)
    }

    /// Runs `migrate` on the database, without a model.
    func operate(_ command: String, _ more: String...) throws -> Tool.Outcome {
        try Tool.run(["migrate", command, "--database", database.url] + more, in: folder)
    }

    /// Runs `migrate` with a plan.
    func planned(_ command: String, _ plan: String, _ more: String...) throws -> Tool.Outcome {
        try Tool.run(
            ["migrate", command, "--plan", plan, "--database", database.url] + more, in: folder)
    }

    func make(_ version: String) throws {
        let made = try run("apply", version)
        try #require(made.status == 0, "\(made)")
    }

    func connect() throws -> Connection { try Connection(ConnectionConfiguration(database.url)) }

    /// Runs statements.
    func sql(_ script: String) throws {
        let connection = try connect()
        defer { connection.close() }
        try connection.executeScript(script)
    }

    /// The texts of the first column.
    func texts(_ query: String) throws -> [String] {
        let connection = try connect()
        defer { connection.close() }
        return try connection.query(query, cached: false).map { $0[0].isNull ? "nil" : $0[0].string() }
    }
}
