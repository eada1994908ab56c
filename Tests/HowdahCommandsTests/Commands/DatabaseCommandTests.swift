import Foundation
import Testing

@Suite struct DatabaseCommandTests {
    @Test func aClusterLivesFromStartToStopAndKeepsItsData() throws {
        let folder = try ToolFolder()
        let started = try Tool.run("db", "start", in: folder)
        #expect(started.status == 0, "\(started.complaint)")
        let url = started.output.trimmingCharacters(in: .newlines)
        #expect(url.hasPrefix("postgresql:///howdah?host="))
        #expect(try Tool.run("db", "start", in: folder).output == started.output)
        #expect(try Tool.run("db", "url", in: folder).output == started.output)
        #expect(try Tool.run("db", "status", in: folder).output.hasPrefix("running "))
        let made = try Tool.run(
            "db", "psql", "--", "-qAtc", "CREATE TABLE t AS SELECT 42 AS n; SELECT n FROM t", in: folder)
        #expect(made.status == 0 && made.output == "42\n", "\(made.complaint)")
        #expect(try Tool.run("db", "psql", "--", "-c", "SELECT nonsense", in: folder).status == 1)

        #expect(try Tool.run("db", "stop", in: folder).output == "stopped\n")
        #expect(folder.server == nil)
        let again = try Tool.run("db", "stop", in: folder)
        #expect(again.status == 0 && again.output.hasPrefix("No server was running"))
        #expect(try Tool.run("db", "status", in: folder).output.hasPrefix("stopped "))
        let absent = try Tool.run("db", "url", in: folder)
        #expect(absent.status == 1 && absent.output.isEmpty && absent.complaint.contains("howdah db start"))

        #expect(try Tool.run("db", "start", in: folder).output == started.output)
        #expect(try Tool.run("db", "psql", "--", "-Atc", "SELECT n FROM t", in: folder).output == "42\n")
        let other = try Tool.run("db", "start", "--database", "o'ther \"one\"", in: folder)
        #expect(other.status == 0, "\(other.complaint)")
        let name = try Tool.run(
            "db", "psql", "--database", "o'ther \"one\"", "--", "-Atc", "SELECT current_database()",
            in: folder)
        #expect(name.output == "o'ther \"one\"\n")
    }

    @Test func aKilledServerIsStartedAgainWithWhatWasCommitted() throws {
        let folder = try ToolFolder()
        try #require(try Tool.run("db", "start", in: folder).status == 0)
        #expect(
            try Tool.run("db", "psql", "--", "-qc", "CREATE TABLE t AS SELECT 7 AS n", in: folder).status == 0
        )
        kill(try #require(folder.server), SIGKILL)
        let started = try Tool.run("db", "start", in: folder)
        #expect(started.status == 0, "\(started.complaint)")
        #expect(try Tool.run("db", "psql", "--", "-Atc", "SELECT n FROM t", in: folder).output == "7\n")
    }

    @Test func severalStartsAtOnceMakeOneServer() async throws {
        let folder = try ToolFolder()
        let outcomes = try await withThrowingTaskGroup(of: Tool.Outcome.self) { group in
            for _ in 0..<4 { group.addTask { try Tool.run("db", "start", in: folder) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes.allSatisfy { $0.status == 0 && $0.output == outcomes[0].output }, "\(outcomes)")
        #expect(try Tool.run("db", "psql", "--", "-Atc", "SELECT 1", in: folder).output == "1\n")
    }

    @Test func aLongPathGetsItsSocketElsewhere() throws {
        let long = String(repeating: "long", count: 30)
        let folder = try ToolFolder(clusters: long)
        let started = try Tool.run("db", "start", "--folder", long, in: folder)
        #expect(started.status == 0 && !started.output.contains(long), "\(started.complaint)")
        let answer = try Tool.run("db", "psql", "--folder", long, "--", "-Atc", "SELECT 1", in: folder)
        #expect(answer.output == "1\n")
    }

    @Test func folderNamesMeanNothingToAShell() throws {
        let name = "a $(touch hit) `touch hit` \"q\" 'q' $x \\ é"
        let folder = try ToolFolder(clusters: name)
        let started = try Tool.run("db", "start", "--folder", name, in: folder)
        #expect(started.status == 0, "\(started.complaint)")
        let answer = try Tool.run(
            "db", "psql", "--folder", name, "--", "-Atc", "SHOW data_directory", in: folder)
        #expect(answer.output.hasSuffix("/\(name)/data\n"), "\(answer)")
        let files = FileManager.default.enumerator(atPath: folder.path)?.allObjects as? [String] ?? []
        #expect(!files.isEmpty && !files.contains { $0.hasSuffix("hit") })
        #expect(try Tool.run("db", "stop", "--folder", name, in: folder).output == "stopped\n")
    }

    @Test func aServerThatTakesNoSessionsIsStillStopped() throws {
        let folder = try ToolFolder()
        try #require(try Tool.run("db", "start", in: folder).status == 0)
        try FileManager.default.removeItem(atPath: folder.path + "/.howdah/postgres/s/.s.PGSQL.5432")
        #expect(try Tool.run("db", "status", in: folder).output.hasPrefix("unresponsive "))
        #expect(try Tool.run("db", "stop", in: folder).output == "stopped\n")
        #expect(folder.server == nil)
        #expect(try Tool.run("db", "status", in: folder).output.hasPrefix("stopped "))
    }

    @Test func dataThatIsNoClusterIsLeftAlone() throws {
        let folder = try ToolFolder()
        try #require(try Tool.run("db", "start", in: folder).status == 0)
        try #require(try Tool.run("db", "stop", in: folder).status == 0)
        let data = folder.path + "/.howdah/postgres/data"
        try FileManager.default.removeItem(atPath: data + "/PG_VERSION")
        let refused = try Tool.run("db", "start", in: folder)
        #expect(refused.status == 1 && refused.complaint.contains("PG_VERSION"), "\(refused)")
        #expect(FileManager.default.fileExists(atPath: data + "/global/pg_control"))
    }

    @Test func aKilledFirstStartDoesNotHinderTheNext() async throws {
        for milliseconds in [100, 200, 400] {
            let folder = try ToolFolder()
            let first = try Tool.begin("db", "start", in: folder)
            try await Task.sleep(for: .milliseconds(milliseconds))
            kill(first.processIdentifier, SIGKILL)
            first.waitForEnd()
            let second = try Tool.run("db", "start", in: folder)
            #expect(second.status == 0, "after \(milliseconds) ms: \(second.complaint)")
        }
    }

    @Test func whatIsWrongIsSaid() throws {
        let folder = try ToolFolder()
        try Data("x".utf8).write(to: URL(fileURLWithPath: folder.path + "/file"))
        try FileManager.default.createDirectory(
            atPath: folder.path + "/full", withIntermediateDirectories: true)
        try Data("x".utf8).write(to: URL(fileURLWithPath: folder.path + "/full/file"))
        for (arguments, status, words) in [
            (["start", "--folder", "file"], 1, "is a file"),
            (["start", "--folder", "full"], 1, "is not a cluster that howdah created"),
            (["stop", "--folder", "none"], 1, "none has no cluster."),
            (["url", "--folder", "none"], 1, "--folder 'none'"),
            (["psql"], 1, "howdah db start"), (["start", "--database", ""], 64, "--database"),
            (["start", "--database", "template0"], 1, "is a template database of the server"),
            (
                ["start", "--database", String(repeating: "é", count: 32)], 1,
                "has 64 bytes, and the limit is 63"
            ),
            (["start", "--folder", ""], 64, "--folder"), (["begin"], 64, "begin"),
            (["start", "extra"], 64, "extra"),
        ] as [([String], Int32, String)] {
            let outcome =
                switch arguments.count {
                case 1: try Tool.run("db", arguments[0], in: folder)
                case 2: try Tool.run("db", arguments[0], arguments[1], in: folder)
                default: try Tool.run("db", arguments[0], arguments[1], arguments[2], in: folder)
                }
            #expect(outcome.status == status && outcome.complaint.contains(words), "\(arguments): \(outcome)")
        }
        #expect(try Tool.run("db", "status", in: folder).output.contains(" has no cluster. Create "))
        try #require(try Tool.run("db", "start", in: folder).status == 0)
        #expect(try Tool.run("db", "stop", in: folder).status == 0)
        try Data("9.6\n".utf8).write(
            to: URL(fileURLWithPath: folder.path + "/.howdah/postgres/data/PG_VERSION"))
        let old = try Tool.run("db", "start", in: folder)
        #expect(old.status == 1 && old.complaint.contains("PostgreSQL 9.6 created the cluster in "), "\(old)")
    }
}
