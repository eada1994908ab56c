import Foundation
import Howdah

/// Work of contexts that has to find the unsaved changes which concern an object, with n objects each.
struct ContextRun: Encodable {
    private var discard = 0.0
    private var refresh = 0.0
    private var adopt = 0.0
    private var merge = 0.0
    private var resolve = 0.0
    private var isRight = false

    private static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                "Parent",
                properties: [
                    .attribute("key", .string, optional: false),
                    .attribute("visits", .integer64, optional: false),
                    .relationship(
                        "children", to: "Child", inverse: "parent", toMany: true, deleteRule: .cascade),
                    .relationship("tags", to: "Tag", inverse: "parents", toMany: true),
                ], uniquenessConstraints: [["key"]]),
            EntityDescription(
                "Child",
                properties: [
                    .attribute("name", .string, optional: false),
                    .relationship("parent", to: "Parent", inverse: "children"),
                ]),
            EntityDescription(
                "Tag",
                properties: [
                    .attribute("name", .string, optional: false),
                    .relationship("parents", to: "Parent", inverse: "tags", toMany: true),
                ]),
        ])
    }

    init(_ url: String, _ n: Int) async throws {
        let container = try await PersistentContainer.open(url, model: Self.model())
        container.statementLog.stop()
        discard = try await container.perform { context in
            let parents = try Self.insert(n, context)
            return try Self.time {
                for parent in parents { context.delete(parent) }
                try context.save()
            }
        }
        let nothing = try await container.perform { try Self.count("Parent", $0) + Self.count("Child", $0) }
        try await container.perform { context in
            _ = try Self.insert(n, context)
            try context.save()
        }
        refresh = try await container.perform { context in
            let parents = try context.fetch("Parent")
            for (place, parent) in parents.enumerated() {
                parent["visits"] = Int64(1)
                Self.insertChild(parent, context)
                parents[(place + 1) % n].members(forKey: "tags").insert(Self.insertTag(context))
            }
            let seconds = try Self.time { try context.refreshAllObjects() }
            context.rollback()
            return seconds
        }
        adopt = try await container.perform { context in
            context.mergePolicy = .mergeByPropertyObjectTrump
            _ = try Self.insert(n, context)
            return try Self.time { try context.save() }
        }
        resolve = try await container.perform { context in
            context.mergePolicy = .mergeByPropertyObjectTrump
            for parent in try context.fetch("Parent") {
                parent["visits"] = Int64(2)
                Self.insertChild(parent, context)
            }
            _ = try context.fetchRows(sql: "UPDATE parent SET _version = _version + 1")
            return try Self.time { try context.save() }
        }
        merge = try await Self.merge(container, n)
        let counts = try await container.perform { context in
            [try Self.count("Parent", context), try Self.count("Child", context)]
        }
        isRight = nothing == 0 && counts == [n - n / 2, 3 * (n - n / 2)]
    }

    /// A context with changes takes in that the half of its objects was deleted.
    private static func merge(_ container: PersistentContainer, _ n: Int) async throws -> Double {
        let follower = container.newBackgroundContext()
        try await follower.perform { context in
            context.automaticallyMergesChangesFromParent = true
            for parent in try context.fetch("Parent") {
                parent["visits"] = Int64(3)
                insertChild(parent, context)
            }
        }
        try await container.perform { context in
            for parent in try context.fetch("Parent", sortedBy: .key("key"), limit: n / 2) {
                context.delete(parent)
            }
            try context.save()
        }
        let start = ContinuousClock.now
        _ = try await follower.perform { $0.updatedObjects.count }
        return (ContinuousClock.now - start) / .seconds(1)
    }

    private static func insert(_ n: Int, _ context: ManagedObjectContext) throws -> [ManagedObject] {
        let tag = insertTag(context)
        return (0..<n).map { place in
            let parent = context.insert("Parent")
            (parent["key"], parent["visits"]) = ("key\(place)", Int64(0))
            if place == 0 { parent.members(forKey: "tags").insert(tag) }
            insertChild(parent, context)
            return parent
        }
    }

    private static func insertChild(_ parent: ManagedObject, _ context: ManagedObjectContext) {
        let child = context.insert("Child")
        (child["name"], child["parent"]) = ("child", parent)
    }

    private static func count(_ name: String, _ context: ManagedObjectContext) throws -> Int {
        try context.count(for: FetchRequest<ManagedObject>(entityName: name))
    }

    private static func insertTag(_ context: ManagedObjectContext) -> ManagedObject {
        let tag = context.insert("Tag")
        tag["name"] = "tag"
        return tag
    }

    private static func time(_ body: () throws -> Void) rethrows -> Double {
        let start = ContinuousClock.now
        try body()
        return (ContinuousClock.now - start) / .seconds(1)
    }
}
