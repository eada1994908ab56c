import Foundation
import Howdah
import HowdahTesting
import TestSupport
import Testing

/// However long a chain of objects is, its release takes no more stack than that of a short one.
@Suite(.timeLimit(.minutes(60))) struct LongChainTests {
    private static let length = 30_000

    private static func withChain(_ body: @escaping @Sendable (ManagedObjectContext) throws -> Void)
        async throws
    {
        let model = try ManagedObjectModel(entities: [
            EntityDescription(
                "Message",
                properties: [
                    .attribute("text", .string), .relationship("parent", to: "Message", inverse: "answers"),
                    .relationship("answers", to: "Message", inverse: "parent", toMany: true),
                    .relationship("origin", to: "Message"),
                ])
        ])
        try await withStore(model) { container, sql in
            try sql.rows(
                """
                INSERT INTO message (_id, _version, text, parent, origin)
                SELECT i, 1, i::text, NULLIF(i - 1, 0), NULLIF(i - 1, 0) FROM generate_series(1, \(Self.length)) i
                """)
            try await Self.run(container, body)
        }
    }

    /// With half a megabyte of stack, which some thousand frames fill.
    private static func run(
        _ container: PersistentContainer, _ body: @escaping @Sendable (ManagedObjectContext) throws -> Void
    ) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            let thread = Thread {
                continuation.resume(
                    with: Result { try container.newBackgroundContext().performAndWait(body) })
            }
            thread.stackSize = 1 << 19
            thread.start()
        }
    }

    /// Walked to its end and dropped while the context goes on, in small and in large steps.
    @Test func towardsOneOwner() async throws {
        try await Self.withChain { context in
            for _ in 0..<2 {
                var count = 0
                do {
                    var first = try context.fetch(
                        "Message", matching: .format("text == %@", "\(Self.length)")
                    ).first
                    let kept = first
                    // All rows at once, and then each by the reference of the one before.
                    _ = try context.fetch("Message").reversed().map { $0["origin"] }
                    while let message = first {
                        count += 1
                        first = message["origin"] as? ManagedObject
                    }
                    withExtendedLifetime(kept) {}
                }
                #expect(count == Self.length)
            }
            #expect(try context.count(for: FetchRequest<ManagedObject>(entityName: "Message")) == Self.length)
        }
    }

    @Test func ofNewObjects() async throws {
        try await withTestStore(
            ManagedObjectModel(entities: [
                EntityDescription("Node", properties: [.relationship("next", to: "Node")])
            ])
        ) { container in
            try await Self.run(container) { context in
                var last = context.insert("Node")
                for _ in 0..<Self.length {
                    let node = context.insert("Node")
                    node["next"] = last
                    last = node
                }
                context.rollback()
            }
        }
    }
}
