#if os(Linux)
import Foundation
// Makes sure that the modules the program imports were built.
import Howdah
import TestSupport
import Testing

/// Programs that link the library as static archives, out of which a linker takes only objects that are referred to.
@Suite(.enabled(if: SwiftToolchain.installed != nil, "there is no swiftc on the search path"))
struct ArchiveTests {
    private static let modules = [
        "Howdah", "HowdahStages", "HowdahMigration", "HowdahJSON", "HowdahRuntime", "HowdahSchema",
        "HowdahModel",
        "PQClient", "Logging",
    ]

    /// Each kind of node has its file, and nothing but casts at run time leads to those.
    private static let program = """
        import Foundation
        import Howdah

        @Entity class Person: ManagedObject {
            var name: String
            var age: Int
            var nick: String?
            @Relationship(inverse: "boss") var staff: ToMany<Person>
            @Relationship(inverse: "staff") var boss: Person?
        }
        @Entity final class Chief: Person { var grade: Int }

        let names = ["Ada", "Bo"]
        let predicates: [Predicate<Person>] = [
            #Predicate { $0.name == "Ada" && !($0.age > 3) },
            #Predicate { ($0.nick ?? "none") != "x" || $0.boss?.name == "Bo" },
            #Predicate { (1...5).contains($0.age) && $0.age + 2 < 9 },
            #Predicate { names.contains($0.name) && $0.staff.contains { $0.age > 3 } },
            #Predicate { $0.name.starts(with: "A") && $0.boss is Chief },
        ]
        for predicate in predicates { print(try PredicateTree(predicate)) }
        """

    @Test(.timeLimit(.minutes(60)))
    func predicatesWorkInAProgramThatLinksArchives() async throws {
        let toolchain = try SwiftToolchain(#require(SwiftToolchain.installed))
        try await withTemporaryFolder { folder in
            try Self.program.write(
                to: folder.appending(path: "main.swift"), atomically: true, encoding: .utf8)
            for module in Self.modules { try await Self.archive(module, toolchain.buildFolder, folder) }
            let outcome = try await toolchain.run(
                ["-Onone", "main.swift", "-o", "program", "-L", "."] + Self.modules.map { "-l\($0)Archive" }
                    + ["-lpq", "-lswiftSynchronization"], in: folder)
            try #require(outcome.succeeded, "\(outcome.output)")
            let said = try await Self.run(folder.appending(path: "program"), [], in: folder)
            #expect(
                said == """
                    name == 'Ada' AND NOT age > 3
                    (nick != NULL AND nick != 'x') OR nick == NULL OR boss.name == 'Bo'
                    age BETWEEN {1, 5} AND age + 2 < 9
                    name IN {'Ada', 'Bo'} AND ANY staff.age > 3
                    name BEGINSWITH 'A' AND boss.entity.lineage CONTAINS 'Chief'

                    """)
        }
    }

    private static func archive(_ module: String, _ build: URL, _ folder: URL) async throws {
        let objects = try FileManager.default.subpathsOfDirectory(
            atPath: build.appending(path: "\(module).build").path()
        )
        .filter { $0.hasSuffix(".o") }.map { build.appending(path: "\(module).build/\($0)").path() }
        try #require(!objects.isEmpty, "\(module) was not built")
        _ = try await run(
            URL(filePath: "/usr/bin/env"), ["ar", "crsT", "lib\(module)Archive.a"] + objects, in: folder)
    }

    private static func run(_ program: URL, _ arguments: [String], in folder: URL) async throws -> String {
        let process = Process()
        process.executableURL = program
        process.arguments = arguments
        process.currentDirectoryURL = folder
        return try await process.printed(includingErrors: true)
    }
}
#endif
