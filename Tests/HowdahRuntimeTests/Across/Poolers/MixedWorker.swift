import Foundation
import Howdah
import TestSupport

/// The only writer of its rows: it knows what each of its statements has to answer.
///
/// Each row has a random token. A statement that ran in place of another one brings other tokens, changes another number
/// of rows, or leaves rows as no worker remembers them.
struct MixedWorker: Sendable {
    /// An answer that does not belong to the statement.
    struct WrongAnswer: Error, CustomStringConvertible { let description: String }

    typealias Rows = [UUID: MixedRow]

    let number: Int
    let container: PersistentContainer
    /// The store's schema, for SQL of the worker's own.
    let schema: String
    private(set) var rows: [String: Rows] = [:]
    private var generator: SeededGenerator

    init(_ number: Int, _ container: PersistentContainer, schema: String, seed: UInt64) {
        (self.number, self.container, self.schema) = (number, container, schema)
        generator = SeededGenerator(seed: seed &+ UInt64(number) &* 0x5851_F42D_4C95_7F2D)
    }

    /// Runs one unit of a random kind on a random entity, and checks its answer.
    nonisolated(nonsending) mutating func step() async throws {
        let unit = MixedUnit.random(using: &generator)
        let entity = generator.pick(MixedModel.entities)
        do {
            try await run(unit, entity)
        } catch {
            throw WrongAnswer(description: "worker \(number), \(unit) of \(entity): \(error)")
        }
    }

    private nonisolated(nonsending) mutating func run(_ unit: MixedUnit, _ entity: String) async throws {
        switch unit {
        case .fetch: try await fetch(entity)
        case .insert: try await insert(entity, Int.random(in: 1...3, using: &generator))
        case .copyInsert: try await insert(entity, 150)
        case .copyFetch: try await fetchAll("Alpha")
        case .update: try await update(entity, 1, isolation: nil)
        case .arrayUpdate: try await update(entity, 12, isolation: nil)
        case .serializable: try await update(entity, 2, isolation: .serializable)
        case .delete: try await delete(entity)
        case .count: try await count(entity)
        case .batchUpdate: try await batchUpdate(entity)
        case .rawSelect: try await rawSelect(entity)
        }
    }

    private func mine(_ entity: String) -> Rows { rows[entity] ?? [:] }

    /// Some of the worker's rows with the values that they are to have.
    private mutating func change(_ entity: String, _ count: Int) -> Rows {
        let tokens = mine(entity).keys.sorted { $0.uuidString < $1.uuidString }
        return Rows(
            tokens.shuffled(using: &generator).prefix(count).map { ($0, randomRow()) },
            uniquingKeysWith: { $1 })
    }

    private mutating func randomRow() -> MixedRow {
        let labels = (0..<Int.random(in: 0...3, using: &generator)).map { "label \($0)" }
        return MixedRow(Int.random(in: 0..<20, using: &generator), labels)
    }

    private func expected(_ entity: String, _ rows: Rows) -> Rows {
        entity == "Gamma" ? rows : rows.mapValues { MixedRow($0.value) }
    }

    private func request(_ entity: String, value: Int? = nil) -> FetchRequest<ManagedObject> {
        var request = FetchRequest<ManagedObject>(entityName: entity)
        request.predicate =
            value.map { .format("owner == %@ AND value == %@", number, $0) }
            ?? .format("owner == %@", number)
        return request
    }

    private func compare<T: Equatable>(_ found: T, _ wanted: T, _ size: (T) -> Int) throws {
        guard found != wanted else { return }
        throw WrongAnswer(description: "the answer has \(size(found)) rows, not \(size(wanted)), or others")
    }

    // MARK: Kinds

    private nonisolated(nonsending) mutating func fetch(_ entity: String) async throws {
        let value = Int.random(in: 0..<20, using: &generator)
        let request = request(entity, value: value)
        let owner = Int64(number)
        let found = try await container.perform { context in
            try context.fetch(request).reduce(into: Rows()) { rows, object in
                guard object["owner"] as? Int64 == owner, let token = object["token"] as? UUID else {
                    throw WrongAnswer(description: "a row of another owner")
                }
                rows[token] = MixedRow(object)
            }
        }
        try compare(found, expected(entity, mine(entity).filter { $0.value.value == value }), \.count)
    }

    /// All rows of a table that is large enough to be fetched by COPY.
    private nonisolated(nonsending) func fetchAll(_ entity: String) async throws {
        let owner = Int64(number)
        let found = try await container.perform { context in
            try context.fetch(entity).reduce(into: Rows()) { rows, object in
                guard object["owner"] as? Int64 == owner, let token = object["token"] as? UUID else { return }
                rows[token] = MixedRow(object)
            }
        }
        try compare(found, expected(entity, mine(entity)), \.count)
    }

    private nonisolated(nonsending) mutating func insert(_ entity: String, _ count: Int) async throws {
        let new = Rows(uniqueKeysWithValues: (0..<count).map { _ in (UUID(), randomRow()) })
        let owner = number
        try await container.perform { context in
            for (token, row) in new {
                let object = context.insert(entity)
                object["token"] = token
                object["owner"] = owner
                row.write(to: object)
            }
            try context.save()
        }
        rows[entity, default: [:]].merge(new) { $1 }
    }

    private nonisolated(nonsending) mutating func update(
        _ entity: String, _ count: Int, isolation: Isolation?
    ) async throws {
        let changed = change(entity, count)
        var request = FetchRequest<ManagedObject>(entityName: entity)
        request.predicate = .format("token IN %@", Array(changed.keys))
        let (chosen, all) = (request, self.request(entity))
        let policy = isolation == nil ? RetryPolicy.never : .conflicts(upTo: 50)
        let (found, before) = try await container.perform(isolation: isolation, retrying: policy) { context in
            let before = isolation == nil ? 0 : try context.count(for: all)
            let objects = try context.fetch(chosen)
            for object in objects {
                guard let row = (object["token"] as? UUID).flatMap({ changed[$0] }) else {
                    throw WrongAnswer(description: "a row of another token")
                }
                row.write(to: object)
            }
            try context.save()
            return (objects.count, before)
        }
        try compare(found, changed.count) { $0 }
        if isolation != nil { try compare(before, mine(entity).count) { $0 } }
        rows[entity, default: [:]].merge(changed) { $1 }
    }

    /// One row; all but forty of many.
    private nonisolated(nonsending) mutating func delete(_ entity: String) async throws {
        let chosen = Set(change(entity, max(1, mine(entity).count - 40)).keys)
        var request = FetchRequest<ManagedObject>(entityName: entity)
        request.predicate = .format("token IN %@", Array(chosen))
        let all = request
        let found = try await container.perform { context in
            let objects = try context.fetch(all)
            let found = Set(objects.compactMap { $0["token"] as? UUID })
            for object in objects { context.delete(object) }
            try context.save()
            return found
        }
        try compare(found, chosen, \.count)
        for token in chosen { rows[entity]?[token] = nil }
    }

    private nonisolated(nonsending) func count(_ entity: String) async throws {
        let request = request(entity)
        let found = try await container.perform { try $0.count(for: request) }
        try compare(found, mine(entity).count) { $0 }
    }

    private nonisolated(nonsending) mutating func batchUpdate(_ entity: String) async throws {
        let (old, new) = (
            Int.random(in: 0..<20, using: &generator), Int.random(in: 0..<20, using: &generator)
        )
        let update = BatchUpdateRequest(request(entity, value: old), set: ["value": .value(new)])
        let found = try await container.perform { try $0.execute(update).count }
        let changed = mine(entity).filter { $0.value.value == old }
        try compare(found, changed.count) { $0 }
        for token in changed.keys { rows[entity]?[token]?.value = new }
    }

    private nonisolated(nonsending) func rawSelect(_ entity: String) async throws {
        let (owner, schema, table) = (Int64(number), schema, entity.lowercased())
        let found = try await container.perform { context in
            let rows = try context.fetchRows(
                UUID.self, Int64.self,
                sql: "SELECT token, value::int8 FROM \(name: schema).\(name: table) WHERE owner = \(owner)")
            return rows.reduce(into: Rows()) { $0[$1.0] = MixedRow(Int($1.1)) }
        }
        try compare(found, mine(entity).mapValues { MixedRow($0.value) }, \.count)
    }
}
