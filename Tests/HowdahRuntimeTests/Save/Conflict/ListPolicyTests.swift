import Howdah
import HowdahTesting
import TestSupport
import Testing

/// The order of a list is one value of its owner, for every policy.
@Suite struct ListPolicyTests {
    enum Side: CaseIterable { case here, there, both }

    /// Ours is 3210, theirs 1032, and what was read 0123; each side changes something else besides.
    @Test(
        arguments: [
            (MergePolicy.MergeType.mergeByPropertyStoreTrump, Side.here, "3210"),
            (.mergeByPropertyStoreTrump, .there, "1032"), (.mergeByPropertyStoreTrump, .both, "1032"),
            (.mergeByPropertyObjectTrump, .here, "3210"), (.mergeByPropertyObjectTrump, .there, "1032"),
            (.mergeByPropertyObjectTrump, .both, "3210"), (.overwrite, .here, "3210"),
            (.overwrite, .there, "0123"), (.overwrite, .both, "3210"), (.rollback, .here, "0123"),
            (.rollback, .there, "1032"), (.rollback, .both, "1032"),
        ])
    func theTableHoldsForLists(
        _ type: MergePolicy.MergeType, _ side: Side, _ expected: String
    ) async throws {
        try await withTestStore(Binder.model()) { container in
            let peer = container.newBackgroundContext()
            try await container.perform { context in
                try Binder.store(in: context)
                context.mergePolicy = MergePolicy(merge: type)
                let binder = try context.fetch(Binder.self)[0]
                #expect(binder.texts == "0123")
                try peer.performAndWait { other in
                    let theirs = try other.fetch(Binder.self)[0]
                    theirs.place = "there"
                    if side != .here {
                        let sheets = Array(theirs.order)
                        theirs.order.replace(with: [1, 0, 3, 2].map { sheets[$0] })
                    }
                    try other.save()
                }
                binder.name = "here"
                if side != .there { binder.order.replace(with: binder.order.reversed()) }
                try context.save()
                #expect(binder.texts == expected, "in memory")
                // What is written next is written on top of what the store has.
                let first = binder.order[0]
                binder.order.move(first, to: 3)
                try context.save()
                let moved = expected.dropFirst() + expected.prefix(1)
                #expect(binder.texts == moved)
                context.reset()
                #expect(try context.fetch(Binder.self)[0].texts == moved, "stored")
            }
        }
    }
}
