import Foundation
import Testing

@testable import LocalPostgres

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A process of its own that starts a cluster, to be killed.
struct Owner {
    /// The program, beside the test bundle in the build folder; nil where the tests run elsewhere.
    static let executable: String? = {
        var folder = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        while folder.pathComponents.count > 1 {
            let path = folder.appending(path: "LocalPostgresOwner").path(percentEncoded: false)
            if FileManager.default.isExecutableFile(atPath: path) { return path }
            folder.deleteLastPathComponent()
        }
        return nil
    }()

    private let process: ChildProcess
    private let line: UnixSocket

    init(in folder: TestFolder, as account: [String] = [], doing word: String? = nil) throws {
        let executable = try #require(Self.executable)
        let (ours, child) = try UnixSocket.pair()
        defer { child.close() }
        line = ours
        process = try ChildProcess(
            account + [executable, folder.path] + (word.map { [$0] } ?? []),
            environment: ProcessInfo.processInfo.environment,
            descriptors: [(child: 0, ours: child.descriptor), (child: 1, ours: child.descriptor)])
    }

    /// The server's process number, once the owner has told it.
    func server() throws -> Int32 {
        var text = ""
        while text.filter(\.isNewline).count < 2 {
            let bytes = line.receive()
            if bytes.isEmpty { break }
            text += String(decoding: bytes, as: UTF8.self)
        }
        let lines = text.split(separator: "\n")
        return try #require(lines.count == 2 ? Int32(lines[1]) : nil, "\(text)")
    }

    /// Sends the signal and collects the process.
    func end(by signal: Int32) {
        kill(process.identifier, signal)
        process.wait()
        line.close()
    }

    /// Asks for an end of the given kind and collects the process.
    func end(asking kind: String) -> Int32? {
        line.send(Array("\(kind)\n".utf8))
        defer { line.close() }
        return process.wait()
    }
}
