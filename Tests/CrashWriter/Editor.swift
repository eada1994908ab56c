import Foundation
import Howdah
import Logging
import StagedModels

/// A process that works on a school: reads a number of changes, makes them with two writers at one time, and answers.
struct Editor {
    let url: String
    let seed: UInt64

    func run() async throws {
        var options = StoreOptions()
        options.maximumConnections = 2
        options.keepsHistory = false
        options.logger.logLevel = .critical
        let container = try await PersistentContainer.open(url, model: School.model, options: options)
        print("open")
        fflush(nil)
        var round: UInt64 = 0
        while let line = readLine(), let count = Int(line) {
            round += 1
            let start = seed &+ round &* 1_000
            async let first: Void = Self.write(container, count, SchoolNumbers(seed: start))
            async let second: Void = Self.write(container, count, SchoolNumbers(seed: start &+ 1))
            _ = try await (first, second)
            print("done")
            fflush(nil)
        }
        await container.close()
    }

    private static func write(
        _ container: PersistentContainer, _ count: Int, _ numbers: SchoolNumbers
    ) async throws {
        var numbers = numbers
        for _ in 0..<count { try await School.work(container, &numbers) }
    }
}
