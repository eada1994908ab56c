import DeclaredModels
import Foundation
import HowdahModel
import HowdahRuntime
import HowdahSampleData
import HowdahTesting
import Testing

/// Rows that are batch-inserted are what the same objects are that a context saves, for every type of attribute.
@Suite struct BatchInsertDataTests {
    private static func models() throws -> [ManagedObjectModel] {
        [
            // Sample data knows JSON, but not what a class makes of it.
            try DeclaredCompany.model(), try DeclaredLists.model(), try classless(DeclaredLetters.model()),
            try DeclaredShelves.model(), try DeclaredStaff.model(), try DeclaredStaff.ledger(),
        ]
    }

    private static func classless(_ model: ManagedObjectModel) throws -> ManagedObjectModel {
        try ManagedObjectModel(
            entities: model.entities.map { entity in
                var entity = entity
                entity.className = nil
                return entity
            })
    }

    @Test(arguments: 0..<6, [MergePolicy.MergeType.error, .overwrite])
    func rowsAreAsSavesStoreThem(index: Int, policy: MergePolicy.MergeType) async throws {
        let model = try Self.models()[index]
        let data = SampleData(model: model, seed: UInt64(index) + 3, countPerEntity: 40)
        let saved = try await withTemporaryStore(model) { container in
            try await Self.pictures(data, data.insert(into: container).objectIDs, container)
        }
        let inserted = try await withTemporaryStore(model) { container in
            try await Self.pictures(data, Self.insert(data, policy, into: container), container)
        }
        #expect(saved.count == data.objects.count)
        for (saved, inserted) in zip(saved, inserted) { #expect(saved == inserted) }
    }

    /// Entities whose required relationships lead to others come behind these.
    private static func insert(
        _ data: SampleData, _ policy: MergePolicy.MergeType, into container: PersistentContainer
    ) async throws -> [ObjectID<ManagedObject>] {
        let schema = try StoreSchema(data.model)
        var ids: [ObjectID<ManagedObject>?] = Array(repeating: nil, count: data.objects.count)
        var left = Set(data.objects.map(\.entityName))
        while let name = left.sorted().first(where: { name in
            data.model.properties(of: name).compactMap(\.relationship)
                .allSatisfy { $0.isOptional || $0.isToMany || !left.contains($0.destination) }
        }) {
            left.remove(name)
            let places = data.objects.indices.filter { data.objects[$0].entityName == name }
            let rows = places.map { place in
                var row = Dictionary(
                    uniqueKeysWithValues: data.values(ofObjectAt: place).map {
                        ($0.attribute, $0.value as any Sendable)
                    })
                for link in data.objects[place].links {
                    guard case .toOne? = schema.entities[name]?.property(named: link.relationship)?.mapping,
                        data.model.property(named: link.relationship, of: name)?.relationship?.isOptional
                            == false
                    else { continue }
                    row[link.relationship] = ids[link.members[0]]
                }
                return row
            }
            let result = try await container.insert(
                into: ManagedObject.self, entityName: name, uniqueness: policy, result: .objectIDs, from: rows
            )
            #expect(result.insertedCount == places.count && result.updatedCount == 0)
            for (place, id) in zip(places, result.objectIDs) { ids[place] = id }
        }
        #expect(left.isEmpty)
        return ids.compactMap(\.self)
    }

    private static func pictures(
        _ data: SampleData, _ ids: [ObjectID<ManagedObject>], _ container: PersistentContainer
    ) async throws -> [[String]] {
        try await container.perform { context in
            ids.enumerated().map { place, id in
                let object = context.object(with: id)
                return data.values(ofObjectAt: place).map {
                    "\($0.attribute): \(picture(object[$0.attribute]))"
                }
            }
        }
    }

    private static func picture(_ value: Any?) -> String {
        switch value {
        case let members as [String: Any]:
            "\(members.sorted { $0.key < $1.key }.map { "\($0.key): \(picture($0.value))" })"
        case let elements as [Any]: "\(elements.map { picture($0) })"
        case let data as Data: "\(Array(data))"
        case let text as String: "\(text.unicodeScalars.map(\.value))"
        case let date as Date: "\(date.timeIntervalSinceReferenceDate)"
        case let number as Double: "\(number)"
        default: String(reflecting: value)
        }
    }
}
