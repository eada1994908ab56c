import Foundation
import Howdah
import HowdahTesting
import TestSupport
import Testing

/// Programs catch the errors that their own validation hooks throw.
@Suite struct ThrownErrorTests {
    /// A unit of work in which a hook of one or two permits is asked.
    private static func ask(_ hook: Permit.Hook, _ count: Int, _ context: ManagedObjectContext) throws {
        let permits = (0..<count).map { _ in Permit(context: context) }
        if hook == .update || hook == .delete {
            try Permit.$thrown.withValue(nil) { try context.save() }
            for permit in permits {
                if hook == .update { permit.title = "changed" } else { context.delete(permit) }
            }
        }
        try context.save()
    }

    private static func error(
        _ count: Int, _ hook: Permit.Hook, throwing error: @escaping @Sendable (Permit) -> any Error
    ) async throws -> (any Error)? {
        var caught: (any Error)?
        try await withTestStore(Permit.model()) { container in
            do {
                try await Permit.$thrown.withValue((hook, error)) {
                    try await container.perform { try Self.ask(hook, count, $0) }
                }
            } catch { caught = error }
            let stored = try await container.perform {
                try $0.count(Permit.self, matching: .format("title == 'changed'"))
            }
            #expect(stored == 0)
        }
        return caught
    }

    @Test(arguments: Permit.Hook.allCases) func aLoneErrorIsThrownAsItIs(_ hook: Permit.Hook) async throws {
        let error = try await Self.error(1, hook, throwing: { _ in Permit.Refusal(hook: hook) })
        #expect(error as? Permit.Refusal == Permit.Refusal(hook: hook))
    }

    @Test(arguments: Permit.Hook.allCases) func severalErrorsAreCausesOfIssues(_ hook: Permit.Hook)
        async throws
    {
        let error = try await Self.error(2, hook, throwing: { _ in Permit.Refusal(hook: hook) }) as? SaveError
        #expect(error?.code == .validation && error?.issues.count == 2)
        for issue in error?.issues ?? [] {
            #expect(issue.underlyingError as? Permit.Refusal == Permit.Refusal(hook: hook))
            #expect(issue.code == 1550 && issue.propertyName == (hook == .value ? "title" : nil))
        }
    }

    @Test(arguments: Permit.Hook.allCases, [1, 2]) func cancellationStaysCancellation(
        _ hook: Permit.Hook, _ count: Int
    )
        async throws
    {
        #expect(
            try await Self.error(count, hook, throwing: { _ in CancellationError() }) is CancellationError)
    }

    /// The errors of the library are no causes: their issues count.
    @Test func issuesOfHooksStayIssues() async throws {
        for (count, isWrapped) in [(1, false), (1, true), (2, false), (2, true)] {
            let error =
                try await Self.error(count, .insert) { permit in
                    let issue = ValidationIssue(permit, ["title"], "is taken")
                    return isWrapped ? SaveError.validation([issue]) : issue
                } as? SaveError
            #expect(
                error?.issues.count == count && error?.issues.allSatisfy { $0.underlyingError == nil } == true
            )
            #expect(error?.issues.first?.message == "is taken")
        }
    }

    @Test func aDirectCallThrowsTheErrorItself() async throws {
        try await withTestStore(Permit.model()) { container in
            try await container.perform { context in
                let permit = Permit(context: context)
                for hook in [Permit.Hook.insert, .value] {
                    Permit.$thrown.withValue((hook, { _ in Permit.Refusal(hook: hook) })) {
                        #expect(throws: Permit.Refusal(hook: hook)) { try permit.validateForInsert() }
                    }
                }
                context.rollback()
            }
        }
    }

    /// `EncodingError` is Sendable and can hold an object, which must not leave its context.
    @Test(arguments: [1, 2]) func errorsOfHooksCarryNoObjectsOut(_ count: Int) async throws {
        final class Loot: @unchecked Sendable {
            var context: ManagedObjectContext?
        }
        try await withTestStore(Permit.model()) { container in
            let handle = container.newBackgroundContext()
            await #expect {
                try await handle.perform { context in
                    let loot = Loot()
                    loot.context = context
                    let error = { @Sendable (_: Permit) -> any Error in
                        EncodingError.invalidValue(loot, .init(codingPath: [], debugDescription: ""))
                    }
                    try Permit.$thrown.withValue((.insert, error)) { try Self.ask(.insert, count, context) }
                }
            } throws: { error in
                let kept = (error as? SaveError)?.issues.compactMap(\.underlyingError) ?? [error]
                return kept.count == count && kept.allSatisfy { ($0 as? FetchError)?.code == .invalidRequest }
            }
        }
    }
}
