package import Foundation

/// The program that writes to a store until it is killed.
package enum CrashWriter {
    /// The executable file, beside the test bundle in the build folder.
    package static var program: URL {
        var folder = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        while folder.pathComponents.count > 1 {
            let path = folder.appending(path: "CrashWriter").path(percentEncoded: false)
            if FileManager.default.isExecutableFile(atPath: path) { break }
            folder.deleteLastPathComponent()
        }
        return folder.appending(path: "CrashWriter")
    }
}
