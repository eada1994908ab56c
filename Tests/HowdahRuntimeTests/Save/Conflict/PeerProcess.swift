import Foundation
import Howdah
import TestSupport
import Testing

/// Another process that has the same store open and changes objects when it is told.
///
/// Its calls block until it answers: use it in a unit of work or with ``onThread(_:)``. `@unchecked Sendable`: a test asks it
/// one thing at a time.
final class PeerProcess: @unchecked Sendable {
    private let process = Process()
    private let input = Pipe()
    private let lines: LineReader

    init(url: String, model: ManagedObjectModel, as kind: String = "peer") throws {
        let output = Pipe()
        lines = LineReader(output)
        process.executableURL = CrashWriter.program
        process.arguments = [url, kind, model.canonicalJSON]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        try #require(lines.read() == "open")
    }

    /// Changes one object and returns when it is stored.
    func change(_ id: ObjectID<some ManagedObject>, _ values: [String]) throws {
        let line = ([id.uriRepresentation.absoluteString] + values).joined(separator: " ") + "\n"
        try input.fileHandleForWriting.write(contentsOf: Data(line.utf8))
        try #require(lines.read() == "done")
    }

    /// Makes random changes, for a process that is a gardener, and returns what was wrong with its errors.
    func grow(seed: UInt64, units: Int) throws -> String? {
        try input.fileHandleForWriting.write(contentsOf: Data("\(seed) \(units)\n".utf8))
        let answer = try #require(lines.read())
        return answer == "done" ? nil : answer
    }

    /// Deletes one object and returns when that is stored.
    func delete(_ id: ObjectID<some ManagedObject>) throws { try change(id, ["delete"]) }

    /// Has the process end by itself.
    func end() throws {
        try input.fileHandleForWriting.close()
        process.waitForEnd()
        #expect(process.terminationStatus == 0)
    }

    deinit { if process.isRunning { process.terminate() } }
}
