import Foundation
import Howdah
import HowdahModel
import HowdahTesting
import PQClient
import TestSupport
import Testing

@testable import HowdahRuntime

/// Rows of a stream become the same tables as those of an array, and fail with the same errors.
@Suite(.timeLimit(.minutes(60))) struct StreamRowsTests {
    private typealias Row = [String: (any Sendable)?]

    /// What is in a store's tables, and what the insertion returned or threw.
    private struct Outcome: Equatable {
        var tables: [String: [String]] = [:]
        var answers: [String] = []
    }

    private static let many = TestTier.choose(quick: 5_000, all: 8_000, nightly: 50_000)

    private static func stream(_ rows: [Row]) -> AsyncStream<Row> {
        AsyncStream { stream in
            for row in rows { stream.yield(row) }
            stream.finish()
        }
    }

    /// Inserts rows into stores that are made alike, by array and by stream.
    private static func outcome(
        isStream: Bool, seed: UInt64, count: Int, _ uniqueness: MergePolicy.MergeType, spoils: Bool
    ) async throws -> Outcome {
        let model = try AnythingModel.model()
        return try await withTestDatabase(for: model) { database in
            let container = try await PersistentContainer.open(database.url, model: model)
            var outcome = Outcome()
            var random = RandomValues(seed: seed)
            let entity = "Anything"
            func insert(_ rows: [Row], _ uniqueness: MergePolicy.MergeType) async throws -> BatchInsertResult<
                ManagedObject
            > {
                let result = random.generator.chance(50) ? BatchResultType.objectIDs : .count
                if isStream {
                    return try await container.insert(
                        into: ManagedObject.self, entityName: entity, uniqueness: uniqueness, result: result,
                        from: stream(rows))
                }
                return try await container.insert(
                    into: ManagedObject.self, entityName: entity, uniqueness: uniqueness, result: result,
                    from: rows)
            }
            var things: [ObjectID<ManagedObject>] = []
            for name in ["Thing", "Special"] {
                things += try await container.insert(
                    into: ManagedObject.self, entityName: name, result: .objectIDs,
                    from: Array(repeating: Row(), count: 3)
                ).objectIDs
            }
            let old = (0..<count / 2).map { AnythingModel.row($0 * 2, things: things, &random) }
            _ = try await insert(old, .error)
            let start = uniqueness == .error ? count : 0
            var new = (start..<start + count).map { AnythingModel.row($0, things: things, &random) }
            // Relationships that order their members are only for new rows.
            if uniqueness.meetsRows { for place in new.indices { new[place]["thing"] = nil } }
            if spoils { spoil(&new, &random) }
            do {
                let result = try await insert(new, uniqueness)
                outcome.answers = [
                    "\(result.insertedCount) \(result.updatedCount)",
                    "\(result.insertedObjectIDs.map(\.key)) \(result.updatedObjectIDs.map(\.key))",
                ]
            } catch let error as SaveError {
                outcome.answers = ["\(error)", "\(error.issues.map(\.row))"]
            } catch {
                outcome.answers = ["\(error)"]
            }
            await container.close()
            let session = try Connection(ConnectionConfiguration(database.url))
            defer { session.close() }
            for table in ["anything", "thing"] {
                outcome.tables[table] = try session.query("SELECT t::text FROM \(table) AS t ORDER BY _id")
                    .map { $0[0].string() }
            }
            return outcome
        }
    }

    /// Makes a row one that the model or the database refuses.
    private static func spoil(_ rows: inout [Row], _ random: inout RandomValues) {
        let place = Int.random(in: 1..<rows.count, using: &random.generator)
        switch random.generator.pick([0, 1, 2, 3, 4]) {
        case 0: rows[place]["s4"] = "no number"
        case 1: rows[place]["number"] = nil as (any Sendable)?
        case 2: rows[place]["numbr"] = 1
        case 3: rows[place]["s6"] = "with\0zero"
        // Refused by the server, unless rows that are there are changed.
        default: rows[place]["number"] = rows[place - 1]["number"]
        }
    }

    @Test(arguments: [
        MergePolicy.MergeType.error, .mergeByPropertyObjectTrump, .mergeByPropertyStoreTrump, .overwrite,
        .rollback,
    ])
    func aStreamInsertsWhatAnArrayInserts(uniqueness: MergePolicy.MergeType) async throws {
        // The last is more than a spool keeps in memory.
        let isLong = TestTier.current > .quick || uniqueness == .mergeByPropertyObjectTrump
        for (number, count) in ([2, 300] + (isLong ? [Self.many] : [])).enumerated() {
            let seed = UInt64.random(in: 0...UInt64(UInt32.max))
            let array = try await Self.outcome(
                isStream: false, seed: seed, count: count, uniqueness, spoils: false)
            let stream = try await Self.outcome(
                isStream: true, seed: seed, count: count, uniqueness, spoils: false)
            #expect(array.tables["anything"]?.count ?? 0 >= count, "seed \(seed), round \(number)")
            #expect(array.answers == stream.answers, "seed \(seed)")
            for (table, rows) in array.tables {
                let first = zip(rows, stream.tables[table] ?? []).first { $0 != $1 }
                #expect(rows.count == stream.tables[table]?.count && first == nil, "seed \(seed), \(table)")
            }
        }
    }

    /// What the tests above say about files would else be about memory.
    @Test func manyRowsNeedAFile() async throws {
        var options = StoreOptions()
        options.temporaryDirectory = URL(filePath: "/nowhere/at/all")
        try await withTestStore(AnythingModel.model(), options: options) { container in
            var random = RandomValues(seed: 1)
            let rows = (0..<Self.many).map { AnythingModel.row($0, things: [], &random) }
            let error = await #expect(throws: StoreError.self) {
                try await container.insert(
                    into: ManagedObject.self, entityName: "Anything", from: Self.stream(rows))
            }
            #expect(error?.code == .temporaryFile)
        }
    }

    @Test func aStreamFailsAsAnArrayFails() async throws {
        for uniqueness in [MergePolicy.MergeType.error, .mergeByPropertyObjectTrump] {
            for _ in 0..<TestTier.choose(quick: 1, all: 20, nightly: 200) {
                let seed = UInt64.random(in: 0...UInt64(UInt32.max))
                let array = try await Self.outcome(
                    isStream: false, seed: seed, count: 200, uniqueness, spoils: true)
                let stream = try await Self.outcome(
                    isStream: true, seed: seed, count: 200, uniqueness, spoils: true)
                #expect(array == stream, "seed \(seed)")
            }
        }
    }

    /// The row is counted over all of the stream, whether the program, the model or the server refuses it.
    @Test func errorsOfLongStreamsNameTheRow() async throws {
        try await StreamStore.with { store in
            let names = (0..<40_000).map { "a department with a name that takes some room, number \($0)" }
            for (place, value) in [(35_000, names[34_990]), (39_999, "with\0zero")] {
                var rows = names.map { ["name": $0] }
                rows[place]["name"] = value
                let source = AsyncStream<[String: String]> { stream in
                    for row in rows { stream.yield(row) }
                    stream.finish()
                }
                let error = await #expect(throws: SaveError.self) {
                    try await store.container.insert(into: Department.self, from: source)
                }
                #expect(error?.issues.first?.row == place + 1)
                #expect(
                    error?.issues.first?.propertyName == "name" || error?.issues.first?.properties == ["name"]
                )
            }
            let count1 = try await store.container.perform { try $0.count(Department.self) }
            #expect(count1 == 0)
        }
    }
}

extension MergePolicy.MergeType {
    fileprivate var meetsRows: Bool { self != .error }
}
