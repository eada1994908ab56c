public import Foundation

extension SwiftToolchain {
    /// Writes the symbol graphs of the public declarations of `modules`, as files of JSON, into `folder`.
    ///
    /// A module's graph has what it declares and what it exports of other modules of the package.
    public func writeSymbolGraphs(of modules: [String], to folder: URL) async throws -> [Outcome] {
        let exported = [
            "HowdahRuntime", "HowdahJSON", "HowdahStages", "HowdahMigration", "HowdahSchema", "HowdahModel",
            "PQClient",
        ]
        let target = try await target(folder)
        var outcomes: [Outcome] = []
        for module in modules {
            outcomes.append(
                try await run(
                    program: "swift",
                    [
                        "symbolgraph-extract", "-module-name", module, "-target", target,
                        "-minimum-access-level", "public", "-output-dir", folder.path(),
                        "-experimental-allowed-reexported-modules=" + exported.joined(separator: ","),
                    ] + importFlags, in: folder))
        }
        return outcomes
    }

    /// The platform that the compiler compiles for.
    private func target(_ folder: URL) async throws -> String {
        struct Information: Decodable {
            struct Target: Decodable { let unversionedTriple: String }
            let target: Target
        }
        let outcome = try await run(program: "swiftc", ["-print-target-info"], in: folder)
        return try JSONDecoder().decode(Information.self, from: Data(outcome.output.utf8)).target
            .unversionedTriple
    }
}
