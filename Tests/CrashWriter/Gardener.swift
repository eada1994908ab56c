import Foundation
import Howdah
import TestSupport

/// Another process that changes a random graph: reads a seed and a number of units, and answers with what came of them.
struct Gardener {
    let url: String
    let model: ManagedObjectModel

    func run() async throws {
        let graph = RandomGraph(model: model)
        let container = try await PersistentContainer.open(url, model: model)
        print("open")
        fflush(nil)
        while let line = readLine() {
            let numbers = line.split(separator: " ").compactMap { UInt64($0) }
            guard numbers.count == 2 else { throw CancellationError() }
            var complaints: [String] = []
            for unit in 0..<numbers[1] {
                do {
                    try await container.perform(retrying: .conflicts(upTo: 20)) { context in
                        var changes = try RandomGraphChanges(graph, context, seed: numbers[0] &+ unit)
                        changes.run()
                        try context.save()
                    }
                } catch {
                    complaints += [RandomGraph.complaint(about: error)].compactMap { $0 }
                }
            }
            let answer = complaints.isEmpty ? "done" : complaints.joined(separator: " / ")
            print(answer.replacing("\n", with: " "))
            fflush(nil)
        }
        await container.close()
    }
}
