import Foundation
import HowdahModel
import HowdahSchema
import PQClient
import TestSupport
import Testing

@testable import HowdahRuntime

/// Requests for history return what was committed after a token, in its order.
struct HistoryRequestTests {
    @Test func aTokenIsFollowedByLaterChangesOnly() async throws {
        try await HistoryStore.with { store in
            let writer = try store.writer()
            try writer.write([1])
            let token = try await store.container.currentHistoryToken()
            #expect(HistoryToken(token.description) == token)
            #expect(try await store.history(after: token).transactions.isEmpty)
            try writer.write([2, 3], kind: 0, author: "api", context: "import")
            try writer.write(
                [2], kind: 2, properties: nil, tombstones: #"[{"firstName": "Ada", "visits": 7}]"#)
            let result = try await store.history(after: token)
            #expect(result.transactions.count == 2 && result.count == 3 && !result.isAfterFailover)
            let first = try #require(result.transactions.first)
            #expect(
                first.author == "api" && first.contextName == "import" && first.processID == "tests 1 host")
            #expect(first.origin == .save && first.changes.map(\.changeType) == [.insert, .insert])
            #expect(first.changes.map(\.changedObjectID) == [store.id(2), store.id(3)])
            #expect(first.changes[0].updatedProperties == ["salary"])
            #expect(abs(first.timestamp.timeIntervalSinceNow) < 60)
            let last = try #require(result.transactions.last)
            #expect(last.changes[0].changeType == .delete && last.changes[0].updatedProperties == nil)
            #expect(last.changes[0].tombstone == ["firstName": .string("Ada"), "visits": .int(7)])
            #expect(first.transactionNumber < last.transactionNumber)
            let next = try #require(result.token)
            #expect(try await store.history(after: next).transactions.isEmpty)
            #expect(try await store.keys(after: first.token) == [2])
            #expect(try await store.keys(after: last.token) == [])
            #expect(try await store.keys(after: nil) == [1, 2, 3, 2])
        }
    }

    /// A token inside a window that was read earlier leads to what was committed since then, too.
    @Test func tokensOfTransactionsLeadToThePresent() async throws {
        try await HistoryStore.with { store in
            let writer = try store.writer()
            let token = try await store.container.currentHistoryToken()
            for key in 1...3 { try writer.write([Int64(key)]) }
            let result = try await store.history(after: token)
            for key in 4...6 { try writer.write([Int64(key)]) }
            for (index, transaction) in result.transactions.enumerated() {
                let expected = Array(Int64(index + 2)...6)
                #expect(try await store.keys(after: transaction.token) == expected)
                let later = try await store.container.perform {
                    try $0.execute(HistoryRequest.fetch(after: transaction))
                }
                #expect(later.count == expected.count)
            }
            // Page by page: no page is empty before the end.
            var (next, keys): (HistoryToken, [Int64]) = (result.transactions[0].token, [])
            for _ in 1...3 {
                let page = try await store.container.perform { [next] in
                    try $0.execute(HistoryRequest.fetch(after: next, limit: 2))
                }
                keys += page.transactions.flatMap(\.changes).map(\.changedObjectID.key)
                next = try #require(page.token)
            }
            #expect(keys == [2, 3, 4, 5, 6])
        }
    }

    /// The token of the last transaction is that of the result, and outlives the deletion of what is before it.
    @Test func theLastTransactionHasTheTokenOfTheResult() async throws {
        try await HistoryStore.with { store in
            let writer = try store.writer()
            let token = try await store.container.currentHistoryToken()
            for key in 1...3 { try writer.write([Int64(key)]) }
            let result = try await store.history(after: token)
            let last = try #require(result.transactions.last).token
            #expect(last == result.token)
            try await store.container.deleteHistory(before: last)
            #expect(try await store.keys(after: last) == [])
            try writer.write([4])
            #expect(try await store.keys(after: last) == [4])
            // Changes that a filter leaves out follow the last one that it does not.
            let start = try #require(try await store.history(after: last).token)
            for author in ["one", "two"] { try writer.write([5], author: author) }
            let filtered = try await store.history(after: start, where: HistoryFilter(author: .any("one")))
            #expect(try await store.keys(after: try #require(filtered.transactions.last).token) == [5])
        }
    }

    /// A poll of a quiet server skips the state only for tokens of the history that the container has judged.
    @Test func quietPollsRefuseTokensOfAnotherHistory() async throws {
        try await HistoryStore.with { store in
            var token = try await store.container.currentHistoryToken()
            for _ in 0..<3 { token = try #require(try await store.history(after: token).token) }
            let other = HistoryToken(
                store: token.store, incarnation: UUID(), era: token.era, snapshot: token.snapshot, page: nil)
            let error = await #expect(throws: HistoryError.self) { _ = try await store.history(after: other) }
            #expect(error?.code == .tokenExpired)
            try store.writer().write([7])
            #expect(try await store.keys(after: token) == [7])
        }
    }

    /// A snapshot from before a truncation shows neither the rows nor that they are gone. A server's role or a pooler
    /// can make sessions keep one.
    @Test func sessionsThatKeepSnapshotsAreRefused() async throws {
        try await HistoryStore.with { store in
            let tables = HistoryStore.tables
            let token = try await store.container.currentHistoryToken()
            try store.writer().write([1])
            let session = try store.company.session()
            defer { session.close() }
            try session.begin(isolation: .repeatableRead)
            let started = try session.query("SELECT purged_txid::text FROM \(tables.state)", cached: false)
                .map { $0[0].string() }
            for statement in [
                "TRUNCATE \(tables.history)",
                "UPDATE \(tables.state) SET purged_txid = pg_current_xact_id(), purged_at = pg_current_snapshot()",
            ] {
                try store.execute(statement)
            }
            // The control: the session finds a state in which nothing is purged, and no rows.
            let found = try session.query(
                "SELECT purged_txid::text, (SELECT count(*) FROM \(tables.history)) FROM \(tables.state)",
                cached: false
            ).map { ($0[0].string(), $0[1].int64) }
            #expect(found.map(\.0) == started && found.map(\.1) == [0])
            let reader = HistoryReader(
                store.container.store, try HistoryConditions(nil, in: store.container.store))
            let error = #expect(throws: HistoryError.self) { _ = try reader.read(after: token, on: session) }
            #expect(error?.code == .database)
            #expect(error?.message.contains("default_transaction_isolation") == true)
        }
    }

    @Test func eachResultTypeHasItsPart() async throws {
        try await HistoryStore.with { store in
            let writer = try store.writer()
            try writer.write([1, 2])
            try writer.write([2])
            for type in HistoryResultType.allCases {
                let result = try await store.container.perform {
                    try $0.execute(HistoryRequest.fetch(after: nil, resultType: type))
                }
                #expect(result.resultType == type && result.count == 3 && result.token != nil)
                let isWhole = type == .transactionsAndChanges
                #expect(result.transactions.count == (isWhole || type == .transactionsOnly ? 2 : 0))
                #expect(result.transactions.flatMap(\.changes).count == (isWhole ? 3 : 0))
                #expect(result.changes.count == (type == .changesOnly ? 3 : 0))
                #expect(result.objectIDs == (type == .objectIDs ? [store.id(1), store.id(2)] : []))
            }
        }
    }

    @Test func filtersSelectTransactionsAndChanges() async throws {
        try await HistoryStore.with { store in
            let writer = try store.writer()
            try writer.write([1], author: "api")
            try writer.write([2], kind: 2, properties: nil)
            try writer.write([3], entity: "Department", properties: ["name"], context: "import")
            try writer.write([4], properties: ["firstName"], origin: 1, author: "job")
            try writer.write([], entity: "", properties: nil, origin: 3)
            func numbers(_ filter: HistoryFilter) async throws -> [Int64] {
                try await store.history(after: nil, where: filter).transactions.map {
                    $0.changesEverything ? -1 : $0.changes[0].changedObjectID.key
                }
            }
            #expect(try await numbers(HistoryFilter()) == [1, 2, 3, 4, -1])
            #expect(try await numbers(HistoryFilter(author: "api")) == [1])
            #expect(try await numbers(HistoryFilter(author: .any("api", "job"))) == [1, 4])
            #expect(try await numbers(HistoryFilter(author: .not("api"))) == [2, 3, 4, -1])
            #expect(try await numbers(HistoryFilter(entities: [Employee.self])) == [1, 2, 4, -1])
            #expect(try await numbers(HistoryFilter(entities: [Department.self])) == [3, -1])
            #expect(try await numbers(HistoryFilter(changeTypes: [.delete])) == [2, -1])
            #expect(try await numbers(HistoryFilter(updatedProperties: ["firstName"])) == [2, 4, -1])
            // Insertions and deletions name no properties: those of entities with the property match.
            try writer.write([5], kind: 0, entity: "Department", properties: nil)
            var named = HistoryFilter(updatedProperties: ["name"])
            #expect(try await numbers(named) == [3, -1, 5])
            #expect(try await numbers(HistoryFilter(updatedProperties: ["firstName"])) == [2, 4, -1])
            let both = HistoryFilter(
                entities: [Employee.self, Department.self], updatedProperties: ["firstName"])
            #expect(try await numbers(both) == [2, 4, -1])
            #expect(try await numbers(HistoryFilter(contextName: "import")) == [3])
            #expect(try await numbers(HistoryFilter(processID: .not("tests 1 host"))) == [])
            #expect(try await numbers(HistoryFilter(origins: [.batch])) == [4])
            #expect(try await numbers(HistoryFilter(objectIDs: [store.id(4)])) == [4, -1])
            #expect(try await numbers(HistoryFilter(objectIDs: [store.id(4, "Department")])) == [-1])
            named = HistoryFilter()
            named.entityNames = ["Department"]
            #expect(try await numbers(named) == [3, -1, 5])
            await #expect(throws: FetchError.self) {
                try await store.history(after: nil, where: HistoryFilter(updatedProperties: ["nothing"]))
            }
            let stranger = ObjectID<ManagedObject>(storeIdentifier: UUID(), entityName: "Employee", key: 1)
            await #expect(throws: FetchError.self) {
                try await store.history(after: nil, where: HistoryFilter(objectIDs: [stranger]))
            }
        }
    }

    @Test func limitedRequestsContinueAtTheirTokens() async throws {
        try await HistoryStore.with { store in
            let writer = try store.writer()
            for key in 1...25 { try writer.write([Int64(key)]) }
            var (token, keys): (HistoryToken?, [Int64]) = (nil, [])
            for _ in 0..<9 {
                let result = try await store.history(after: token, limit: 3)
                keys += result.transactions.map { $0.changes[0].changedObjectID.key }
                // As text, as a program keeps it.
                token = HistoryToken(try #require(result.token).description)
            }
            #expect(keys == (1...25).map(Int64.init))
            #expect(try await store.keys(after: token) == [])
            await #expect(throws: HistoryError.self) { try await store.history(after: nil, limit: 0) }
        }
    }

    @Test func datesAreForPeople() async throws {
        try await HistoryStore.with { store in
            let writer = try store.writer()
            try writer.write([1])
            try await Task.sleep(for: .milliseconds(20))
            let date = Date.now
            try await Task.sleep(for: .milliseconds(20))
            try writer.write([2])
            let result = try await store.container.perform {
                try $0.execute(HistoryRequest.fetch(after: date))
            }
            #expect(result.transactions.map { $0.changes[0].changedObjectID.key } == [2])
            #expect(result.token == nil)
        }
    }

    /// A transaction that is open over the date is left out, so the result has no token to go on from.
    ///
    /// Control: the token after the result, which the first design returned, hides the change for good.
    @Test func aTransactionThatIsOpenOverTheDateIsNotLost() async throws {
        try await HistoryStore.with { store in
            let writer = try store.writer()
            let before = try await store.container.currentHistoryToken()
            let late = try store.writer()
            try late.session.begin()
            try late.write([1])
            try await Task.sleep(for: .milliseconds(20))
            let date = Date.now
            try await Task.sleep(for: .milliseconds(20))
            try writer.write([2])
            try late.session.commit()
            let result = try await store.container.perform {
                try $0.execute(HistoryRequest.fetch(after: date))
            }
            #expect(result.transactions.map { $0.changes[0].changedObjectID.key } == [2])
            #expect(result.token == nil)
            #expect(try await store.keys(after: before).sorted() == [1, 2])
            let behind = try await store.container.currentHistoryToken()
            #expect(try await store.keys(after: behind) == [], "control")
        }
    }

    @Test func aTimeoutIsNamed() async throws {
        var options = StoreOptions()
        options.statementTimeout = .milliseconds(200)
        try await HistoryStore.with(options: options) { store in
            let writer = try store.writer()
            try writer.session.begin()
            _ = try writer.session.query("LOCK TABLE \(HistoryStore.tables.state) IN ACCESS EXCLUSIVE MODE")
            let error = await #expect(throws: HistoryError.self) {
                try await store.container.currentHistoryToken()
            }
            #expect(error?.message.contains("longer than StoreOptions.statementTimeout") == true)
            #expect(error?.isTransient == true)
            try writer.session.rollback()
        }
    }

    /// All calls on the history throw its errors, also if the server cannot be reached.
    @Test func aServerThatCannotBeReachedIsNamed() async throws {
        try await HistoryStore.with { store in
            let token = try await store.container.currentHistoryToken()
            let id = store.id(1)
            let container = store.container
            let session = try store.company.session()
            let name = try session.query("SELECT current_database()::text").scalar { $0.string() } ?? ""
            session.close()
            let url = TestPooler.direct(store.company.url).replacing("/\(name)?", with: "/postgres?")
            let admin = try Connection(ConnectionConfiguration(url))
            defer { admin.close() }
            _ = try admin.query("ALTER DATABASE \"\(name)\" ALLOW_CONNECTIONS false")
            _ = try admin.query(
                "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = '\(name)'")
            let calls: [@Sendable () async throws -> Void] = [
                { _ = try await container.currentHistoryToken() },
                { _ = try await container.historyConsumer("mailer") },
                { _ = try await container.removeHistoryConsumer("mailer") },
                { _ = try await container.historyStatus() },
                { try await container.deleteHistory(before: token) },
                { _ = try await container.eraseTombstones(of: [id]) },
                { _ = try await container.perform { try $0.execute(HistoryRequest.fetch(after: token)) } },
            ]
            for (place, call) in calls.enumerated() {
                let error = await #expect(throws: HistoryError.self, "\(place)") { try await call() }
                #expect(error?.code == .database && error?.isTransient == true, "\(place): \(error as Any)")
            }
            _ = try admin.query("ALTER DATABASE \"\(name)\" ALLOW_CONNECTIONS true")
        }
    }

    @Test func refusalsNameTheirReason() async throws {
        func code(_ body: () async throws -> Void) async -> HistoryError.Code? {
            do {
                try await body()
                return nil
            } catch {
                return (error as? HistoryError)?.code
            }
        }
        let other = try await HistoryStore.with(isStarted: false) { store in
            #expect(await code { _ = try await store.container.currentHistoryToken() } == .noHistory)
            try store.execute("UPDATE \(HistoryStore.tables.current) SET slot = 0")
            return try await store.container.currentHistoryToken()
        }
        try await CompanyStore.with { store in
            #expect(await code { _ = try await store.container.currentHistoryToken() } == .noHistory)
            #expect(await code { _ = try await store.container.historyConsumer("mailer") } == .noHistory)
        }
        try await HistoryStore.with { store in
            #expect(await code { _ = try await store.history(after: other) } == .tokenExpired)
            let stranger = HistoryToken(
                store: other.store &+ 1, incarnation: other.incarnation, era: other.era,
                snapshot: other.snapshot)
            #expect(await code { _ = try await store.history(after: stranger) } == .otherStore)
            #expect(
                await code {
                    try await store.container.perform(isolation: .readCommitted) {
                        _ = try $0.execute(HistoryRequest.fetch(after: nil))
                    }
                } == .invalidRequest)
            let token = try await store.container.currentHistoryToken()
            try store.execute("UPDATE \(HistoryStore.tables.state) SET incarnation = gen_random_uuid()")
            #expect(await code { _ = try await store.history(after: token) } == .tokenExpired)
            #expect(await code { try await store.container.deleteHistory(before: token) } == .tokenExpired)
            #expect(await code { _ = try await store.container.historyConsumer("") } == .invalidRequest)
        }
    }

    @Test func changesOfOtherProgramsAreMerged() async throws {
        try await HistoryStore.with { store in
            let ids = try await store.company.hire(3)
            let handle = store.container.newBackgroundContext()
            let names = try await handle.perform { context in
                try context.fetch(FetchRequest<Employee>()).map(\.firstName).sorted()
            }
            #expect(names == ["E0", "E1", "E2"])
            let token = try await store.container.currentHistoryToken()
            let writer = try store.writer()
            try writer.session.begin()
            _ = try writer.session.query("UPDATE employee SET first_name = 'X' WHERE _id = \(ids[0].key)")
            _ = try writer.session.query("DELETE FROM employee WHERE _id = \(ids[1].key)")
            try writer.write([ids[0].key], properties: ["firstName"], number: 1_000)
            try writer.write([ids[1].key], kind: 2, properties: nil, number: 1_000, part: 1)
            try writer.session.commit()
            let history = try await store.history(after: token)
            #expect(history.transactions.count == 1 && history.count == 2)
            let after = try await handle.perform { context in
                try context.mergeChanges(from: history.transactions)
                let objects = ids.map { try? context.existingObject(with: $0) }
                return objects.map { $0?.firstName }
            }
            #expect(after == ["X", nil, "E2"])
            try writer.write([], entity: "", properties: nil, origin: 3)
            _ = try writer.session.query("UPDATE employee SET first_name = 'Y' WHERE _id = \(ids[2].key)")
            let all = try await store.history(after: history.token)
            #expect(all.changesEverything)
            let last = try await handle.perform { context in
                try context.mergeChanges(from: all.transactions)
                return try context.existingObject(with: ids[2]).firstName
            }
            #expect(last == "Y")
        }
    }
}
