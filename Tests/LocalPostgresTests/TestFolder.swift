import Foundation
import Testing

@testable import LocalPostgres

/// A folder of its own for one test, short enough for sockets and open to other accounts.
final class TestFolder: Sendable {
    let path: String

    init() throws {
        let given = ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp"
        let parent = given.utf8.count < 30 ? given : "/tmp"
        path = parent + "/test-" + String(UInt32.random(in: .min ... .max), radix: 36)
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o755])
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    var url: URL { URL(fileURLWithPath: path, isDirectory: true) }

    var names: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
    }

    /// Makes an executable file, and the folders above it.
    ///
    /// Another process writes it: a child that another test starts while we have the file open for writing holds
    /// it open too, and a file open for writing cannot be run.
    func addExecutable(_ name: String, _ text: String = "#!/bin/sh\n") throws {
        let script = #"mkdir -p "${1%/*}" && printf %s "$2" >"$1" && chmod 755 "$1""#
        let arguments = ["/bin/sh", "-c", script, "sh", "\(path)/\(name)", text]
        try #require(ChildProcess.output(of: arguments, environment: ["PATH": "/usr/bin:/bin"]) != nil)
    }
}

/// Asks again until the condition holds or two minutes have gone by.
func eventually(_ condition: () -> Bool) -> Bool {
    let deadline = ContinuousClock.now + .seconds(120)
    while !condition() {
        if ContinuousClock.now >= deadline { return false }
        Thread.sleep(forTimeInterval: 0.005)
    }
    return true
}
