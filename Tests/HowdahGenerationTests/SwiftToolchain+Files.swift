import Foundation
import TestSupport

extension SwiftToolchain {
    /// Compiles a module of these files, and returns everything that the compiler prints; nothing if all is well.
    func check(_ files: [String: String], _ flags: [String]) async throws -> String {
        try await withTemporaryFolder { folder in
            for (name, text) in files { try Data(text.utf8).write(to: folder.appending(path: name)) }
            let outcome = try await run(
                ["-warnings-as-errors", "-parse-as-library"]
                    + (flags.contains("-o") ? [] : ["-typecheck"]) + flags + files.keys.sorted(),
                in: folder)
            return outcome.succeeded || !outcome.output.isEmpty ? outcome.output : "The compiler failed."
        }
    }
}
