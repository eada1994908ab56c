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

    /// Without one of its routes, each of these results becomes wrong.
    @Test func eachRouteIsNeeded() async throws {
        let requests: [(String, String)] = [
            ("Pupil", "team.rank > 1 AND name != 'x'"), ("Pupil", "ANY marks.grade > 2"),
            ("Team", "SUBQUERY(pupils, $p, $p.age > 2).@count > 1"), ("Club", "ANY members.name == 'a'"),
            ("Mark", "pupil.mentor.age > 1"),
        ]
        try await LiveStore.with(try School.model) { store in
            let school = try await LiveSchool(store, seed: 77)
            var variants: [Variant] = []
            for (entity, format) in requests {
                var fetch = FetchRequest<ManagedObject>(entityName: entity)
                fetch.predicate = .format(format)
                variants.append(try await Variant(fetch, dropping: nil, in: store))
                for place in variants[variants.count - 1].request.dependencies.routes.indices {
                    variants.append(try await Variant(fetch, dropping: place, in: store))
                }
            }
            var random = SeededGenerator(seed: 78)
            for round in 0..<400 {
                try await school.work()
                // What the dropped routes read changes more often than by chance.
                for variant in variants where variant.dropped != nil && !variant.isWrong {
                    try await variant.provoke(store, &random)
                }
                let token = try await store.container.currentHistoryToken()
                try await store.container.hub.catchUp(to: token)
                for place in variants.indices where !variants[place].isWrong {
                    try await variants[place].compare(store)
                    #expect(
                        variants[place].dropped != nil || !variants[place].isWrong,
                        "\(variants[place].request.key), round \(round)")
                }
                if variants.allSatisfy({ $0.isWrong == ($0.dropped != nil) }) { break }
            }
            for variant in variants where variant.dropped != nil {
                #expect(
                    variant.isWrong,
                    "\(variant.request.key.predicate?.description ?? "") without route \(variant.dropped ?? 0)"
                )
            }
            await school.end()
        }
    }

    /// A followed result that lacks a route.
    private struct Variant {
        let request: ResultRequest
        let dropped: Int?
        private let route: FetchDependencies.Route?
        private let subscriber: ResultSubscriber
        private(set) var isWrong = false

        init(_ fetch: FetchRequest<ManagedObject>, dropping place: Int?, in store: LiveStore) async throws {
            var request = try await store.container.perform { context in
                try ResultRequest(
                    fetch, of: context.layout(for: fetch), in: context.store.layouts, sectionedBy: nil,
                    principal: place.map { "without \($0)" })
            }
            route = place.map { request.dependencies.routes[$0] }
            if let place { request.dependencies = request.dependencies.dropping(place) }
            self.request = request
            dropped = place
            store.container.hub.retain()
            try await store.container.hub.begin()
            subscriber = store.container.followed.subscribe(request)
            _ = try await subscriber.evaluated().version
        }

        /// Changes a property that the route reads.
        func provoke(_ store: LiveStore, _ random: inout SeededGenerator) async throws {
            guard let route, let entity = route.entities.sorted().randomElement(using: &random),
                let name = route.properties.keys.sorted().randomElement(using: &random)
            else { return }
            let start = random
            random = try await store.other.perform(retrying: .conflicts(upTo: 20)) { context in
                var random = start
                for _ in 0..<3 { try School.change(name, of: entity, in: context, &random) }
                try context.save()
                return random
            }
        }

        mutating func compare(_ store: LiveStore) async throws {
            let list = try await subscriber.evaluated().version.list
            let fetch = request.fetch
            let fresh = try await store.other.perform { try $0.fetchObjectIDs(fetch) }
            isWrong = isWrong || list.rows != fresh
        }
    }
}

/// Two writers here and two in a process of their own, on a filled school.
final class LiveSchool {
    private let store: LiveStore
    private let process: Process
    private let input = Pipe()
    private let output = Pipe()
    private var numbers: [SchoolNumbers]

    init(_ store: LiveStore, seed: UInt64) async throws {
        self.store = store
        try await store.other.perform { context in
            var numbers = SchoolNumbers(seed: seed)
            try School.fill(context, &numbers)
        }
        numbers = [SchoolNumbers(seed: seed &+ 1), SchoolNumbers(seed: seed &+ 2)]
        process = Process()
        process.executableURL = CrashWriter.program
        process.arguments = [store.url, "editor", "\(seed)"]
        process.standardInput = input
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        try await answer("open")
    }

    deinit { if process.isRunning { process.terminate() } }

    /// Makes some changes with all writers at one time.
    func work() async throws {
        try input.fileHandleForWriting.write(contentsOf: Data("1\n".utf8))
        let (container, other, starts) = (store.container, store.other, numbers)
        async let first = Self.write(container, starts[0])
        async let second = Self.write(other, starts[1])
        numbers = try await [first, second]
        try await answer("done")
    }

    func end() async {
        try? input.fileHandleForWriting.close()
        let process = process
        await Task.detached { process.waitUntilExit() }.value
    }

    private static func write(
        _ container: PersistentContainer, _ numbers: SchoolNumbers
    ) async throws -> SchoolNumbers {
        var numbers = numbers
        try await School.work(container, &numbers)
        return numbers
    }

    private func answer(_ word: String) async throws {
        let output = output.fileHandleForReading
        let found = try await Task.detached { () -> String in
            var text = ""
            while !text.hasSuffix("\n"), let byte = try output.read(upToCount: 1), !byte.isEmpty {
                text += String(decoding: byte, as: UTF8.self)
            }
            return text
        }.value
        #expect(found == word + "\n")
    }
}
