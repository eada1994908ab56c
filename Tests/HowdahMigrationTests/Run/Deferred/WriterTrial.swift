import Foundation
import HowdahMigration
import HowdahModel
import HowdahRuntime
import HowdahSampleData
import HowdahSchema
import HowdahStages
import HowdahTesting
import PQClient
import Synchronization
import TestSupport

/// A migration while a program of the version before and one of the new version write.
///
/// What a writer is refused twice in a row it must be refused by the finished store as well; what it has stored is there in
/// the end.
struct WriterTrial: Sendable {
    let old: ManagedObjectModel
    let new: ManagedObjectModel
    let defers: Bool
    var count = 6
    /// Indicates whether each program must have written something; samples of real models may break their own unique rules.
    var wantsWrites = true

    /// One thing that a program writes.
    enum Write: Sendable, CustomStringConvertible {
        /// A value of one object, taken from another one.
        case update(entity: String, key: Int64, property: String, donor: Int64)
        /// An object of each entity.
        case insert(seed: UInt64)

        var description: String {
            switch self {
            case .update(let entity, let key, let property, _): "\(entity) \(key).\(property)"
            case .insert(let seed): "insert \(seed)"
            }
        }
    }

    private final class Notes: Sendable {
        private let state = Mutex(State())

        func with<T: Sendable>(_ body: (inout sending State) -> T) -> T { state.withLock { body(&$0) } }
    }

    private struct State: Sendable {
        var isOver = false
        var refused: [(write: Write, reason: String)] = []
        var stored: [String: (entity: String, key: Int64, property: String, value: Value)] = [:]
        var count = 0
    }

    func faults() async throws -> [String] {
        try await withTemporaryDatabase(for: old) { database in
            let running = try await PersistentContainer.open(database.url, model: old)
            try await SampleData(model: old, seed: 1, countPerEntity: count).insert(into: running)
            let before = try await StoreContents.of(running)
            let (old, new) = (Notes(), Notes())
            let targets = updates(before)
            async let first: Void = write(on: running, old) { number in
                number % 4 == 0 || targets.isEmpty
                    ? .insert(seed: UInt64(1_000 + number)) : targets[number % targets.count]
            }
            async let migrated = migrate(database.url)
            let later: PersistentContainer
            do {
                later = try await migrated
            } catch {
                old.with { $0.isOver = true }
                await first
                await running.close()
                throw error
            }
            async let second: Void = write(on: later, new) {
                .insert(seed: UInt64(900_000 + $0))
            }
            try await finish(database.url)
            for notes in [old, new] { notes.with { $0.isOver = true } }
            await first
            await second
            var faults: [String] = []
            for (name, container, notes) in [
                ("old", running, old.with { $0 }), ("new", later, new.with { $0 }),
            ] {
                if wantsWrites, notes.count == 0 { faults.append("the \(name) program wrote nothing") }
                for (write, reason) in notes.refused {
                    let again = await run(write, on: container)
                    if again.reason == nil {
                        faults.append("the \(name) program was refused \(write): \(reason)")
                    }
                }
            }
            let after = try await StoreContents.of(later)
            faults += lost(old.with { $0.stored }, after)
            faults += SurvivalOracle(
                pairing: ModelPairing(from: self.old, to: self.new), before: before, after: after,
                settled: Dictionary(
                    after.objects.map { ($0.key, Set($0.value.values.keys).union($0.value.links.keys)) },
                    uniquingKeysWith: { first, _ in first })
            ).faults()
            await running.close()
            await later.close()
            let fresh = try await MigrationTrial.freshCatalogue(of: self.new)
            faults += try MigrationTrial.catalogue(database).differences(from: fresh)
            return faults
        }
    }

    /// Values that can be taken from one object to another without breaking a rule that the sample keeps.
    private func updates(_ contents: StoreContents) -> [Write] {
        let unique = Set(old.entities.flatMap { $0.uniquenessConstraints.flatMap(\.self) })
        let groups = Dictionary(grouping: contents.objects, by: \.value.entity)
        return groups.sorted { $0.key < $1.key }.flatMap { entity, objects in
            let keys = objects.map(\.key).sorted()
            return old.properties(of: entity).flatMap { property -> [Write] in
                guard let attribute = property.attribute, attribute.isStored,
                    attribute.derivationExpression == nil, !unique.contains(property.name)
                else { return [] }
                return zip(keys, keys.reversed()).map {
                    .update(entity: entity, key: $0, property: property.name, donor: $1)
                }
            }
        }
    }

    private func write(
        on container: PersistentContainer, _ notes: Notes,
        _ next: @Sendable (Int) -> Write
    ) async {
        var number = 0
        while !notes.with({ $0.isOver }) || number < 8 {
            let write = next(number)
            number += 1
            var outcome = await run(write, on: container)
            if outcome.reason != nil { outcome = await run(write, on: container) }
            notes.with { notes in
                if let reason = outcome.reason {
                    if notes.refused.count < 20 { notes.refused.append((write, reason)) }
                } else {
                    notes.count += 1
                    if case .update(let entity, let key, let property, _) = write, let value = outcome.value {
                        notes.stored["\(key).\(property)"] = (entity, key, property, value)
                    }
                }
            }
            try? await Task.sleep(for: .milliseconds(1))
        }
    }

    private func run(
        _ write: Write, on container: PersistentContainer
    ) async -> (reason: String?, value: Value?) {
        do {
            switch write {
            case .insert(let seed):
                try await SampleData(model: container.model, seed: seed, countPerEntity: 1).insert(
                    into: container)
                return (nil, nil)
            case .update(let entity, let key, let property, let donor):
                let type = container.model.property(named: property, of: entity)?.attribute?.type ?? .string
                let value = try await container.perform { context -> Value? in
                    var request = FetchRequest<ManagedObject>(entityName: entity)
                    request.includesSubentities = false
                    let objects = try context.fetch(request)
                    guard let object = objects.first(where: { $0.objectID.key == key }),
                        let other = objects.first(where: { $0.objectID.key == donor })
                    else { return nil }
                    object[property] = other[property]
                    try context.save()
                    return SampleData.value(object[property], type)
                }
                return (nil, value)
            }
        } catch {
            return ("\(error)".components(separatedBy: "\n")[0], nil)
        }
    }

    /// What the version before stored, and the finished store does not have.
    private func lost(
        _ stored: [String: (entity: String, key: Int64, property: String, value: Value)],
        _ after: StoreContents
    ) -> [String] {
        let pairing = ModelPairing(from: old, to: new)
        return stored.values.compactMap { entity, key, property, value in
            guard let target = pairing.target(ofEntity: entity), new[target]?.isAbstract == false else {
                return nil
            }
            guard let object = after.objects[key] else { return "\(entity) \(key) is gone" }
            let type = old.property(named: property, of: entity)?.attribute?.type
            let name = new.properties(of: target).first {
                pairing.source(of: $0.name, in: target)?.name == property && $0.attribute?.type == type
            }?.name
            guard let name, let now = object.values[name], !value.isNull, type?.composite == nil,
                !now.isIdentical(to: value)
            else { return nil }
            return "\(entity) \(key).\(property) was stored as \(value) and is \(now)"
        }
    }

    // MARK: - The migration

    private func migrate(_ url: String) async throws -> PersistentContainer {
        try await Task.sleep(for: .milliseconds(40))
        try await onThread {
            let connection = try Connection(ConnectionConfiguration(url))
            defer { connection.close() }
            var options = MigrationOptions()
            options.shouldDeferLightweightMigration = defers
            options.confirmedDrops = Set(ModelLoss.all(from: old, to: new).map(\.place))
                .union(ModelDifference(from: old, to: new).refusals.map(\.confirmation))
            _ = try StoreMigration(connection, to: new, options: options).apply()
        }
        return try await PersistentContainer.open(url, model: new)
    }

    private func finish(_ url: String) async throws {
        var hasMore = true
        while hasMore {
            try await Task.sleep(for: .milliseconds(20))
            hasMore = try await onThread {
                let connection = try Connection(ConnectionConfiguration(url))
                defer { connection.close() }
                return try DeferredWork(connection).finishNext()
            }
        }
        try await Task.sleep(for: .milliseconds(20))
    }
}
