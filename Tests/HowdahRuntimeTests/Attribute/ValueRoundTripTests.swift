import Foundation
import Howdah
import HowdahTesting
import SeededRandom
import TestSupport
import Testing

/// What an object holds before a save is what every later fetch shows, bit for bit.
@Suite struct ValueRoundTripTests {
    @Test func typedObjectsReadBackWhatTheyHeld() async throws {
        let seed: UInt64 = 20
        try await withTestStore(ManagedObjectModel(Sample.self)) { container in
            let held = try await container.perform { context in
                var random = RandomValues(seed: seed)
                let objects = (0..<200).map { _ in
                    let object = Sample(context: context)
                    object.fill(&random)
                    return object
                }
                let before = objects.map(\.picture)
                try context.save()
                #expect(objects.map(\.picture) == before, "a save changed values; seed \(seed)")
                return Dictionary(uniqueKeysWithValues: zip(objects.map(\.objectID), before))
            }
            try await container.perform { context in
                let objects = try context.fetch(Sample.self)
                #expect(objects.count == held.count)
                for object in objects { try compare(object.picture, held[object.objectID], seed) }
            }
        }
    }

    @Test func updatesReadBackWhatTheyHeld() async throws {
        let seed: UInt64 = 21
        try await withTestStore(ManagedObjectModel(Sample.self)) { container in
            let held = try await container.perform { context in
                var random = RandomValues(seed: seed)
                let objects = (0..<60).map { _ in
                    let object = Sample(context: context)
                    object.fill(&random)
                    return object
                }
                try context.save()
                for object in objects { object.fill(&random) }
                let before = objects.map(\.picture)
                try context.save()
                return Dictionary(uniqueKeysWithValues: zip(objects.map(\.objectID), before))
            }
            try await container.perform { context in
                for (id, picture) in held {
                    let object: Sample = try context.existingObject(with: id)
                    try compare(object.picture, picture, seed)
                }
            }
        }
    }

    /// Typed and generic objects of one store, each written by name and read by the other.
    @Test func typedAndGenericObjectsAreInterchangeable() async throws {
        let seed: UInt64 = 22
        try await withTestDatabase(for: try ManagedObjectModel(Sample.self)) { database in
            let typed = try await PersistentContainer.open(
                database.url, model: ManagedObjectModel(Sample.self))
            let generic = try await PersistentContainer.open(database.url, model: Sample.dynamicModel())
            let held = try await generic.perform { context in
                var random = RandomValues(seed: seed)
                let scratch = ScratchSample()
                var held: [String: [String]] = [:]
                for _ in 0..<80 {
                    let object = context.insert("Sample")
                    for (name, value) in scratch.values(&random) { object.setValue(value, forKey: name) }
                    let picture = Sample.attributeNames.indices.map { object._value(at: $0).picture }
                    try context.save()
                    held[object.objectID.uriRepresentation.absoluteString] = picture
                }
                return held
            }
            try await typed.perform { context in
                for object in try context.fetch(Sample.self) {
                    try compare(object.picture, held[object.objectID.uriRepresentation.absoluteString], seed)
                    // Reading by name and writing back what was read changes nothing.
                    for name in Sample.attributeNames { object[name] = object[name] }
                    try compare(object.picture, held[object.objectID.uriRepresentation.absoluteString], seed)
                }
                try context.save()
            }
            try await generic.perform { context in
                for object in try context.fetch("Sample") {
                    let now = Sample.attributeNames.indices.map { object._value(at: $0).picture }
                    try compare(now, held[object.objectID.uriRepresentation.absoluteString], seed)
                }
            }
            await typed.close()
            await generic.close()
        }
    }

    @Test func compositesAreNilLevelByLevel() async throws {
        try await withTestStore(ManagedObjectModel(Sample.self)) { container in
            let ids = try await container.perform { context in
                let places: [Place?] = [
                    nil, Place(name: nil, spot: nil, seenAt: nil), Place(name: "", spot: nil, seenAt: nil),
                    Place(name: nil, spot: Spot(x: .nan, y: nil), seenAt: nil),
                    Place(
                        name: "e\u{301}", spot: Spot(x: 0, y: 0),
                        seenAt: Date(timeIntervalSinceReferenceDate: 0.1234567)),
                ]
                let objects = places.map { place in
                    var random = RandomValues(seed: 23)
                    let object = Sample(context: context)
                    object.fill(&random)
                    object.place = place
                    return object
                }
                #expect(objects[1].place == nil)
                #expect(objects[4].place?.name?.unicodeScalars.count == 1)
                try context.save()
                return objects.map(\.objectID)
            }
            try await container.perform { context in
                let places = try ids.map { id in (try context.existingObject(with: id) as Sample).place }
                #expect(places[0] == nil)
                #expect(places[1] == nil)
                #expect(places[2] == Place(name: "", spot: nil, seenAt: nil))
                #expect(places[3]?.spot?.x.isNaN == true)
                #expect(places[3]?.spot?.y == nil)
                #expect(places[4]?.spot == Spot(x: 0, y: 0))
                #expect(places[4]?.seenAt == Date(timeIntervalSinceReferenceDate: 0.123457))
            }
        }
    }

    /// A value that no column can hold is an error of the save, and the object keeps its changes.
    @Test func valuesThatCannotBeStoredAreErrors() async throws {
        try await withTestStore(ManagedObjectModel(Sample.self)) { container in
            try await container.perform { context in
                var random = RandomValues(seed: 24)
                let object = Sample(context: context)
                object.fill(&random)
                object.str = "a\u{0}b"
                #expect(throws: (any Error).self) { try context.save() }
                #expect(object.isInserted)
                object.str = "ab"
                object.date = Date(timeIntervalSinceReferenceDate: 1e15)
                #expect(throws: (any Error).self) { try context.save() }
                object.date = Date(timeIntervalSinceReferenceDate: 0)
                try context.save()
                #expect(!object.isInserted)
            }
        }
    }
}

private func compare(_ found: [String], _ held: [String]?, _ seed: UInt64) throws {
    let held = try #require(held)
    for (name, (a, b)) in zip(Sample.attributeNames, zip(found, held)) where a != b {
        Issue.record("\(name) is \(a), was \(b); seed \(seed)")
    }
}

/// Random values by attribute name, for objects without a class.
private struct ScratchSample {
    func values(_ random: inout RandomValues) -> [(String, Any?)] {
        let box = random.box()
        var boxed: [String: Any] = ["width": box.width]
        boxed["tag"] = box.tag
        boxed["spot"] = box.spot
        return [
            ("i16", random.integer(Int16.self)), ("i32", random.integer(Int32.self)),
            ("i64", random.integer(Int.self)),
            ("dec", random.decimal()), ("dbl", random.double()), ("flt", random.float()),
            ("str", random.string()),
            ("flag", random.generator.chance(50)), ("date", random.date()), ("bin", random.data()),
            ("uid", random.uuid()), ("url", random.url()),
            ("oI16", random.optional { $0.integer(Int16.self) }),
            ("oDec", random.optional { $0.decimal() }), ("oStr", random.optional { $0.string() }),
            ("oDate", random.optional { $0.date() }), ("oUrl", random.optional { $0.url() }),
            ("oFlag", random.optional { $0.generator.chance(50) }), ("oFlt", random.optional { $0.float() }),
            ("box", boxed), ("place", random.optional { $0.place() }),
            ("place.name", random.optional { $0.string() }),
        ]
    }
}
