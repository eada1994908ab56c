import HowdahModel
import HowdahRuntime
import HowdahTesting
import TestSupport
import Testing

struct InheritedWayTests {
    /// Rows of the superentity have the same relationship and no such attribute.
    @Test func aSubentityCountsAnInheritedRelationship() async throws {
        let model = try ManagedObjectModel(entities: [
            EntityDescription(
                "Box",
                properties: [.relationship("things", to: "Thing", inverse: "box", toMany: true)]),
            EntityDescription(
                "Chest", superentity: "Box",
                properties: [.attribute("size", .integer64, derivation: "things.@count")]),
            EntityDescription("Thing", properties: [.relationship("box", to: "Box", inverse: "things")]),
        ])
        try await withTestStore(model) { container in
            try await container.perform { context in
                let (box, chest) = (context.insert("Box"), context.insert("Chest"))
                for owner in [box, box, chest, chest, chest] { context.insert("Thing")["box"] = owner }
                try context.save()
                #expect(chest["size"] as? Int64 == 3)
                context.insert("Thing")["box"] = box
                try context.save()
            }
            let sizes = try await container.perform { context in
                try context.fetch(FetchRequest<ManagedObject>(entityName: "Chest")).map {
                    $0["size"] as? Int64
                }
            }
            #expect(sizes == [3])
        }
    }
}
