import Foundation
import TestSupport
import Testing

/// The messages between the compiler and its macro plug-in while a source text is type-checked: a length in eight
/// bytes, then JSON.
struct PluginExchange {
    struct Request: Decodable {
        struct Expansion: Decodable {
            struct Macro: Decodable { let typeName: String }
            let macro: Macro
            let macroRole: String
        }
        let expandAttachedMacro: Expansion?
    }

    struct Answer: Decodable {
        private struct Result: Decodable {
            let expandedSource: String?
            let diagnostics: [Expansion.Diagnostic]
        }
        private let expandMacroResult: Result?

        var text: String? { expandMacroResult?.expandedSource }
        var diagnostics: [Expansion.Diagnostic] { expandMacroResult?.diagnostics ?? [] }
    }

    let requests: [Request]
    let answers: [Answer]

    /// Type-checks `source` with a script in place of the plug-in that starts it and keeps all messages.
    init(_ source: String) async throws {
        let toolchain = try SwiftToolchain(#require(SwiftToolchain.installed))
        (requests, answers) = try await withTemporaryFolder { folder in
            let (program, script) = (folder.appending(path: "Test.swift"), folder.appending(path: "plugin"))
            let (requests, answers) = (folder.appending(path: "requests"), folder.appending(path: "answers"))
            try source.write(to: program, atomically: true, encoding: .utf8)
            // Kept first and passed on then: when the compiler has an answer, the file has it, too.
            try """
            #!/bin/sh
            export HOWDAH_MACRO_CODES=1
            tee /dev/fd/3 3>&1 >'\(requests.path())' | '\(toolchain.plugin.path())' |
                tee /dev/fd/3 3>&1 >'\(answers.path())'
            """.write(to: script, atomically: true, encoding: .utf8)
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: script.path())
            let outcome = try await toolchain.run(
                [
                    "-frontend", "-typecheck", "-import-module", "Foundation", "-import-module", "Howdah",
                    program.path(),
                ], in: folder, plugin: script)
            guard FileManager.default.fileExists(atPath: answers.path()) else {
                throw Failure(output: outcome.output)
            }
            return (try Self.messages(in: requests), try Self.messages(in: answers))
        }
    }

    /// The compiler did not start the plug-in.
    private struct Failure: Error {
        let output: String
    }

    private static func messages<Message: Decodable>(in file: URL) throws -> [Message] {
        var rest = try Data(contentsOf: file)[...]
        var messages: [Message] = []
        while rest.count >= 8 {
            let length = rest.prefix(8).reversed().reduce(0) { $0 << 8 | Int($1) }
            // An empty message ends the exchange.
            guard length > 0 else { break }
            messages.append(
                try JSONDecoder().decode(Message.self, from: Data(rest.dropFirst(8).prefix(length))))
            rest = rest.dropFirst(8 + length)
        }
        return messages
    }
}
