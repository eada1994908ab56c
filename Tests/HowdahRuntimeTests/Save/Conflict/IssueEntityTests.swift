import Foundation
import Howdah
import HowdahTesting
import TestSupport
import Testing

/// Issues of unique values name the entity of the object, and not the superentity that declares the constraint.
@Suite(.timeLimit(.minutes(60))) struct IssueEntityTests {
    private static func model() throws -> ManagedObjectModel {
        let person = EntityDescription(
            "Person",
            properties: [
                .attribute("email", .string, optional: false),
                .attribute("age", .integer16, minimum: .int(0)),
            ],
            uniquenessConstraints: [["email"]])
        return try ManagedObjectModel(entities: [
            person,
            EntityDescription("Customer", superentity: "Person", properties: [.attribute("x", .string)]),
            EntityDescription("Supplier", superentity: "Person", properties: [.attribute("y", .string)]),
        ])
    }

    private static func withCustomer(_ body: (PersistentContainer) async throws -> Void) async throws {
        try await withTestStore(model()) { container in
            try await container.perform { context in
                context.insert("Customer")["email"] = "ada"
                context.insert("Customer")["email"] = "bob"
                try context.save()
            }
            try await body(container)
        }
    }

    private static func entities(_ error: SaveError?) -> [String] {
        (error?.issues ?? []).map { "\($0.entityName).\($0.propertyName ?? "")" }
    }

    @Test(arguments: [MergePolicy.MergeType.error, .overwrite]) func saves(policy: MergePolicy.MergeType)
        async throws
    {
        try await Self.withCustomer { container in
            try await container.perform { context in
                // A stored object cannot become another row, whatever the policy is.
                context.mergePolicy = MergePolicy(merge: policy)
                let bob = try #require(try context.object("Customer", naturalKey: "bob"))
                bob["email"] = "ada"
                let error = #expect(throws: SaveError.self) { try context.save() }
                #expect(error?.code == .uniqueness && Self.entities(error) == ["Customer.email"])
                #expect(error?.issues.first?.objectID == bob.objectID)
            }
        }
    }

    @Test func savesOfAChildsParent() async throws {
        try await Self.withCustomer { container in
            try await container.perform { context in
                let child = context.newChildContext()
                child.insert("Supplier")["email"] = "ada"
                try child.save()
                let error = #expect(throws: SaveError.self) { try context.save() }
                #expect(Self.entities(error) == ["Supplier.email"])
            }
        }
    }

    @Test func clashesBeforeTheSave() async throws {
        try await Self.withCustomer { container in
            try await container.perform { context in
                context.mergePolicy = .mergeByPropertyStoreTrump
                context.insert("Supplier")["email"] = "ada"
                let error = #expect(throws: SaveError.self) { try context.save() }
                #expect(Self.entities(error) == ["Supplier.email"])
            }
        }
    }

    @Test(arguments: [MergePolicy.MergeType.error, .overwrite]) func batches(policy: MergePolicy.MergeType)
        async throws
    {
        try await Self.withCustomer { container in
            var error = await #expect(throws: SaveError.self) {
                try await container.insert(
                    into: ManagedObject.self, entityName: "Supplier", uniqueness: policy,
                    from: [["email": "ada"]])
            }
            #expect(error?.issues.first?.entityName == "Supplier", "\(String(describing: error))")
            error = await #expect(throws: SaveError.self) {
                try await container.insert(
                    into: ManagedObject.self, entityName: "Supplier", from: [["email": "eve", "age": -1]])
            }
            #expect(error?.issues.first?.entityName == "Supplier", "\(String(describing: error))")
            try await container.perform { context in
                for entity in ["Customer", "Person"] {
                    let request = BatchUpdateRequest<ManagedObject>(
                        FetchRequest(entityName: entity), set: ["email": "same"])
                    let error = #expect(throws: SaveError.self) { try context.execute(request) }
                    #expect(Self.entities(error) == ["\(entity).email"])
                }
            }
        }
    }
}
