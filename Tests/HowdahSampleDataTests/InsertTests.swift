import Foundation
import HowdahModel
import HowdahRuntime
import HowdahSampleData
import HowdahTesting
import Testing

/// What is inserted is what is read back, attribute by attribute and link by link.
@Suite struct InsertTests {
    @Test(arguments: SmallModels.all.map(\.name)) func aGraphIsReadBackAsItWasPlanned(name: String)
        async throws
    {
        let entities = try #require(SmallModels.all.first { $0.name == name }?.entities)
        let model = try ManagedObjectModel(entities: entities)
        for (seed, count, size) in [(0, 10, 500), (1, 3, 1), (2, 37, 7)] as [(UInt64, Int, Int)] {
            let data = SampleData(model: model, seed: seed, countPerEntity: count)
            try await withTemporaryStore(model) { container in
                let insertion = try await data.insert(into: container, batchSize: size)
                let differences = try await data.differences(from: insertion, in: container)
                #expect(differences == [], "seed \(seed)")
            }
        }
    }

    @Test func aDifferenceIsSeen() async throws {
        let model = try ManagedObjectModel(entities: SmallModels.relationships)
        let data = SampleData(model: model, seed: 4)
        try await withTemporaryStore(model) { container in
            let insertion = try await data.insert(into: container)
            let employee = try #require(
                data.objects.firstIndex {
                    $0.entityName == "Employee" && $0.links.contains { $0.relationship == "room" }
                })
            let id = insertion.objectIDs[employee]
            try await container.perform { context in
                let object: ManagedObject = try context.existingObject(with: id)
                object["name"] = "somebody else"
                object["room"] = nil
                context.insert("Room")
                try context.save()
            }
            let differences = try await data.differences(from: insertion, in: container)
            #expect(differences.count == 3, "\(differences)")
        }
    }

    /// Elements that are not stored have no column, and those behind them keep theirs.
    @Test func predicatesFindElementsBehindTransientOnes() async throws {
        let model = try ManagedObjectModel(entities: [SmallModels.composites])
        let data = SampleData(model: model, seed: 2, countPerEntity: 40)
        let wanted = data.objects.indices.count { index in
            guard
                case .composite(let place)? = data.values(ofObjectAt: index).first(where: {
                    $0.attribute == "place"
                })?.value,
                case .composite(let spot) = place[2], case .double(let x) = spot[0]
            else { return false }
            return x > 10 && !x.isNaN
        }
        #expect(wanted > 0)
        try await withTemporaryStore(model) { container in
            try await data.insert(into: container)
            try await container.perform { context in
                var request = FetchRequest<ManagedObject>(entityName: "Placed")
                request.predicate = .format("place.spot.x > 10.0 AND place.spot.x <= %f", Double.infinity)
                let found = try context.count(for: request)
                #expect(found == wanted)
                request.predicate = .format("place.draft == 'a'")
                #expect(throws: (any Error).self) { try context.count(for: request) }
            }
        }
    }

    /// The saves, and with them the memory in use, are bounded by the batch; the rest of the graph waits as ids.
    @Test func aLargeGraphIsSavedInBatches() async throws {
        let model = try ManagedObjectModel(entities: SmallModels.relationships)
        let data = SampleData(model: model, seed: 5, countPerEntity: 400)
        #expect(data.objects.count == 1600)
        try await withTemporaryStore(model) { container in
            let insertion = try await data.insert(into: container, batchSize: 100)
            #expect(insertion.saves == 16)
            #expect(Set(insertion.objectIDs).count == 1600)
        }
    }
}
