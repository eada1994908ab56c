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

/// Two writers here and two in a process of their own, on a filled school.
final class LiveSchool {
    private let store: LiveStore
    private let process: Process
    private let input = Pipe()
    private let lines: LineReader
    private var numbers: [SchoolNumbers]

    init(_ store: LiveStore, seed: UInt64) async throws {
        self.store = store
        try await store.other.perform { context in
            var numbers = SchoolNumbers(seed: seed)
            try School.fill(context, &numbers)
        }
        numbers = [SchoolNumbers(seed: seed &+ 1), SchoolNumbers(seed: seed &+ 2)]
        let output = Pipe()
        lines = LineReader(output)
        process = Process()
        process.executableURL = CrashWriter.program
        process.arguments = [store.url, "editor", "\(seed)"]
        process.standardInput = input
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        await answer("open")
    }

    deinit { if process.isRunning { process.terminate() } }

    /// Makes some changes with all writers at one time.
    func work() async throws {
        try input.fileHandleForWriting.write(contentsOf: Data("1\n".utf8))
        let (container, other, starts) = (store.container, store.other, numbers)
        async let first = Self.write(container, starts[0])
        async let second = Self.write(other, starts[1])
        numbers = try await [first, second]
        await answer("done")
    }

    func end() async {
        try? input.fileHandleForWriting.close()
        await process.untilExit()
    }

    private static func write(
        _ container: PersistentContainer, _ numbers: SchoolNumbers
    ) async throws -> SchoolNumbers {
        var numbers = numbers
        try await School.work(container, &numbers)
        return numbers
    }

    private func answer(_ word: String) async {
        #expect(await lines.next() == word)
    }
}
