import Foundation
import Testing

/// A folder of its own for one test, short enough for sockets and open to other accounts.
final class TestFolder: Sendable {
    let path: String

    init() throws {
        path = "/tmp/howdah-test-" + String(UInt32.random(in: .min ... .max), radix: 36)
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o755])
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    var url: URL { URL(fileURLWithPath: path, isDirectory: true) }

    var names: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
    }

    /// Makes an executable file, and the folders above it.
    func addExecutable(_ name: String, _ text: String = "#!/bin/sh\n") throws {
        let file = "\(path)/\(name)"
        try FileManager.default.createDirectory(
            at: URL(fileURLWithPath: file).deletingLastPathComponent(), withIntermediateDirectories: true)
        let attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o755]
        try #require(
            FileManager.default.createFile(atPath: file, contents: Data(text.utf8), attributes: attributes))
    }
}

/// Asks again until the condition holds or ten seconds have gone by.
func eventually(_ condition: () -> Bool) -> Bool {
    let deadline = ContinuousClock.now + .seconds(10)
    while !condition() {
        if ContinuousClock.now >= deadline { return false }
        Thread.sleep(forTimeInterval: 0.005)
    }
    return true
}
