import Foundation
import Howdah
import HowdahTesting
import LocalPostgres
import PQClient
import TestSupport
import Testing

@testable import HowdahRuntime

/// What the library sends means PostgreSQL's own functions and operators, whoever may create others in a schema of the
/// search path.
@Suite(.timeLimit(.minutes(60))) struct PlantedNamesTests {
    /// The suites of the workload: what renders statements, with random models, changes and predicates.
    private static let workload =
        [
            "AgreementTests", "RandomSaveTests", "SaveTests", "BatchUpsertTests", "BatchUpdateTests",
            "UniquenessPolicyTests", "FoldedPredicateTests", "PageTests", "DeleteRuleTests", "CountTests",
            "PlantedNamesTests",
        ]
        + (TestTier.current > .quick
            ? [
                "OrderedWalkTests", "OrderedListTests", "MomentTests", "OverflowTests", "InheritedWayTests",
                "BatchObjectTests", "MemberFetchWalkTests", "ComputedPredicateTests", "JSONStoreTests",
                "LinkCancellationTests", "LostCommitTests",
            ] : [])

    /// Tests whose own SQL means whatever the search path has.
    private static let skipped = ["PageTests/anIndexIsEnteredAtTheCursor", "JSONStoreTests/valuesComeBack"]

    #if os(Linux)
    /// Runs suites of this bundle in a process whose server has the planted names in each of its databases.
    @Test(.disabled(if: isPlanted, "this is the process with the planted names"))
    func theWorkloadCallsNoneOfThem() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "planted-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let programs = try PostgresInstallation.find().folder
        for name in try FileManager.default.contentsOfDirectory(atPath: programs) where name != "initdb" {
            try FileManager.default.createSymbolicLink(
                atPath: folder.path + "/" + name, withDestinationPath: programs + "/" + name)
        }
        try PlantedNames.script.write(
            to: folder.appending(path: "plant.sql"), atomically: true, encoding: .utf8)
        try """
        #!/bin/bash
        '\(programs)/initdb' "$@" || exit
        for argument in "$@"; do
            case $argument in
                --pgdata=*) data=${argument#--pgdata=} ;;
                -D) wants=1 ;;
                *) [[ -z $wants ]] || data=$argument; wants= ;;
            esac
        done
        '\(programs)/postgres' --single -j -D "$data" template1 < '\(folder.path)/plant.sql' > "$data/planted" 2>&1
        """.write(to: folder.appending(path: "initdb"), atomically: true, encoding: .utf8)
        for path in [folder.path, folder.path + "/initdb"] {
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
        }
        let process = Process()
        process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments =
            ["--testing-library", "swift-testing"]
            + Self.workload.flatMap { ["--filter", "HowdahRuntimeTests.\($0)/"] }
            + Self.skipped.flatMap { ["--skip", $0] }
        // The statements matter here, and not how often they are drawn.
        let tier = TestTier.isNightly ? "nightly" : "quick"
        process.environment = ProcessInfo.processInfo.environment
            .merging(["HOWDAH_PG_BINDIR": folder.path, "HOWDAH_PLANTED": "1", "HOWDAH_TIER": tier]) { $1 }
        let text = try await process.printed(includingErrors: true)
        let complaints = text.split(separator: "\n").filter {
            $0.contains("recorded an issue") || $0.contains(PlantedNames.sqlState)
        }
        #expect(
            process.terminationStatus == 0 && text.contains("passed after"),
            """
            status \(process.terminationStatus) by \(process.terminationReason == .exit ? "exit" : "signal")
            \((complaints.isEmpty ? text.split(separator: "\n").suffix(20) : complaints.prefix(20)).joined(separator: "\n"))
            """
        )
    }
    #endif

    private static let isPlanted = ProcessInfo.processInfo.environment["HOWDAH_PLANTED"] == "1"

    /// The control: without `pg_catalog` the planted names are the ones that are called.
    @Test(.enabled(if: isPlanted, "only in the process with the planted names"))
    func aPlantedNameIsFound() async throws {
        try await CompanyStore.with { store in
            let session = try store.session()
            defer { session.close() }
            for sql in [
                "SELECT unnest(ARRAY[1::int8])", "SELECT cardinality(ARRAY[1::int8])",
                "SELECT 1.5::numeric > 1",
                "SELECT count(1::int8)",
            ] {
                let error = #expect(throws: PostgresError.self) { try session.query(sql, cached: false) }
                #expect(error?.sqlState == PlantedNames.sqlState, "\(sql)")
            }
        }
    }

    @Test func aSearchPathThatHidesOwnNamesIsRefused() async throws {
        for (path, isFine) in [
            ("\"$user\", public", true), ("", true), ("pg_catalog, public", true),
            ("pg_temp, pg_catalog", true),
            ("public, pg_catalog", false), ("shop,\"pg_catalog\"", false),
        ] {
            #expect(Connection.findsOwnNamesFirst(path) == isFine, "\(path)")
        }
        try await CompanyStore.with { store in
            let database = try PlainSQL(url: store.url).value("SELECT current_database()::text") ?? ""
            try store.execute(
                "ALTER DATABASE \(SQLIdentifier.quoted(database)) SET search_path = public, pg_catalog")
            let error = await #expect(throws: StoreError.self) {
                try await PersistentContainer.open(store.url, model: Company.model())
            }
            #expect(error?.code == .unsuitableDatabase && error?.message.contains("search_path") == true)
        }
    }
}
