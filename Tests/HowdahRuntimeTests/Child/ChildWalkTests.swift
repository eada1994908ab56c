import Foundation
import Howdah
import HowdahTesting
import TestSupport
import Testing

@testable import HowdahRuntime

/// Random changes made in a child, pushed and saved, leave in the database what the same changes leave that are made
/// in one context; on the way both contexts show the same graph, and answer fetches alike.
@Suite struct ChildWalkTests {
    /// How many contexts lie between the program and the database.
    @Test(arguments: [1, 2]) func aChildDoesWhatOneContextDoes(levels: Int) async throws {
        try await withTestStore(Garden.model()) { container in
            var failures = 0
            for seed in UInt64(1)...TestTier.choose(quick: 3, all: 40, nightly: 300) {
                var runs: [ChildWalk] = []
                for levels in [0, levels] {
                    let run = try await container.newBackgroundContext().perform { context in
                        var walk = ChildWalk(seed: seed, levels: levels, context)
                        do { try walk.run() } catch { walk.edits.note("\(error)") }
                        // Told with what led to it.
                        context.clearFailure()
                        return (walk.seen, walk.edits.trace)
                    }
                    runs.append(ChildWalk(seen: run.0 + [try Garden.stored(container)], trace: run.1))
                    try await container.perform { context in
                        for object in try context.fetch("Bed") + context.fetch("Plant") {
                            context.delete(object)
                        }
                        try context.save()
                    }
                }
                guard let difference = runs[1].difference(from: runs[0]) else { continue }
                Issue.record("seed \(seed), \(levels) levels: \(difference)")
                failures += 1
                if failures > 3 { return }
            }
        }
    }
}

/// One random walk, in a context or below it.
private struct ChildWalk {
    var edits: GardenEdits
    private let parent: ManagedObjectContext?
    private let levels: Int
    private var contexts: [ManagedObjectContext] = []
    /// What was to be seen at each stop.
    private(set) var seen: [[String]] = []
    private var past: [String] = []

    init(seed: UInt64, levels: Int, _ context: ManagedObjectContext) {
        edits = GardenEdits(seed: seed)
        parent = context
        self.levels = levels
    }

    /// What a finished walk left.
    init(seen: [[String]], trace: [String]) {
        edits = GardenEdits(seed: 0)
        (parent, levels, past) = (nil, 0, trace)
        self.seen = seen
    }

    mutating func run() throws {
        guard let parent else { return }
        parent.propagatesDeletesAtEndOfEvent = true
        try edits.plant(in: parent)
        parent.reset()
        contexts = [parent]
        try descend()
        for _ in 0..<12 {
            for _ in 0..<edits.next(1..<5) { edits.change(contexts[contexts.count - 1]) }
            try stop()
        }
        try push()
        try parent.save()
        try edits.move(to: contexts[contexts.count - 1])
        try look()
    }

    private mutating func descend() throws {
        while contexts.count <= levels { contexts.append(contexts[contexts.count - 1].newChildContext()) }
        try edits.move(to: contexts[contexts.count - 1])
    }

    private func push() throws { for child in contexts.dropFirst().reversed() { try child.save() } }

    private mutating func stop() throws {
        let what = edits.next(0..<100)
        if what < 60 { edits.note("push") }
        if what < 60 { try push() }
        if what < 25 {
            edits.note("save")
            try contexts[0].save()
        }
        if what < 40, levels > 0 {
            let former = contexts
            contexts = [contexts[0]]
            try descend()
            withExtendedLifetime(former) {}
        }
        try look()
    }

    private mutating func look() throws {
        let context = contexts[contexts.count - 1]
        try context.failure.map { throw $0 }
        let all = try context.fetch("Plant") + context.fetch("Bed")
        // What is deleted is gone for the child once it was pushed, and stays to be seen where it was deleted.
        var lines = all.map {
            Garden.line($0, transient: false).replacingOccurrences(of: " -2,", with: " -1,")
        }.sorted()
        for (entity, text) in [
            ("Plant", "value > 40"), ("Plant", "bed.number > 8"), ("Plant", "ANY beds.number > 8"),
            ("Plant", "parent.value > 20"), ("Plant", "spouse.twin != nil"), ("Bed", "ANY plants.value > 30"),
            ("Bed", "guests.@count > 1"), ("Plant", "favourite.note != nil"),
        ] {
            var request = FetchRequest<ManagedObject>(entityName: entity)
            request.predicate = try PredicateTree(format: text)
            request.sortDescriptors = [.key("number")]
            let numbers = try context.fetch(request).map { "\($0["number"] ?? "-")" }
            let count = try context.count(for: request)
            lines.append("\(text): \(numbers.joined(separator: " ")), \(count)")
        }
        seen.append(lines)
        try context.failure.map { throw $0 }
    }

    func difference(from other: ChildWalk) -> String? {
        for (place, (here, there)) in zip(seen, other.seen).enumerated() where here != there {
            let lost = there.filter { !here.contains($0) }
            let extra = here.filter { !there.contains($0) }
            return "at stop \(place) expected\n  \(lost.joined(separator: "\n  "))\nfound\n  "
                + extra.joined(separator: "\n  ") + "\n" + past.joined(separator: "\n")
        }
        let isShort = seen.count != other.seen.count
        return isShort ? "\(seen.count) stops, not \(other.seen.count)\n" + past.joined(separator: "\n") : nil
    }
}
