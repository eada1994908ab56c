import Howdah
import HowdahTesting
import TestSupport
import Testing

@testable import HowdahRuntime

/// A link that is added and removed again leaves nothing to be saved, and neither does the reverse.
@Suite struct LinkCancellationTests {
    enum Way: CaseIterable, Sendable { case byHand, undone }

    /// A bed and two plants, of which the first is linked to it in every way.
    nonisolated(nonsending)
        private static func with(
            _ body: @escaping @Sendable (ManagedObjectContext, Links) throws -> Void
        ) async throws
    {
        try await withTestStore(Garden.model()) { container in
            let ids = try await container.perform { context in
                let objects = ["Bed", "Plant", "Plant"].enumerated().map { number, name in
                    let object = context.insert(name)
                    object["number"] = number
                    return object
                }
                for relationship in Links.ofBeds {
                    objects[0].members(forKey: relationship).insert(objects[1])
                }
                for relationship in Links.ofPlants {
                    objects[1].members(forKey: relationship).insert(objects[1])
                }
                try context.save()
                return objects.map(\.objectID)
            }
            try await container.perform { context in
                try body(context, Links(ids: ids, container: container))
            }
        }
    }

    private struct Links {
        static let ofBeds = ["guests", "shown", "picks", "sampled"]
        static let ofPlants = ["links", "friends", "likes", "rivals"]
        let ids: [ObjectID<ManagedObject>]
        let container: PersistentContainer

        /// How often rows were changed, by the versions of all objects.
        func versions() throws -> [Int64] {
            try container.newBackgroundContext().performAndWait { [ids] context in
                try ids.map { try context.existingObject(with: $0).version }
            }
        }
    }

    @Test(arguments: Way.allCases)
    func whatIsTakenBackIsNoChange(_ way: Way) async throws {
        try await Self.with { context, store in
            if way == .undone { context.undoManager = UndoStack() }
            let objects = try store.ids.map { try context.existingObject(with: $0) }
            let (bed, stored, free) = (objects[0], objects[1], objects[2])
            let pairs =
                Links.ofBeds.map { (bed, $0) }
                + Links.ofPlants.map { (stored, $0) }
            let before = try store.versions()
            for (owner, name) in pairs {
                let members = owner.members(forKey: name)
                for member in [stored, free] {
                    let isMember = member === stored
                    if isMember { members.remove(member) } else { members.insert(member) }
                    #expect(context.hasChanges && !context.links.isEmpty)
                    #expect(members.contains(member) != isMember)
                    if way == .undone {
                        context.undo()
                    } else if isMember {
                        members.insert(member)
                    } else {
                        members.remove(member)
                    }
                    #expect(context.links.isEmpty, "\(name), \(isMember)")
                    #expect(!context.hasChanges, "\(name), \(isMember)")
                    #expect(members.contains(member) == isMember)
                    #expect(Array(members) == [stored])
                    guard way == .undone else { continue }
                    context.redo()
                    #expect(!context.links.isEmpty && members.contains(member) != isMember)
                    context.undo()
                    #expect(context.links.isEmpty && !context.hasChanges, "\(name), \(isMember), again")
                }
            }
            store.container.statementLog.start()
            try context.save()
            #expect(store.container.statementLog.count == 0)
            #expect(try store.versions() == before)
        }
    }

    /// Nobody looked whether there is a link: its change back asks, and then leaves what is right.
    @Test func whatNobodyLookedAtIsAskedFor() async throws {
        try await Self.with { context, store in
            let objects = store.ids.map { context.object(with: $0) }
            let (stored, free) = (objects[1], objects[2])
            let (links, log) = (stored.members(forKey: "links"), store.container.statementLog)
            log.start()
            links.insert(stored)
            links.insert(free)
            #expect(log.count == 0 && context.links.all.allSatisfy { !$0.isCertain })
            links.remove(stored)
            #expect(log.count == 1)
            #expect(context.links.all.count == 2, "one is stored, and goes")
            links.remove(free)
            #expect(log.count == 2 && context.links.all.map(\.isInsertion) == [false])
            links.insert(stored)
            #expect(log.count == 2 && context.links.isEmpty && !context.hasChanges)
            // The other way round.
            links.remove(free)
            links.remove(stored)
            links.insert(free)
            links.insert(stored)
            #expect(log.count == 4 && context.links.all.map(\.member) == [free])
            try context.save()
            #expect(Set(links.objects) == [stored, free])
        }
    }

    /// What was taken back stays out of what others do.
    @Test(arguments: Way.allCases)
    func othersMayHaveTheLinkMeanwhile(_ way: Way) async throws {
        try await Self.with { context, store in
            if way == .undone { context.undoManager = UndoStack() }
            let (stored, free) = (context.object(with: store.ids[1]), context.object(with: store.ids[2]))
            let links = stored.members(forKey: "links")
            #expect(links.contains(stored) && !links.contains(free))
            _ = links.objects
            links.insert(free)
            if way == .undone { context.undo() } else { links.remove(free) }
            stored["value"] = 7
            let ids = store.ids
            try store.container.newBackgroundContext().performAndWait { context in
                context.object(with: ids[1]).members(forKey: "links").insert(context.object(with: ids[2]))
                try context.save()
            }
            try context.save()
            context.refresh(stored)
            #expect(Set(links.objects) == [stored, free])
        }
    }

    /// A removal and an insertion in an ordered list may move the member, which is all that is saved.
    @Test func aMemberThatComesBackElsewhereIsMoved() async throws {
        try await Self.with { context, store in
            let objects = try store.ids.map { try context.existingObject(with: $0) }
            let (bed, guests) = (objects[0], objects[0].orderedMembers(forKey: "guests"))
            guests.append(objects[2])
            try context.save()
            guests.remove(objects[1])
            guests.append(objects[1])
            #expect(context.links.isEmpty && bed.isUpdated)
            try context.save()
            context.refresh(bed)
            #expect(guests.objects == [objects[2], objects[1]])
            // Not loaded, and back at the end.
            context.refresh(bed)
            for object in objects { context.refresh(object) }
            guests.remove(objects[2])
            guests.append(objects[2])
            #expect(context.links.isEmpty)
            try context.save()
            context.refresh(bed)
            #expect(guests.objects == [objects[1], objects[2]])
            guests.remove(objects[1])
            guests.insert(objects[1], at: 0)
            #expect(!context.hasChanges)
        }
    }

    /// A transaction that is rolled back makes the changes of its saves pending again: those that came to nothing too.
    @Test func savesThatAreRolledBackComeToNothingTogether() async throws {
        try await Self.with { _, store in
            struct Stop: Error {}
            let handle = store.container.newBackgroundContext()
            let ids = store.ids
            for isInsertionLast in [false, true] {
                #expect(throws: Stop.self) {
                    try handle.performAndWait(isolation: .readCommitted) { context in
                        let objects = ids.map { context.object(with: $0) }
                        let links = objects[1].members(forKey: "links")
                        let member = isInsertionLast ? objects[1] : objects[2]
                        _ = links.objects
                        for isInsertion in [!isInsertionLast, isInsertionLast] {
                            if isInsertion { links.insert(member) } else { links.remove(member) }
                            try context.save()
                        }
                        throw Stop()
                    }
                }
                try handle.performAndWait { context in
                    #expect(context.links.isEmpty && !context.hasChanges)
                    #expect(context.object(with: ids[1]).members(forKey: "links").count == 1)
                }
            }
        }
    }

    /// In a child the parent says what there is, and what is pushed takes back what the parent had pending.
    @Test func childrenTakeBackWhatTheirParentHasPending() async throws {
        try await Self.with { context, store in
            let objects = store.ids.map { context.object(with: $0) }
            let links = objects[1].members(forKey: "links")
            links.insert(objects[2])
            let child = context.newChildContext()
            let there = child.object(with: store.ids[1]).members(forKey: "links")
            there.remove(child.object(with: store.ids[2]))
            there.remove(child.object(with: store.ids[1]))
            there.insert(child.object(with: store.ids[1]))
            #expect(child.links.all.count == 1)
            try child.save()
            #expect(context.links.isEmpty && !context.hasChanges)
            #expect(links.objects == [objects[1]])
        }
    }
}
