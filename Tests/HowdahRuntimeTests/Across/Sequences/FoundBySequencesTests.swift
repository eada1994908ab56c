import Howdah
import HowdahTesting
import TestSupport
import Testing

@testable import HowdahRuntime

/// What the random sequences found, each in its shortest form.
@Suite struct FoundBySequencesTests {
    private static func item(_ context: ManagedObjectContext, _ kind: WildKind = .item) -> ManagedObject {
        let object = context.insert(kind.rawValue)
        object["number"] = 1
        return object
    }

    @Test(arguments: [("twin", "twinOf"), ("whole", "parts"), ("parent", "children"), ("spouse", "spouse")])
    func whatLeadsToItselfDoesSoAfterARefresh(name: String, inverse: String) async throws {
        try await withTestStore(WildKind.model()) { container in
            try await container.perform { context in
                let item = Self.item(context)
                try context.save()
                item[name] = item
                try context.refreshAllObjects()
                let isToMany = WildRelation.all.first { $0.name == inverse }?.isToMany ?? false
                let back =
                    isToMany
                    ? item.members(forKey: inverse).objects
                    : [item[inverse] as? ManagedObject].compactMap(\.self)
                #expect(back == [item] && item[name] as? ManagedObject === item)
                try context.save()
            }
        }
    }

    /// Both ends were changed, and both are read anew: neither may look at the other before that has its changes back.
    @Test(arguments: [("twin", "twinOf"), ("whole", "parts"), ("parent", "children"), ("heir", "heirOf")])
    func bothEndsKeepTheirChangesWhenAllIsRefreshed(name: String, inverse: String) async throws {
        try await withTestStore(WildKind.model()) { container in
            try await container.perform { context in
                let box = context.insert("Box")
                box["number"] = 1
                let objects = (0..<4).map { _ in Self.item(context, .leaf) }
                for object in objects { object["home"] = box }
                try context.save()
                // Each leads to the next one, the last to itself.
                for (object, next) in zip(objects, objects.dropFirst() + [objects[3]]) { object[name] = next }
                let isToMany = WildRelation.all.first { $0.name == inverse }?.isToMany ?? false
                try context.refreshAllObjects()
                for (index, object) in objects.enumerated() where index > 0 {
                    let back =
                        isToMany
                        ? object.members(forKey: inverse).objects
                        : [object[inverse] as? ManagedObject].compactMap(\.self)
                    let wanted =
                        index == 3 && isToMany
                        ? [objects[2], objects[3]] : [objects[index == 3 ? 3 : index - 1]]
                    #expect(Set(back) == Set(wanted), "\(index)")
                }
                try context.save()
            }
        }
    }

    @Test func whatWasSetBackHidesNobodysChange() async throws {
        try await withTestStore(WildKind.model()) { container in
            try await container.perform { context in
                let item = Self.item(context)
                item["note"] = "as it was"
                try context.save()
                let id = item.objectID as ObjectID<ManagedObject>
                item["note"] = "something else"
                item["note"] = "as it was"
                item["value"] = 2
                try container.newBackgroundContext().performAndWait { context in
                    context.object(with: id)["note"] = "theirs"
                    try context.save()
                }
                try context.refresh(item, mergeChanges: true)
                #expect(item["note"] as? String == "theirs" && item["value"] as? Int64 == 2)
                #expect(item.changedPropertyNames == ["value"])
                // It can be changed as before.
                item["note"] = "ours"
                try context.save()
                context.refresh(item)
                #expect(item["note"] as? String == "ours")
            }
        }
    }

    /// The leaf may leave only because the deletion of its home is not saved yet.
    @Test func whoLeftADeletedOwnerReturnsToIt() async throws {
        try await withTestStore(WildKind.model()) { container in
            try await container.perform { context in
                let (box, other) = (Self.item(context, .box), Self.item(context, .box))
                let leaf = Self.item(context, .leaf)
                leaf["home"] = box
                try context.save()
                context.undoManager = UndoStack()
                context.delete(box)
                context.processPendingChanges()
                leaf["home"] = other
                try context.save()
                context.undo()
                #expect(leaf["home"] == nil)
                context.undo()
                #expect(leaf["home"] as? ManagedObject === box)
                #expect(box.members(forKey: "leaves").objects == [leaf])
                try context.save()
                context.redo()
                context.redo()
                #expect(leaf["home"] as? ManagedObject === other && box.isDeleted)
                try context.save()
            }
        }
    }
}
