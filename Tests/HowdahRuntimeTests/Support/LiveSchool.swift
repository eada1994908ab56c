import Foundation
import Howdah
import StagedModels
import TestSupport
import Testing

@testable import HowdahRuntime

/// Two writers here and two in a process of their own, on a filled school.
final class LiveSchool {
    private let store: LiveStore
    private let seed: UInt64
    private var process = Process()
    private var input = Pipe()
    private var lines = LineReader(Pipe())
    private var numbers: [SchoolNumbers]
    private var starts: UInt64 = 0

    init(_ store: LiveStore, seed: UInt64) async throws {
        (self.store, self.seed) = (store, seed)
        try await store.other.perform { context in
            var numbers = SchoolNumbers(seed: seed)
            try School.fill(context, &numbers)
        }
        numbers = [SchoolNumbers(seed: seed &+ 1), SchoolNumbers(seed: seed &+ 2)]
        try await start()
    }

    /// Starts the other process, each time with other changes to make.
    private func start() async throws {
        let output = Pipe()
        (process, input, lines) = (Process(), Pipe(), LineReader(output))
        process.executableURL = CrashWriter.program
        process.arguments = [store.url, "editor", "\(seed &+ starts &* 1_000_000)"]
        starts += 1
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
        try await workHere()
        await answer("done")
    }

    /// Makes some changes with the writers of this process, while the other one is killed in the middle of its own, and
    /// starts that again.
    func work(killingTheOtherAfter pause: Duration) async throws {
        try input.fileHandleForWriting.write(contentsOf: Data("1000\n".utf8))
        let process = process
        async let kill: Void = {
            try await Task.sleep(for: pause)
            await process.killed()
        }()
        try await workHere()
        try await kill
        try await start()
    }

    private func workHere() async throws {
        let (container, other, starts) = (store.container, store.other, numbers)
        async let first = Self.write(container, starts[0])
        async let second = Self.write(other, starts[1])
        numbers = try await [first, second]
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
