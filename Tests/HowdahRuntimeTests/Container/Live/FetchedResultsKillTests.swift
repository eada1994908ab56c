import Foundation
import Howdah
import SeededRandom
import StagedModels
import TestSupport
import Testing

@testable import HowdahRuntime

/// Results while a process that writes is killed again and again in the middle of its transactions.
@Suite(.serialized, .timeLimit(.minutes(30))) struct FetchedResultsKillTests {
    private static let kills = TestTier.choose(quick: 6, all: 20, nightly: 200)

    /// What a killed process began is in no result and holds none up; what it committed is in all.
    @Test func aKilledWriterHoldsNothingUp() async throws {
        try await LiveStore.with(try School.model) { store in
            var requests = SchoolRequests(random: SeededGenerator(seed: 27))
            var pauses = SeededGenerator(seed: 28)
            let school = try await LiveSchool(store, seed: 27)
            var followed: [(SchoolRequests.Request, Replay<ManagedObject>)] = []
            for _ in 0..<10 {
                let request = requests.next()
                followed.append(
                    (
                        request,
                        Replay(store.container.fetchedResults(request.fetch, sectionedBy: request.sections))
                    ))
            }
            for kill in 0..<Self.kills {
                try await school.work(
                    killingTheOtherAfter: .milliseconds(Int.random(in: 0...200, using: &pauses)))
                for place in followed.indices {
                    let (request, _) = followed[place]
                    var (known, fresh): ([ObjectID<ManagedObject>], [ObjectID<ManagedObject>]) = ([], [])
                    // The server may still commit what the process had sent before it was killed.
                    for _ in 0..<5 {
                        try await followed[place].1.catchUp()
                        known = followed[place].1.ids
                        fresh = try await store.other.perform { try $0.fetchObjectIDs(request.fetch) }
                        if known == fresh { break }
                        try await Task.sleep(for: .milliseconds(200))
                    }
                    #expect(known == fresh, "\(request), kill \(kill)")
                }
            }
            #expect(followed.contains { $0.1.updates > Self.kills / 2 }, "The results hardly changed.")
            await school.end()
        }
    }
}
