import Foundation
import Howdah
import HowdahTesting
import PQClient
import TestSupport
import Testing

@testable import HowdahRuntime

/// Savers of copied values that take each other's rows in two orders: the loser's save is tried again by itself.
@Suite(.needsSession, .timeLimit(.minutes(60))) struct DerivedDeadlockTests {
    @Test func aMoveThatLosesAgainstARenameIsTriedAgain() async throws {
        try await withTestDatabase(for: DerivedModel.model()) { database in
            // Long enough that the other saver is waiting, too, when the server looks for a deadlock.
            let separator = database.url.contains("?") ? "&" : "?"
            let url = database.url + separator + "options=-c%20deadlock_timeout%3D10s"
            let container = try await PersistentContainer.open(url, model: DerivedModel.model())
            let (employee, department) = try await container.perform { context in
                let firm = context.insert("Firm")
                firm["name"] = "F"
                let departments = ["1", "2"].map { name in
                    let department = context.insert("Department")
                    (department["name"], department["firm"]) = (name, firm)
                    return department
                }
                let employee = context.insert("Employee")
                (employee["name"], employee["department"]) = ("E", departments[0])
                try context.save()
                return (employee.objectID, departments[1].objectID)
            }
            let other = try Connection(ConnectionConfiguration(database.url))
            defer { other.close() }
            // What a saver does that renames the department: the source first, then its holders.
            _ = try other.query("SET deadlock_timeout = '60s'")
            _ = try other.query("BEGIN")
            _ = try other.query("SELECT 1 FROM department WHERE name = '2' FOR NO KEY UPDATE")
            container.statementLog.start()
            async let saved: Void = container.perform { context in
                try context.existingObject(with: employee)["department"] =
                    try context.existingObject(with: department)
                try context.save()
            }
            let sql = PlainSQL(url: database.url)
            let waiting =
                "SELECT count(*)::text FROM pg_stat_activity WHERE datname = current_database() "
                + "AND wait_event_type = 'Lock'"
            while try sql.value(waiting) == "0" { try await Task.sleep(for: .milliseconds(5)) }
            _ = try other.query("SELECT 1 FROM employee WHERE name = 'E' FOR NO KEY UPDATE")
            _ = try other.query("COMMIT")
            try await saved
            let moves = container.statementLog.statements.filter {
                $0.sql.contains("\"department\" = $")
            }
            // Who comes first when the loser's locks are gone is the server's affair: it may lose once more.
            #expect(moves.count >= 2, "the first attempt is the one that lost")
            #expect(try DerivedModel.wrongRows(sql) == [])
            #expect(
                try sql.value(
                    "SELECT d.name FROM employee e JOIN department d ON d._id = e.department") == "2")
            await container.close(drainingFor: .seconds(5))
        }
    }
}
