import Howdah
import HowdahTesting
import TestSupport
import Testing

/// Saves of children that have little to do with what their parents hold.
@Suite struct ChildEdgeTests {
    /// It was never in the parent, whatever its id looks like.
    @Test func aForgottenObjectThatReferredToItselfIsNotPushed() async throws {
        try await withTestStore(Binder.model()) { container in
            try await container.perform { root in
                let child = root.newChildContext()
                let label = Label(context: child)
                try child.obtainPermanentIDs(for: [label])
                label.kin.insert(label)
                child.delete(label)
                try child.save()
                #expect(!root.hasChanges)
                try root.save()
                #expect(try root.count(for: FetchRequest<Label>()) == 0)
            }
        }
    }

    /// The parent reads its objects again, and cannot.
    @Test func aPushThatCannotReadTheParentsRowsThrowsAFetchError() async throws {
        try await withTestStore(Binder.model()) { container in
            try await container.perform { try Binder.store(in: $0) }
            struct Done: Error {}
            await #expect(throws: (any Error).self) {
                try await container.perform(isolation: .readCommitted) { root in
                    let child = root.newChildContext()
                    let binder = try child.fetch(Binder.self)[0]
                    binder.name = "changed"
                    root.reset()
                    #expect(throws: (any Error).self) {
                        _ = try root.fetchRows(Int64.self, sql: "SELECT 1 / (SELECT 0)::int8")
                    }
                    #expect(throws: FetchError.self) { try child.save() }
                    throw Done()
                }
            }
        }
    }
}
