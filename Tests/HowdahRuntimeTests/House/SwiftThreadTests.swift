import Foundation
import Synchronization
import TestSupport
import Testing

/// Swift has few threads on a small machine: tests leave them to each other, and a watch says if they do not.
@Suite struct SwiftThreadTests {
    private static let words = [
        "waitUntilExit", "waitForEnd", "readDataToEndOfFile", "availableData", "readToEnd(",
    ]

    /// The files and folders that block the calling thread until another process ends or prints.
    private static let allowed = [
        // Threads of their own.
        "TestSupport/Threads/", "TestSupport/SwiftToolchain", "HowdahRuntimeTests/House/",
        // Units of work, on the store's threads.
        "HowdahRuntimeTests/Save/Conflict/PeerProcess.swift",
        // Servers that start and stop within a second, often for synchronous tests.
        "TestSupport/Servers/ThrowAwayServer.swift", "TestSupport/Poolers/PgBouncer.swift",
        // Programs that end within a moment.
        "HowdahRuntimeTests/Across/Poolers/Psql.swift", "HowdahGenerationTests/GenerateToolTests.swift",
        "HowdahModelTests/Value/DigestTests.swift",
        // Alone in their process, or beside tests that do nothing else.
        "HowdahRuntimeTests/History/HistoryStress+Programs.swift", "HowdahCommandsTests/",
        "LocalPostgresTests/", "Server/Tests/BrowseServerTests/BrowseProgram.swift",
    ]

    @Test func onlyNamedFilesBlockForOtherProcesses() throws {
        let tests = Repository.root.appending(path: "Tests")
        var used: Set<String> = []
        for path in try FileManager.default.subpathsOfDirectory(atPath: tests.path(percentEncoded: false))
        where path.hasSuffix(".swift") {
            let text = try String(contentsOf: tests.appending(path: path), encoding: .utf8)
            guard Self.words.contains(where: text.contains) else { continue }
            let place = Self.allowed.first { path.hasPrefix($0) }
            #expect(
                place != nil,
                "\(path) blocks a Swift thread. Use untilExit(), killed(), printed(), text() or LineReader.")
            if let place { used.insert(place) }
        }
        #expect(used == Set(Self.allowed), "Remove what is not needed.")
    }

    /// Answers come when the test lets them.
    private final class Answers: Sendable {
        private let state = Mutex<(isOpen: Bool, waiting: [@Sendable () -> Void])>((true, []))
        let lines = Mutex<[String]>([])

        func ask(_ answer: @escaping @Sendable () -> Void) {
            let isOpen = state.withLock { state in
                if !state.isOpen { state.waiting.append(answer) }
                return state.isOpen
            }
            if isOpen { answer() }
        }

        func close() { state.withLock { $0.isOpen = false } }

        func open() {
            let waiting = state.withLock { state in
                defer { state = (true, []) }
                return state.waiting
            }
            for answer in waiting { answer() }
        }

        func untilLines(_ count: Int) async throws {
            while lines.withLock(\.count) < count { try await Task.sleep(for: .milliseconds(2)) }
        }
    }

    @Test func theWatchReportsBlockedThreadsOnce() async throws {
        let answers = Answers()
        let watch = SwiftThreadWatch(
            step: .milliseconds(2), limit: .milliseconds(20), asking: { answers.ask($0) },
            report: { line in answers.lines.withLock { $0.append(line) } })
        try await watch.naming {
            answers.close()
            try await answers.untilLines(1)
            try await Task.sleep(for: .milliseconds(50))
            answers.open()
            try await answers.untilLines(2)
        }
        let lines = answers.lines.withLock(\.self)
        #expect(lines[0].hasPrefix("No Swift thread came for "))
        #expect(lines[0].hasSuffix("database: theWatchReportsBlockedThreadsOnce()."), "\(lines[0])")
        #expect(lines[1].hasPrefix("Swift's threads are there again after "), "\(lines[1])")
        #expect(lines.count == 2)
        answers.close()
        try await answers.untilLines(3)
        #expect(answers.lines.withLock { $0[2].hasSuffix("Tests with a database: .") })
    }
}
