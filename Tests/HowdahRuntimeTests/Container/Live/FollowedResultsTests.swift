import Foundation
import Howdah
import TestSupport
import Testing

@testable import HowdahRuntime

/// Results that share their evaluation, and changes that go only where they matter.
@Suite(.timeLimit(.minutes(60))) struct FollowedResultsTests {
    private func subscriber(
        _ format: String, principal: String? = nil, limit: Int = 0, in store: LiveStore
    ) async throws -> ResultSubscriber {
        let request = try await store.container.perform { context in
            var fetch = FetchRequest<Employee>()
            (fetch.predicate, fetch.fetchLimit) = (.format(format), limit)
            return try ResultRequest(
                fetch, of: context.layout(for: fetch), in: context.store.layouts, sectionedBy: nil,
                principal: principal)
        }
        store.container.hub.retain()
        try await store.container.hub.begin()
        let subscriber = store.container.followed.subscribe(request)
        _ = try await subscriber.evaluated().version
        return subscriber
    }

    private func hire(_ store: LiveStore, visits: Int) async throws -> ObjectID<Employee> {
        try await store.other.perform { context in
            let employee = Employee(context: context)
            (employee.firstName, employee.visits) = ("a", visits)
            try context.save()
            return employee.objectID
        }
    }

    private func settle(_ store: LiveStore) async throws {
        try await store.container.hub.catchUp(to: store.container.currentHistoryToken())
    }

    @Test func equalRequestsShareAndPrincipalsDoNot() async throws {
        try await LiveStore.with { store in
            var one: ResultSubscriber? = try await subscriber("visits > 1", in: store)
            let two = try await subscriber("visits > 1", in: store)
            let ada = try await subscriber("visits > 1", principal: "ada", in: store)
            let bob = try await subscriber("visits > 1", principal: "bob", in: store)
            let other = try await subscriber("visits > 2", in: store)
            let limited = try await subscriber("visits > 1", limit: 3, in: store)
            #expect(one?.result === two.result)
            #expect(Set([two, ada, bob, other, limited].map { ObjectIdentifier($0.result) }).count == 5)
            #expect(store.container.followed.count == 5)
            // Texts that only look alike are other texts for the server.
            let composed = try await subscriber("firstName == 'é'", in: store)
            let decomposed = try await subscriber("firstName == 'e\u{301}'", in: store)
            _ = (composed, decomposed)
            one = nil
            let before = store.container.followed.count
            let id = try await hire(store, visits: 5)
            try await settle(store)
            let version = try await two.evaluated().version
            #expect(version.list.rows == [id.typed()] && version.number == 2)
            #expect(store.container.followed.count == before)
            withExtendedLifetime([ada, bob, other, limited]) {}
        }
    }

    @Test func resultsEndWithTheirSubscribers() async throws {
        try await LiveStore.with { store in
            for _ in 0..<3 {
                let subscriber = try await subscriber("visits > 1", in: store)
                #expect(store.container.followed.count == 1)
                withExtendedLifetime(subscriber) {}
            }
            #expect(store.container.followed.count == 0)
        }
    }

    /// Of fifty results only those are evaluated that a changed row enters or leaves.
    @Test func changesGoOnlyWhereTheyMatter() async throws {
        try await LiveStore.with { store in
            var subscribers: [ResultSubscriber] = []
            for number in 0..<50 {
                subscribers.append(
                    try await subscriber(
                        number % 2 == 0
                            ? "visits == \(number)" : "visits >= \(number) AND visits <= \(number)",
                        in: store))
            }
            func evaluated() async throws -> [Int] {
                var numbers: [Int] = []
                for (place, subscriber) in subscribers.enumerated() {
                    let former = subscriber.result.versionNumber
                    let version = try await subscriber.evaluated().version
                    if version.number != former { numbers.append(place) }
                }
                return numbers
            }
            let id = try await hire(store, visits: 7)
            try await settle(store)
            #expect(try await evaluated() == [7])
            try await store.other.perform { context in
                try context.existingObject(with: id).visits = 12
                try context.save()
            }
            try await settle(store)
            #expect(try await evaluated() == [7, 12])
            try await store.other.perform { context in
                try context.existingObject(with: id).lastName = "x"
                try context.save()
            }
            try await settle(store)
            #expect(try await evaluated() == [12])
            try await store.other.perform { context in
                context.delete(try context.existingObject(with: id))
                try context.save()
            }
            try await settle(store)
            #expect(try await evaluated() == [12])
            for subscriber in subscribers {
                let version = try await subscriber.evaluated().version
                #expect(version.list.rows == [])
            }
        }
    }

    /// A slow subscriber keeps ids, and gets the whole if there are too many.
    @Test func slowSubscribersCatchUp() async throws {
        try await LiveStore.with { store in
            var replay = Replay(
                store.container.fetchedResults(Employee.self, sortedBy: .ascending(\.firstName)))
            try await replay.catchUp()
            for _ in 0..<12 {
                try await store.other.perform { context in
                    for number in 0..<500 {
                        let employee = Employee(context: context)
                        employee.firstName = "\(number)"
                    }
                    try context.save()
                }
            }
            guard case .snapshot? = try await replay.catchUp() else {
                Issue.record("6,000 changes are a new whole.")
                return
            }
            #expect(replay.ids.count == 6_000)
        }
    }
}
