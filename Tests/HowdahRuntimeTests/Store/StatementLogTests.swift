import Foundation
import Howdah
import HowdahTesting
import TestSupport
import Testing

@testable import HowdahRuntime

@Suite struct StatementLogTests {
    @Test func statementsAreLoggedWithDurationAndRowsAndWithoutValues() async throws {
        let secret = "xyzzy-secret"
        let log = LogRecorder()
        var options = StoreOptions()
        options.logger = log.logger
        var errors: [String] = []
        try await withStore(Company.model(), options: options) { container, sql in
            errors = try await container.perform { context in
                var errors: [String] = []
                for count in [3, 20, 200] {
                    for index in 0..<count {
                        let employee = Employee(context: context)
                        employee.firstName = "\(secret) \(index)"
                    }
                    try context.save()
                }
                let all = try context.fetch(
                    Employee.self, matching: .format("firstName BEGINSWITH %@", secret))
                #expect(all.count == 223)
                for employee in all.prefix(50) { employee.lastName = secret }
                try context.save()
                // Failures of every kind: the server quotes values in its own words.
                for name in [secret, secret] {
                    let department = Department(context: context)
                    department.name = name
                }
                if let error = saveError({ try context.save() }) { errors.append("\(error)") }
                context.rollback()
                try sql.rows("UPDATE employee SET last_name = '\(secret) theirs', _version = 9")
                all[0].lastName = secret + "mine"
                if let error = saveError({ try context.save() }) { errors.append("\(error)") }
                context.rollback()
                try sql.rows("ALTER TABLE employee ADD CHECK (last_name <> '\(secret)!')")
                let checked = Employee(context: context)
                checked.firstName = secret
                checked.lastName = secret + "!"
                if let error = saveError({ try context.save() }) { errors.append("\(error)") }
                return errors
            }
        }
        #expect(errors.count == 3)
        #expect(errors.allSatisfy { !$0.contains(secret) })
        let statements = log.entries.filter { $0.message.hasPrefix("statement") }
        #expect(statements.count > 10)
        for entry in log.entries {
            #expect(!"\(entry.message) \(entry.metadata)".contains(secret))
        }
        let fetch = try #require(
            statements.first {
                $0.metadata["sql"]?.contains("FROM \"public\".\"employee\"") == true
                    && $0.metadata["sql"]?.hasPrefix("SELECT") == true
            })
        #expect(fetch.metadata["rows"] == "223")
        #expect(statements.allSatisfy { $0.metadata["duration"]?.contains("seconds") == true })
        #expect(statements.contains { $0.metadata["error"]?.contains("23505") == true })
        // COPY counts its rows too.
        #expect(
            statements.contains {
                $0.metadata["sql"]?.hasPrefix("COPY") == true && $0.metadata["rows"] == "200"
            })
    }
}
