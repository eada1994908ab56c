import Foundation
import Howdah
import HowdahModel
import PQClient
import SeededRandom
import StagedModels
import TestSupport
import Testing

@testable import HowdahRuntime

/// Random requests and random work of four writers in two processes: the replayed differences are a fresh fetch.
@Suite(.serialized, .timeLimit(.minutes(180))) struct FetchedResultsStressTests {
    private static let requests = TestTier.choose(quick: 20, all: 200, nightly: 2_000)
    private static let rounds = TestTier.choose(quick: 10, all: 50, nightly: 50)

    @Test func replayedDifferencesAreTheResult() async throws {
        let group = 20
        for start in stride(from: 0, to: Self.requests, by: group) {
            try await LiveStore.with(try School.model) { store in
                var requests = SchoolRequests(random: SeededGenerator(seed: UInt64(start)))
                let school = try await LiveSchool(store, seed: UInt64(start))
                var followed: [(SchoolRequests.Request, Replay<ManagedObject>)] = []
                while followed.count < group {
                    let request = requests.next()
                    var replay = Replay(
                        store.container.fetchedResults(request.fetch, sectionedBy: request.sections))
                    try await replay.catchUp()
                    followed.append((request, replay))
                }
                for round in 0..<Self.rounds {
                    try await school.work()
                    for place in followed.indices {
                        // Some rest, and catch up later.
                        if round % 3 != place % 3, round + 1 < Self.rounds { continue }
                        try await followed[place].1.catchUp()
                        let (request, replay) = followed[place]
                        let fresh = try await store.other.perform { context in
                            try context.fetchObjectIDs(request.fetch)
                        }
                        #expect(replay.ids == fresh, "\(request), seed \(start), round \(round)")
                        let isDivided = request.sections != nil
                        #expect(isDivided || replay.sections.count == 1)
                        #expect(!isDivided || !replay.sections.contains { $0.objectIDs.isEmpty })
                        #expect(Set(replay.sections.map(\.name)).count == replay.sections.count)
                    }
                }
                let updates = followed.reduce(0) { $0 + $1.1.updates }
                #expect(updates > group * 2, "The results hardly changed.")
                await school.end()
            }
        }
    }
}
