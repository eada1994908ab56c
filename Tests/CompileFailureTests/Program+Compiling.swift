import Foundation
import TestSupport
import Testing

extension Program {
    /// Compiles the program to an object file, with the optional features of `features`: type checking alone misses
    /// the errors about regions.
    func compiled(_ features: [String]) async throws -> SwiftToolchain.Outcome {
        let toolchain = try SwiftToolchain(#require(SwiftToolchain.installed))
        return try await withTemporaryFolder { folder in
            try await toolchain.run(
                [
                    "-emit-object", "-whole-module-optimization", "-o", "program.o",
                    Program.folder.appending(path: "Shared/Person.swift").path(), file.path(),
                ] + flags + features, in: folder)
        }
    }
}

extension SwiftToolchain.Outcome {
    /// The messages of one kind, each once: the compiler repeats them in its drawing of the source.
    func messages(_ kind: String) -> [String] {
        output.split(separator: "\n").filter {
            !$0.drop { $0 == " " }.hasPrefix("|") && $0.contains(" \(kind): ")
        }
        .map(String.init)
    }
}
