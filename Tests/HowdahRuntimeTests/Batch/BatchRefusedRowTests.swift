import DeclaredModels
import Foundation
import Howdah
import HowdahTesting
import TestSupport
import Testing

/// Insertions that collect the rows that are refused, and store the others.
@Suite(.timeLimit(.minutes(60))) struct BatchRefusedRowTests {
    private typealias Row = [String: any Sendable]

    private static func stream(_ rows: [Row]) -> AsyncStream<Row> {
        AsyncStream { stream in
            for row in rows { stream.yield(row) }
            stream.finish()
        }
    }

    private static func insert(
        _ rows: [Row], _ policy: MergePolicy.MergeType, isStream: Bool, upTo limit: Int = 100,
        _ container: PersistentContainer
    ) async throws -> BatchInsertResult<Book> {
        isStream
            ? try await container.insert(
                into: Book.self, uniqueness: policy, result: .objectIDs, refusedRows: .collect(upTo: limit),
                from: stream(rows))
            : try await container.insert(
                into: Book.self, uniqueness: policy, result: .objectIDs, refusedRows: .collect(upTo: limit),
                from: rows)
    }

    /// Missing values, wrong types, CHECKs and values that no column takes, in several chunks.
    @Test(
        arguments: [MergePolicy.MergeType.error, .mergeByPropertyObjectTrump, .rollback], [false, true])
    func theOthersAreStored(policy: MergePolicy.MergeType, isStream: Bool) async throws {
        try await withTestStore(DeclaredStaff.ledger()) { container in
            var rows = (0..<5_000).map { ["title": "T\($0)", "year": 2_000] as Row }
            rows[0] = ["year": 2_000]
            rows[10]["year"] = "x"
            rows[11]["year"] = 1_800
            rows[2_500]["title"] = String(repeating: "x", count: 81)
            rows[2_501]["year"] = 100_000
            rows[2_502]["title"] = "with\0zero"
            rows[4_999]["year"] = 1_899
            let result = try await Self.insert(rows, policy, isStream: isStream, container)
            let numbers = [1, 11, 12, 2_501, 2_502, 2_503, 5_000]
            #expect(result.refused.map(\.row) == numbers)
            #expect(result.refused.allSatisfy { row in row.issues.allSatisfy { $0.row == row.row } })
            #expect(
                result.refused.map { $0.issues.first?.propertyName }
                    == ["title", "year", "year", "title", "year", "title", "year"])
            #expect(result.refused.allSatisfy { !$0.description.contains("1800") })
            #expect(result.insertedCount == 4_993 && result.updatedCount == 0 && result.skippedCount == 0)
            #expect(result.insertedObjectIDs.count == 4_993)
            try await container.perform { context in
                try #expect(context.count(Book.self) == 4_993)
                #expect(
                    Set(try context.fetchObjectIDs(FetchRequest<Book>())) == Set(result.insertedObjectIDs))
            }
        }
    }

    /// A stream's refused rows are known before the transaction, which does not get them.
    @Test(arguments: [MergePolicy.MergeType.error, .mergeByPropertyObjectTrump, .rollback], [false, true])
    func theLastRowsOrAllAreRefused(policy: MergePolicy.MergeType, isStream: Bool) async throws {
        try await withTestStore(DeclaredStaff.ledger()) { container in
            let bad: Row = ["year": 2_000]
            for (number, refused) in [[1, 2, 3], [2, 3], [1, 3], [3], [1]].enumerated() {
                let rows = (1...3).map {
                    refused.contains($0) ? bad : ["title": "T\(number) \($0)", "year": 2_000]
                }
                for isAgain in policy == .error ? [false] : [false, true] {
                    let result = try await Self.insert(rows, policy, isStream: isStream, container)
                    #expect(result.refused.map(\.row) == refused)
                    #expect(result.insertedCount == (isAgain ? 0 : 3 - refused.count))
                    let met = isAgain ? 3 - refused.count : 0
                    #expect(result.updatedCount == (policy == .mergeByPropertyObjectTrump ? met : 0))
                    #expect(result.skippedCount == (policy == .rollback ? met : 0))
                }
            }
        }
    }

    @Test func takenValuesAreRefusedAndTheFirstRowStays() async throws {
        try await withTestStore(DeclaredStaff.ledger()) { container in
            try await container.insert(into: Book.self, from: [["title": "T70", "year": 2_000]])
            var rows = (0..<100).map { ["title": "T\($0)", "year": 2_000] as Row }
            rows[90] = rows[3]
            let result = try await Self.insert(rows, .error, isStream: false, container)
            #expect(result.refused.map(\.row) == [71, 91])
            #expect(result.refused.allSatisfy { $0.issues.first?.properties == ["title", "year"] })
            #expect(result.insertedCount == 98)
            // With a policy they are no fault.
            let again = try await Self.insert(rows, .rollback, isStream: false, container)
            #expect(again.refused.isEmpty && again.insertedCount == 0 && again.skippedCount == 100)
        }
    }

    /// The server finds them at the end of the statement, without their rows.
    @Test func missingDestinationsAreFoundByHalves() async throws {
        try await withTestStore(Company.model()) { container in
            let (gone, here) = try await container.perform { context in
                let (gone, here) = (Department(context: context), Department(context: context))
                (gone.name, here.name) = ("gone", "here")
                try context.save()
                let ids = (gone.objectID as ObjectID<Department>, here.objectID as ObjectID<Department>)
                context.delete(gone)
                try context.save()
                return ids
            }
            container.statementLog.start()
            let result = try await container.insert(
                into: Employee.self, refusedRows: .collect(upTo: 3),
                from: (0..<1_000).map {
                    ["firstName": "e\($0)", "department": $0 == 17 || $0 == 800 ? gone : here]
                })
            #expect(result.refused.map(\.row) == [18, 801])
            #expect(result.refused.allSatisfy { $0.issues.first?.propertyName == "department" })
            #expect(container.statementLog.statements.count { $0.sql.hasPrefix("COPY") } < 45)
            try await #expect(container.perform { try $0.count(Employee.self) } == 998)
        }
    }

    @Test(arguments: [false, true]) func tooManyFailAsAWhole(isStream: Bool) async throws {
        try await withTestStore(DeclaredStaff.ledger()) { container in
            var rows = (0..<50).map { ["title": "T\($0)", "year": 2_000] as Row }
            for place in [4, 20, 30] { rows[place]["year"] = place == 4 ? "x" : 1_800 }
            let error = await #expect(throws: SaveError.self) {
                try await Self.insert(rows, .error, isStream: isStream, upTo: 2, container)
            }
            #expect(error?.code == .validation && error?.issues.map(\.row) == [5, 21, 31])
            #expect(error?.message.contains("More than 2 rows") == true)
            try await #expect(container.perform { try $0.count(Book.self) } == 0)
            try await #expect(
                Self.insert(rows, .error, isStream: isStream, upTo: 3, container).insertedCount
                    == 47)
            let wrong = await #expect(throws: FetchError.self) {
                try await Self.insert(rows, .error, isStream: isStream, upTo: -1, container)
            }
            #expect(wrong?.code == .invalidRequest)
        }
    }

    @Test func generatorsAndTransactionsCollectToo() async throws {
        try await withTestStore(MailJob.model()) { container in
            try await container.perform(isolation: .readCommitted) { context in
                var number = 0
                var request = BatchInsertRequest(
                    MailJob.self,
                    dictionaryHandler: { row in
                        number += 1
                        row = ["title": "t", "number": number % 10 == 0 ? -1 : number]
                        return number > 30
                    })
                request.refusedRows = .collect(upTo: 10)
                let result = try context.execute(request)
                #expect(result.refused.map(\.row) == [10, 20, 30] && result.count == 27)
                number = 0
                var objects = BatchInsertRequest(
                    MailJob.self,
                    managedObjectHandler: { job in
                        number += 1
                        (job.title, job.note) = ("t", number == 2 ? "far too long" : "n")
                        return number > 3
                    })
                objects.refusedRows = .collect(upTo: 1)
                try #expect(context.execute(objects).refused.map(\.row) == [2])
            }
            try await #expect(container.perform { try $0.count(MailJob.self) } == 29)
        }
    }

    /// The names of a request are the program's fault, not a row's.
    @Test func wrongNamesFailAsAWhole() async throws {
        try await withTestStore(MailJob.model()) { container in
            let error = await #expect(throws: FetchError.self) {
                try await container.insert(
                    into: MailJob.self, refusedRows: .collect(upTo: 9),
                    from: [["title": "a"], ["title": "b", "nmber": 1]])
            }
            #expect(error?.code == .invalidRequest)
            try await #expect(container.perform { try $0.count(MailJob.self) } == 0)
        }
    }

    @Test(arguments: [RefusedRowPolicy.fail, .collect(upTo: 1)])
    func rowsThatATriggerLeavesOutHaveNoIDs(policy: RefusedRowPolicy) async throws {
        try await withTestStore(MailJob.model()) { container in
            try await container.perform { context in
                _ = try context.fetchRows(
                    sql: """
                        CREATE FUNCTION leave_out() RETURNS trigger LANGUAGE plpgsql AS
                        $$ BEGIN IF NEW.number = 7 THEN RETURN NULL; END IF; RETURN NEW; END $$
                        """)
                _ = try context.fetchRows(
                    sql: """
                        CREATE TRIGGER leave_out BEFORE INSERT ON mail_job FOR EACH ROW
                        EXECUTE FUNCTION leave_out()
                        """)
            }
            let result = try await container.insert(
                into: MailJob.self, result: .objectIDs, refusedRows: policy,
                from: (1...20).map { ["title": "t", "number": $0] })
            #expect(result.insertedCount == 19 && result.skippedCount == 1 && result.refused.isEmpty)
            let stored = try await container.perform { try $0.fetchObjectIDs(FetchRequest<MailJob>()) }
            #expect(result.insertedObjectIDs == stored.sorted { $0.key < $1.key })
        }
    }

    /// Owners of refused rows do not change; those of others do, once.
    @Test func onlyStoredRowsHaveEffects() async throws {
        try await withTestStore(DeclaredStaff.ledger()) { container in
            let ids = try await container.insert(
                into: Book.self, result: .objectIDs,
                from: [["title": "a", "year": 2_000], ["title": "b", "year": 2_000]]
            ).insertedObjectIDs
            let result = try await container.insert(
                into: Entry.self, refusedRows: .collect(upTo: 2),
                from: [
                    ["amount": 1, "book": ids[0]], ["amount": "x", "book": ids[1]],
                    ["amount": 2, "book": ids[0]],
                ])
            #expect(result.refused.map(\.row) == [2])
            let sizes = try await container.perform {
                try $0.fetch(Book.self, sortedBy: .key("title")).map(\.size)
            }
            #expect(sizes == [2, 0])
        }
    }
}
