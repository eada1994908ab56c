import Testing

@testable import LocalPostgres

struct PostgresInstallationTests {
    let folder: TestFolder

    init() throws { folder = try TestFolder() }

    private func addInstallation(_ name: String) throws -> String {
        for program in PostgresInstallation.required { try folder.addExecutable("\(name)/\(program)") }
        return "\(folder.path)/\(name)"
    }

    private func find(_ environment: [String: String] = [:]) throws -> String {
        let pattern = "\(folder.path)/lib/v*/bin"
        return try PostgresInstallation.find(environment: environment, patterns: [pattern]).folder
    }

    @Test func theNewestVersionWinsByNumber() throws {
        for version in ["9.6", "15", "18beta", "8"] { _ = try addInstallation("lib/v\(version)/bin") }
        #expect(try find() == "\(folder.path)/lib/v15/bin")
        try folder.addExecutable("lib/v99/bin/postgres")
        #expect(try find() == "\(folder.path)/lib/v15/bin")
    }

    @Test func pgConfigWinsOverKnownFolders() throws {
        _ = try addInstallation("lib/v15/bin")
        let other = try addInstallation("other")
        try folder.addExecutable("tools/pg_config", "#!/bin/sh\n[ \"$1\" = --bindir ] && echo \(other)\n")
        let path = ["PATH": "/nowhere:\(folder.path)/tools"]
        #expect(try find(path) == other)
        // libpq's development files alone bring pg_config, naming a folder without a server.
        try folder.addExecutable("more/pg_config", "#!/bin/sh\necho /nowhere\n")
        #expect(try find(["PATH": "\(folder.path)/more"]) == "\(folder.path)/lib/v15/bin")
    }

    @Test func pathIsTheLastResort() throws {
        let own = try addInstallation("own")
        #expect(try find(["PATH": own]) == own)
    }

    @Test func theOverrideIsFinal() throws {
        _ = try addInstallation("lib/v15/bin")
        let own = try addInstallation("own")
        #expect(try find(["HOWDAH_PG_BINDIR": own]) == own)
        let error = try #require(throws: LocalPostgresError.self) {
            try find(["HOWDAH_PG_BINDIR": "/nowhere"])
        }
        #expect(error.code == .installationNotFound)
        #expect(error.message.contains("/nowhere has no initdb and no postgres"))
        #expect(error.message.contains("HOWDAH_PG_BINDIR"))
    }

    @Test func nothingFoundNamesTheRemedy() throws {
        let error = try #require(throws: LocalPostgresError.self) { try find() }
        #expect(error.code == .installationNotFound)
        #expect(error.message.contains("apt-get install postgresql"))
        #expect(error.message.contains(folder.path))
    }
}
