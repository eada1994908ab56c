import Howdah
import HowdahTesting
import TestSupport
import Testing

/// A policy that keeps an object keeps what the object's delete rules reached, too.
@Suite struct RevertedDeletionTests {
    enum Way: CaseIterable { case root, propagating, child }

    @Test(arguments: [MergePolicy.MergeType.mergeByPropertyStoreTrump, .rollback], Way.allCases)
    func whatADeletionReachedStaysWithItsObject(_ type: MergePolicy.MergeType, _ way: Way) async throws {
        try await withTestStore(Binder.model()) { container in
            let peer = container.newBackgroundContext()
            try await container.perform { root in
                try Binder.store(in: root)
                let context = way == .child ? root.newChildContext() : root
                context.mergePolicy = MergePolicy(merge: type)
                context.propagatesDeletesAtEndOfEvent = way == .propagating
                let binder = try #require(try context.fetch(Binder.self).first)
                #expect(binder.texts == "0123")
                if way == .child {
                    try root.fetch(Binder.self)[0].name = "changed"
                } else {
                    try peer.performAndWait { other in
                        try other.fetch(Binder.self)[0].name = "changed"
                        try other.save()
                    }
                }
                context.delete(binder)
                context.processPendingChanges()
                try context.save()
                #expect(!context.hasChanges && binder.name == "changed" && binder.texts == "0123")
                #expect(binder.sheets.count == 4 && binder.labels.count == 1)
                if way == .child { try root.save() }
            }
            try await Self.expectAll(in: container)
        }
    }

    /// Others led the kept object, and a member of the kept object, elsewhere: both stay there.
    @Test(arguments: [MergePolicy.MergeType.mergeByPropertyStoreTrump, .rollback], Way.allCases)
    func whatOthersLedElsewhereStaysThere(_ type: MergePolicy.MergeType, _ way: Way) async throws {
        for deletesOwner in [true, false] { try await Self.leadElsewhere(type, way, deletesOwner) }
    }

    private static func leadElsewhere(
        _ type: MergePolicy.MergeType, _ way: Way, _ deletesOwner: Bool
    ) async throws {
        try await withTestStore(Binder.model()) { container in
            let peer = container.newBackgroundContext()
            try await container.perform { root in
                try Binder.store(in: root)
                let other = Binder(context: root)
                other.name = "other"
                try root.save()
                let context = way == .child ? root.newChildContext() : root
                context.mergePolicy = MergePolicy(merge: type)
                context.propagatesDeletesAtEndOfEvent = way == .propagating
                let binders = try context.fetch(Binder.self, sortedBy: .ascending(\.name))
                let sheet = try #require(binders[0].order.first { $0.text == "1" })
                let change: @Sendable (ManagedObjectContext) throws -> Void = { context in
                    let binders = try context.fetch(Binder.self, sortedBy: .ascending(\.name))
                    let sheet = try #require(binders[0].order.first { $0.text == "1" })
                    if deletesOwner { binders[0].place = "changed" }
                    sheet.text = "theirs"
                    sheet.list = binders[1]
                }
                if way == .child {
                    try change(root)
                } else {
                    try peer.performAndWait { other in
                        try change(other)
                        try other.save()
                    }
                }
                context.delete(deletesOwner ? binders[0] : sheet)
                context.processPendingChanges()
                try context.save()
                #expect(!context.hasChanges)
                // Without delete rules in memory, the save has nothing to do with the member.
                if way != .root || !deletesOwner {
                    #expect(sheet.list === binders[1] && binders.map(\.texts) == ["023", "theirs"])
                }
                if way == .child { try root.save() }
            }
            let texts = try await container.perform { context in
                try context.fetch(Binder.self, sortedBy: .ascending(\.name)).map(\.texts)
            }
            #expect(texts == ["023", "theirs"])
        }
    }

    /// The kept object has its row's version, and so its list has the order that came with it.
    @Test(arguments: [MergePolicy.MergeType.mergeByPropertyStoreTrump, .rollback], Way.allCases)
    func anOrderThatOthersChangedIsTheirs(_ type: MergePolicy.MergeType, _ way: Way) async throws {
        try await withTestStore(Binder.model()) { container in
            let peer = container.newBackgroundContext()
            try await container.perform { root in
                try Binder.store(in: root)
                let context = way == .child ? root.newChildContext() : root
                context.mergePolicy = MergePolicy(merge: type)
                context.propagatesDeletesAtEndOfEvent = way == .propagating
                let binder = try #require(try context.fetch(Binder.self).first)
                #expect(binder.texts == "0123")
                let change: @Sendable (ManagedObjectContext) throws -> Void = { context in
                    let binder = try #require(try context.fetch(Binder.self).first)
                    binder.name = "theirs"
                    binder.order.replace(with: binder.order.reversed())
                }
                if way == .child {
                    try change(root)
                } else {
                    try peer.performAndWait { other in
                        try change(other)
                        try other.save()
                    }
                }
                context.delete(binder)
                try context.save()
                #expect(binder.texts == "3210")
                context.mergePolicy = .error
                binder.order.move(binder.order[1], to: 2)
                try context.save()
                if way == .child { try root.save() }
            }
            #expect(try await container.perform { try $0.fetch(Binder.self)[0].texts } == "3120")
        }
    }

    /// The control: what another deletion reached goes.
    @Test(arguments: [Way.propagating, .child])
    func otherDeletionsOfTheSameSaveAreMade(_ way: Way) async throws {
        try await withTestStore(Binder.model()) { container in
            let peer = container.newBackgroundContext()
            try await container.perform { root in
                try Binder.store(in: root)
                try Binder.store(in: root)
                let context = way == .child ? root.newChildContext() : root
                context.mergePolicy = .mergeByPropertyStoreTrump
                context.propagatesDeletesAtEndOfEvent = true
                let binders = try context.fetch(Binder.self, sortedBy: .ascending(\.name))
                for binder in binders { #expect(binder.texts == "0123") }
                let first: ObjectID<Binder> = binders[0].objectID
                if way == .child {
                    try root.fetch(Binder.self, sortedBy: .ascending(\.name))[0].name = "changed"
                } else {
                    try peer.performAndWait { other in
                        try other.existingObject(with: first).name = "changed"
                        try other.save()
                    }
                }
                for binder in binders { context.delete(binder) }
                context.processPendingChanges()
                try context.save()
                if way == .child { try root.save() }
            }
            try await Self.expectAll(in: container)
        }
    }

    /// One binder is left, with all that it had.
    private static func expectAll(in container: PersistentContainer) async throws {
        try await container.perform { context in
            let binders = try context.fetch(Binder.self)
            #expect(binders.count == 1 && binders[0].name == "changed" && binders[0].texts == "0123")
            #expect(binders[0].sheets.count == 4 && binders[0].labels.count == 1)
            #expect(try context.count(for: FetchRequest<Sheet>()) == 4)
        }
    }
}
