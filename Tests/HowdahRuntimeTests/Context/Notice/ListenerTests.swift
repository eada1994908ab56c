import Foundation
import Howdah
import HowdahTesting
import Testing

@testable import HowdahRuntime

/// Who listens, for how long, and what becomes of one that is too slow.
@Suite(.timeLimit(.minutes(60))) struct ListenerTests {
    @Test func allListenersHearEverythingInOrder() async {
        let board = NoticeBoard<Int>()
        #expect(!board.hasListeners)
        let listeners = (0..<20).map { _ in board.listen() }
        #expect(board.hasListeners)
        for number in 0..<100 { board.send(number) }
        board.finish()
        for listener in listeners {
            #expect(await listener.reduce(into: []) { $0.append($1) } == Array(0..<100))
        }
        #expect(await board.listen().first { _ in true } == nil, "what ended stays so")
        #expect(!board.hasListeners)
    }

    @Test func aListenerThatIsTooSlowIsEndedAndMissesNothingBefore() async {
        let board = NoticeBoard<Int>()
        let (slow, quick) = (board.listen(), board.listen())
        var iterator = quick.makeAsyncIterator()
        for number in 0..<1_500 {
            board.send(number)
            #expect(await iterator.next() == number)
        }
        #expect(await slow.reduce(into: []) { $0.append($1) } == Array(0..<1_000))
        #expect(board.hasListeners)
        board.send(1_500)
        #expect(await iterator.next() == 1_500)
    }

    @Test func whoLeavesIsForgotten() async throws {
        let board = NoticeBoard<Int>()
        do { _ = board.listen() }
        #expect(!board.hasListeners, "a sequence that nobody kept")
        do {
            var iterator = board.listen().makeAsyncIterator()
            board.send(1)
            #expect(await iterator.next() == 1)
            #expect(board.hasListeners)
        }
        #expect(!board.hasListeners, "an iterator that was dropped")
        let notices = board.listen()
        let task = Task { await notices.reduce(0, +) }
        board.send(1)
        task.cancel()
        _ = await task.value
        while board.hasListeners { try await Task.sleep(for: .milliseconds(1)) }
    }

    @Test func aSequenceEndsWithWhatItIsAbout() async throws {
        try await CompanyStore.with { store in
            let saves = store.container.saves
            let own = try await store.container.perform { context in
                let notices = context.notices
                _ = Employee(context: context)
                context.processPendingChanges()
                return notices
            }
            #expect(await own.reduce(0) { count, _ in count + 1 } == 1)
            let notices = store.container.newBackgroundContext().notices
            #expect(await notices.first { _ in true } == nil, "the handle was not kept")
            let view = await MainActor.run { store.container.viewContext.notices }
            await store.container.close(drainingFor: .seconds(1))
            #expect(await saves.first { _ in true } == nil)
            #expect(await view.reduce(into: []) { $0.append(NoticeLines.line($1)) } == ["didReset"])
        }
    }

    /// Saves look once whether anybody listens, and make no notice where nobody does.
    @Test func withoutListenersNothingIsMade() async throws {
        try await CompanyStore.with { store in
            let handle = store.container.newBackgroundContext()
            let made = try await handle.perform { context in
                Employee(context: context).firstName = "x"
                try context.save()
                return context.recorder.board?.hasListeners == true || context.event != nil
                    || context.inbox != nil
            }
            #expect(!made && !store.container.store.notices.hasListeners(besides: nil))
        }
    }

    @Test func anInboxIsBounded() {
        let inbox = MergeInbox()
        #expect(inbox.take() == nil)
        let id = ObjectID<ManagedObject>(storeIdentifier: .init(), entityName: "E", key: 1)
        for _ in 0..<5_000 { inbox.add(SaveNotice(updated: [id])) }
        guard case .notices(let notices) = inbox.take() else {
            Issue.record("the inbox held something else")
            return
        }
        #expect(notices.count == 5_000 && inbox.take() == nil)
        for _ in 0..<5_001 { inbox.add(SaveNotice(updated: [id])) }
        guard case .everything = inbox.take() else {
            Issue.record("the inbox held something else")
            return
        }
        inbox.add(SaveNotice(updated: [id]))
        guard case .notices = inbox.take() else {
            Issue.record("the inbox held something else")
            return
        }
    }
}
