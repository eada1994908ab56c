import Howdah
import HowdahTesting
import TestSupport
import Testing

@testable import HowdahRuntime

/// Transient relationships live in the objects of a context: no row has them, and no statement asks for them.
@Suite struct TransientRelationshipTests {
    private static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                "Task",
                properties: [
                    .attribute("title", .string),
                    .relationship("shownBy", to: "Panel", inverse: "shown", transient: true),
                    .relationship("next", to: "Task", inverse: "previous", transient: true),
                    .relationship("previous", to: "Task", inverse: "next", transient: true),
                    .relationship("marks", to: "Mark", inverse: "tasks", toMany: true, transient: true),
                    .relationship(
                        "pieces", to: "Mark", toMany: true, deleteRule: .cascade, transient: true),
                    .relationship("owner", to: "Panel", inverse: "tasks"),
                ]),
            EntityDescription(
                "Panel",
                properties: [
                    .attribute("name", .string),
                    .relationship(
                        "shown", to: "Task", inverse: "shownBy", toMany: true, ordered: true, minCount: 1,
                        transient: true),
                    .relationship("tasks", to: "Task", inverse: "owner", toMany: true),
                    .relationship("keeper", to: "Task", deleteRule: .deny, transient: true),
                ]),
            EntityDescription(
                "Mark",
                properties: [
                    .attribute("name", .string),
                    .relationship("tasks", to: "Task", inverse: "marks", toMany: true, transient: true),
                ]),
        ])
    }

    private static func named(_ context: ManagedObjectContext, _ entity: String, _ name: String)
        -> ManagedObject
    {
        let object = context.insert(entity)
        object[entity == "Task" ? "title" : "name"] = name
        return object
    }

    private static func names(_ value: Any?) -> [String] {
        ((value as? [ManagedObject]) ?? []).map { object in
            object[object.entityName == "Task" ? "title" : "name"] as? String ?? ""
        }
    }

    @Test func noTableHasThem() throws {
        let schema = try StoreSchema(Self.model())
        #expect(schema.tables.map(\.name).sorted() == ["mark", "panel", "task"])
        #expect(schema.table(named: "task")?.columns.map(\.name).contains("shown_by") == false)
        let task = try #require(schema.entities["Task"])
        #expect(
            task.properties.map(\.name) == [
                "title", "shownBy", "next", "previous", "marks", "pieces", "owner",
            ])
        guard case .transient = task.property(named: "marks")?.mapping else {
            Issue.record("marks is not transient")
            return
        }
    }

    @Test func inversesFollowEachOther() async throws {
        try await withTestStore(Self.model()) { container in
            try await container.perform { context in
                let (one, two) = (Self.named(context, "Task", "1"), Self.named(context, "Task", "2"))
                let panel = Self.named(context, "Panel", "P")
                try context.save()
                one["shownBy"] = panel
                panel.orderedMembers(forKey: "shown").append(two)
                panel.orderedMembers(forKey: "shown").move(two, to: 0)
                #expect(Self.names(panel["shown"]) == ["2", "1"])
                #expect(two["shownBy"] as? ManagedObject === panel)
                one["next"] = two
                #expect(two["previous"] as? ManagedObject === one)
                two["previous"] = nil
                #expect(one["next"] == nil)
                let mark = Self.named(context, "Mark", "M")
                mark["tasks"] = [one, two]
                #expect(Self.names(one["marks"]) == ["M"])
                two.members(forKey: "marks").remove(mark)
                #expect(Self.names(mark["tasks"]) == ["1"])
                #expect(mark.members(forKey: "tasks").count == 1)
            }
        }
    }

    @Test func nothingIsSentAndNoVersionMoves() async throws {
        try await withTestStore(Self.model()) { container in
            let handle = container.newBackgroundContext()
            try await handle.perform { context in
                for name in ["1", "2"] { _ = Self.named(context, "Task", name) }
                _ = Self.named(context, "Panel", "P")
                try context.save()
            }
            try await expectStatements(2, on: container) {
                try await container.perform { context in
                    let tasks = try context.fetch("Task", sortedBy: .key("title"))
                    let panel = try #require(try context.fetch("Panel").first)
                    #expect(tasks[0]["shownBy"] == nil && Self.names(panel["shown"]) == [])
                    #expect(panel.members(forKey: "shown").contains(tasks[0]) == false)
                    panel["shown"] = [tasks[1], tasks[0]]
                    tasks[0]["marks"] = [] as [ManagedObject]
                    try context.save()
                    #expect(!context.hasChanges && panel.version == 1 && tasks[0].version == 1)
                    #expect(Self.names(panel["shown"]) == ["2", "1"], "a save keeps them")
                    #expect(
                        try PredicateTree(format: "shownBy.name == 'P'").evaluate(with: tasks[0]))
                }
            }
            try await container.perform { context in
                let task = try #require(try context.fetch("Task").first)
                #expect(task["shownBy"] == nil, "another context has its own")
            }
        }
    }

    @Test func refreshAndRollbackDropThemOnBothSides() async throws {
        try await withTestStore(Self.model()) { container in
            try await container.perform { context in
                let (one, two) = (Self.named(context, "Task", "1"), Self.named(context, "Task", "2"))
                let (panel, mark) = (Self.named(context, "Panel", "P"), Self.named(context, "Mark", "M"))
                panel["shown"] = [one, two]
                mark["tasks"] = [one]
                try context.save()

                panel.orderedMembers(forKey: "shown").move(two, to: 0)
                mark["tasks"] = [one, two]
                one["next"] = two
                let new = Self.named(context, "Task", "3")
                new["shownBy"] = panel
                context.rollback()
                #expect(Self.names(panel["shown"]) == ["1", "2"])
                #expect(one["shownBy"] as? ManagedObject === panel)
                #expect(Self.names(mark["tasks"]) == ["1"] && Self.names(two["marks"]) == [])
                #expect(one["next"] == nil && two["previous"] == nil)

                one["next"] = two
                context.refresh(one)
                #expect(one["shownBy"] == nil && Self.names(panel["shown"]) == ["2"])
                #expect(Self.names(mark["tasks"]) == [] && two["previous"] == nil)
                #expect(one["title"] as? String == "1")
            }
        }
    }

    @Test func deletionsLeaveThemAndFollowTheirRules() async throws {
        try await withTestStore(Self.model()) { container in
            try await container.perform { context in
                let (one, two) = (Self.named(context, "Task", "1"), Self.named(context, "Task", "2"))
                let panel = Self.named(context, "Panel", "P")
                let (stored, piece) = (Self.named(context, "Mark", "S"), Self.named(context, "Mark", "N"))
                panel["shown"] = [one, two]
                panel["keeper"] = two
                try context.save()
                one["pieces"] = [stored]
                context.delete(one)
                try context.save()
                #expect(Self.names(panel["shown"]) == ["2"])
                #expect(try context.count(for: FetchRequest<ManagedObject>(entityName: "Mark")) == 1)
                #expect(!piece.isDeleted && stored.isDeleted)

                context.delete(panel)
                let error = saveError { try context.save() }
                #expect(error?.code == .referentialIntegrity)
                #expect(error?.issues.first?.propertyName == "keeper")
                panel["keeper"] = nil
                try context.save()
                #expect(two["shownBy"] == nil)
            }
        }
    }

    @Test func theDatabaseIsNotAskedForThem() async throws {
        try await withTestStore(Self.model()) { container in
            try await container.perform { context in
                #expect(throws: PredicateTreeError.self) {
                    try context.fetch("Task", matching: PredicateTree(format: "shownBy.name == 'P'"))
                }
                var request = FetchRequest<ManagedObject>(entityName: "Task")
                request.relationshipKeyPathsForPrefetching = ["marks"]
                let error = #expect(throws: FetchError.self) { try context.fetch(request) }
                #expect(error?.message.contains("transient") == true)
            }
        }
    }

    @Test func aStoredInverseIsAWarning() throws {
        let model = try ManagedObjectModel(entities: [
            EntityDescription("A", properties: [.relationship("b", to: "B", inverse: "a")]),
            EntityDescription("B", properties: [.relationship("a", to: "A", inverse: "b", transient: true)]),
        ])
        #expect(model.warnings.map(\.propertyName) == ["b"])
        #expect(model.warnings.first?.message.contains("both stored") == true)
    }
}
