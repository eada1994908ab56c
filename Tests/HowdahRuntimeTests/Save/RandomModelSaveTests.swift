import Howdah
import HowdahTesting
import TestSupport
import Testing

/// Saves of random changes to random models beside another process succeed, or fail with an error that names its cause.
@Suite(.timeLimit(.minutes(60))) struct RandomModelSaveTests {
    /// Seeds that found a defect once, and more in the longer tiers; `HOWDAH_SEED` names one.
    private static let seeds: [UInt64] = {
        let chosen = SeededGenerator.chosenSeed(orElse: 0)
        guard chosen == 0 else { return [chosen] }
        let known: [UInt64] = [23, 28, 87, 88, 105, 172, 210, 215, 217, 281, 309, 332, 1_025]
        return known.prefix(TestTier.choose(quick: 3, all: .max, nightly: .max))
            + (1...TestTier.choose(quick: 1, all: 20, nightly: 400)).map { 1_000 + UInt64($0) }
    }()
    private static let steps = 20

    nonisolated(nonsending) private static func with(
        _ seed: UInt64, _ body: (RandomGraph, PersistentContainer, PeerProcess) async throws -> Void
    ) async throws {
        let graph = try RandomGraph(seed: seed)
        try await withTestDatabase(for: graph.model) { database in
            let container = try await PersistentContainer.open(database.url, model: graph.model)
            try await container.closing { container in
                let peer = try await onThread {
                    let peer = try PeerProcess(url: database.url, model: graph.model, as: "gardener")
                    _ = try peer.grow(seed: seed << 32, units: 10)
                    return peer
                }
                try await body(graph, container, peer)
                try await onThread { try peer.end() }
            }
        }
    }

    /// The other process saves between the reading and the saving here.
    @Test(arguments: seeds) func eachSaveSucceedsOrNamesItsCause(seed: UInt64) async throws {
        try await Self.with(seed) { graph, container, peer in
            var random = SeededGenerator(seed: ~seed)
            let handle = container.newBackgroundContext()
            for step in 0..<Self.steps {
                let next = random.next()
                let place = "seed \(seed), step \(step)"
                let saved = try await handle.perform { context in
                    try Self.unit(graph, context, next, place) { peerSeed in
                        let complaint = try peer.grow(seed: peerSeed, units: 1)
                        #expect(complaint == nil, "\(place)")
                    }
                }
                let (faults, stored) = try await container.perform { context in
                    (try graph.faults(context), try saved.map { try Self.values($0.id, $0.names, context) })
                }
                #expect(faults == [], "\(place)\n\(graph.summary)")
                #expect(stored == saved.map(\.values), "\(place)\n\(graph.summary)")
                if !faults.isEmpty || stored != saved.map(\.values) { return }
            }
        }
    }

    /// Both processes save at the same time, and repeat what lost.
    @Test(arguments: seeds.prefix(max(TestTier.choose(quick: 1, all: 4, nightly: 4), seeds.count / 4)))
    func repeatingEndsBesideAnotherProcess(seed: UInt64) async throws {
        try await Self.with(seed) { graph, container, peer in
            async let other = onThread { try peer.grow(seed: seed << 20, units: 60) }
            for unit in 0..<60 {
                do {
                    try await container.perform(retrying: .conflicts(upTo: 20)) { context in
                        var changes = try RandomGraphChanges(
                            graph, context, seed: seed << 40 &+ UInt64(unit))
                        changes.run()
                        try context.save()
                    }
                } catch {
                    let complaint = RandomGraph.complaint(about: error)
                    #expect(complaint == nil, "seed \(seed), unit \(unit)")
                }
            }
            #expect(try await other == nil, "seed \(seed)")
            let faults = try await container.perform { try graph.faults($0) }
            #expect(faults == [], "seed \(seed)\n\(graph.summary)")
        }
    }

    /// An object that was saved, and what the context says that it is now.
    private struct Saved: Sendable {
        let id: ObjectID<ManagedObject>
        let names: [String]
        let values: [String]
    }

    /// Reads, lets the other process save, changes and saves; a policy resolves what conflicts.
    private static func unit(
        _ graph: RandomGraph, _ context: ManagedObjectContext, _ seed: UInt64, _ place: String,
        _ other: (UInt64) throws -> Void
    ) throws -> [Saved] {
        var random = SeededGenerator(seed: seed)
        context.mergePolicy = random.chance(60) ? .error : policy(&random)
        var changes = try RandomGraphChanges(graph, context, seed: seed)
        if random.chance(70) { try other(random.next()) }
        changes.run()
        if random.chance(20) { try other(random.next()) }
        let touched = (context.insertedObjects + context.updatedObjects).map { object in
            (object, names: object.changedValues().keys.filter { !(object[$0] is [ManagedObject]) }.sorted())
        }
        for attempt in 1... {
            do {
                try context.save()
                break
            } catch {
                #expect(RandomGraph.complaint(about: error) == nil, "\(place)\n\(graph.summary)")
                guard (error as? SaveError)?.code == .conflict else {
                    context.rollback()
                    return []
                }
                // Nobody else writes now, so that a policy has an answer at once.
                guard attempt < 3 else {
                    Issue.record("\(place): repeating with a policy does not end: \(error)\n\(graph.summary)")
                    context.rollback()
                    return []
                }
                context.mergePolicy = policy(&random)
            }
        }
        #expect(!context.hasChanges, "\(place)")
        return try touched.filter { !$0.0.isDeleted && $0.0.managedObjectContext != nil }.map {
            object, names in
            Saved(id: object.objectID, names: names, values: try values(object.objectID, names, context))
        }
    }

    private static func policy(_ random: inout SeededGenerator) -> MergePolicy {
        random.pick([.mergeByPropertyStoreTrump, .mergeByPropertyObjectTrump, .overwrite, .rollback])
    }

    private static func values(
        _ id: ObjectID<ManagedObject>, _ names: [String], _ context: ManagedObjectContext
    ) throws -> [String] {
        let object: ManagedObject
        do {
            object = try context.existingObject(with: id)
        } catch let error as FetchError where error.code == .objectNotFound {
            // A policy that leaves the store as it is leaves out what is deleted there.
            return []
        }
        return names.map { name in
            let value = object[name]
            if let destination = value as? ManagedObject { return "\(name): \(destination.objectID)" }
            return "\(name): \(value ?? "nil")"
        }
    }
}
