import Foundation
package import HowdahSchema
import PQClient

/// The history of a store, as the programs that write to it need it.
package struct StoreHistory: Sendable {
    /// The names of the tables.
    let tables: HistoryTables
    /// A Boolean value that indicates whether statements must set the mark that they write their own history.
    let marksSaves: Bool
    /// This process and container, in the history that they write.
    let process: String

    package init(_ tables: HistoryTables, marksSaves: Bool) {
        self.tables = tables
        self.marksSaves = marksSaves
        let information = ProcessInfo.processInfo
        process =
            "\(information.processName) \(information.processIdentifier) \(information.hostName) \(UUID().uuidString.prefix(8))"
            .replacing("\0", with: "")
    }

    /// The beginning of statements that read or keep the history, which a ``StatementLog`` does not count.
    static let upkeep = "/* history */ "
    /// The first words of ``mark(_:)``.
    static let markBeginning = "SELECT pg_catalog.set_config('\(HistoryTables.setting)'"
    /// The first words of statements that write several rows of history.
    static let severalRows = "WITH number AS MATERIALIZED (SELECT "

    /// Returns a Boolean value that indicates whether a statement writes rows of history and no others.
    static func writesOnlyHistory(_ sql: String) -> Bool {
        sql.hasPrefix(severalRows)
            || sql.hasPrefix("INSERT INTO ") && sql.prefix(200).contains("\"_howdah_history\" (")
    }

    /// Returns the statement that informs triggers whether the statements of the transaction write their own history.
    static func mark(_ isOn: Bool) -> String {
        "\(markBeginning), '\(isOn ? "on" : "")', true)"
    }

    /// The quoted name of the table of changes.
    var table: String { tables.history }

    /// The expression for the slot that is written.
    var slot: String { tables.slotExpression }

    /// The expression for the next number of a transaction of the history.
    var nextNumber: String { "pg_catalog.nextval(\(SQLLiteral.string(tables.number))::pg_catalog.regclass)" }

    /// The expression for the number that was drawn last on the connection.
    var lastNumber: String { "pg_catalog.currval(\(SQLLiteral.string(tables.number))::pg_catalog.regclass)" }
}
