#if os(Linux)
import Foundation
import Howdah
import HowdahTestingTraits
import Testing

/// What is attached to a test, read from outside: the tests run in a process of their own, one of which fails.
@Suite struct AttachmentTests {
    private static let name = "HOWDAH_TEST_FAILS"
    private static let isInner = ProcessInfo.processInfo.environment[name] != nil

    /// The ends of a test. Only one of them is a failure.
    enum End: CaseIterable { case failure, success, knownIssue, knownError, warning, issueOfNoTest }

    private struct Mishap: Error {}

    @Test(
        .enabled(if: isInner), .store(try ManagedObjectModel(Shelf.self, Book.self)),
        arguments: End.allCases)
    func inner(_ end: End) async throws {
        let count = try await TestStore.container.perform { context in
            end == .failure ? try context.count(Shelf.self) : try context.fetch(Shelf.self).count
        }
        switch end {
        case .failure: #expect(count == 1)
        case .success: #expect(count == 0)
        case .knownIssue: withKnownIssue { #expect(count == 1) }
        case .knownError: withKnownIssue { throw Mishap() }
        case .issueOfNoTest: _ = await Task.detached { Issue.record("This is an issue of no test.") }.value
        case .warning: Issue.record("A warning is no failure.", severity: .warning)
        }
    }

    /// The end of a time limit cancels a test, which may then return as if nothing had happened.
    @Test(.enabled(if: isInner), .store(try ManagedObjectModel(Shelf.self, Book.self)))
    func cancelled() async throws {
        _ = try await TestStore.container.perform { try $0.count(Shelf.self) }
        withUnsafeCurrentTask { $0?.cancel() }
    }

    /// Runs tests of this suite, and returns their exit status and the texts that are attached to them.
    private static func run(_ name: String) async throws -> (status: Int32, texts: [String]) {
        let folder = FileManager.default.temporaryDirectory.appending(path: "howdah-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let process = Process()
        process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = [
            "--testing-library", "swift-testing", "--filter", "AttachmentTests/\(name)", "--attachments-path",
            folder.path(percentEncoded: false),
        ]
        process.environment = ProcessInfo.processInfo.environment.merging([Self.name: "1"]) { $1 }
        (process.standardOutput, process.standardError) = (FileHandle.nullDevice, FileHandle.nullDevice)
        let status = try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do { try process.run() } catch { continuation.resume(throwing: error) }
        }
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        #expect(files.map(\.lastPathComponent) == ["statements.txt"], "\(files)")
        return (status, try files.map { try String(contentsOf: $0, encoding: .utf8) })
    }

    /// Known issues and warnings are none, so nothing else is attached.
    @Test(arguments: [("inner", 1), ("cancelled", 0)])
    func aTestThatFailsHasItsStatementsAttached(name: String, status: Int32) async throws {
        let run = try await Self.run(name)
        #expect(run.status == status)
        // The other cases sent a statement of another kind.
        #expect(run.texts.allSatisfy { $0.contains("1 rows  SELECT pg_catalog.count(*)") }, "\(run.texts)")
        #expect(run.texts.allSatisfy { $0.split(separator: "\n").count == 1 }, "\(run.texts)")
    }
}
#endif
