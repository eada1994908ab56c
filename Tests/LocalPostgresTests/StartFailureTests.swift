import Foundation
import Testing

@testable import LocalPostgres

struct StartFailureTests {
    let folder: TestFolder

    init() throws { folder = try TestFolder() }

    private func failure(
        in url: URL? = nil, settings: [String: String] = [:], options: LocalCluster.Options = .init()
    ) throws -> LocalPostgresError {
        try #require(throws: LocalPostgresError.self) {
            try LocalCluster.start(in: url ?? folder.url, settings: settings, options: options)
        }
    }

    @Test func aRefusedSettingIsToldWithTheLog() throws {
        let error = try failure(settings: ["shared_buffers": "plenty"])
        #expect(error.code == .startFailed)
        #expect(error.message.contains("invalid value for parameter \"shared_buffers\": \"plenty\""))
        #expect(folder.names == [])
    }

    @Test func aStartThatTakesTooLongLeavesNothing() throws {
        var options = LocalCluster.Options()
        options.startTimeout = .zero
        let error = try failure(options: options)
        #expect(error.code == .startTimedOut)
        #expect(folder.names == [])
    }

    @Test func anInitdbThatFailsIsToldWithTheLog() throws {
        let binaries = try TestFolder()
        try binaries.addExecutable("initdb", "#!/bin/sh\necho no room here >&2\nexit 1\n")
        try binaries.addExecutable("postgres")
        var options = LocalCluster.Options()
        options.installation = try PostgresInstallation(folder: binaries.path)
        let error = try failure(options: options)
        #expect(error.code == .startFailed)
        #expect(error.message.contains("no room here"))
        #expect(folder.names == [])
    }

    /// The `pg_ctl` of a killed start may start the server first; its part is played by a program that starts twice.
    @Test func aClusterThatAnotherStartWasFasterToStartRuns() throws {
        let programs = try TestFolder()
        let found = try PostgresInstallation.find()
        for name in ["postgres", "initdb", "psql", "createdb", "pg_ctl"] {
            let target = try #require(found.executable(name))
            let twice = name == "pg_ctl" ? "\(target) \"$@\" || exit; [ \"$1\" = start ] || exit 0\n" : ""
            try programs.addExecutable(name, "#!/bin/sh\n\(twice)exec \(target) \"$@\"\n")
        }
        let cluster = try DevelopmentCluster(
            in: folder.url.appending(path: "cluster"),
            installation: PostgresInstallation(folder: programs.path))
        defer { _ = try? cluster.stop() }
        #expect(throws: Never.self) { try cluster.start() }
        guard case .running = cluster.state else {
            Issue.record("the server does not run: \(cluster.state)")
            return
        }
    }

    @Test func aPathTooLongForASocketIsRefusedBeforeAnythingIsMade() throws {
        let error = try failure(in: folder.url.appending(path: String(repeating: "x", count: 90)))
        #expect(error.code == .invalidConfiguration)
        #expect(folder.names == [])
    }

    @Test func settingsThatWouldBreakOutAreRefused() throws {
        let settings = [
            ("port", "1"), ("listen_addresses", "*"), ("work_mem = 1\nfsync", "on"), ("", "x"),
            ("work_mem", "1\n2"),
        ]
        for (name, value) in settings {
            let error = try failure(settings: [name: value])
            #expect(error.code == .invalidConfiguration, "\(name)")
        }
    }

    @Test func withoutAWayToDropRightsRootIsToldSo() throws {
        guard NSUserName() == "root" else {
            #expect(try ServerAccount.current(setpriv: nil) == nil)
            return
        }
        let error = try #require(throws: LocalPostgresError.self) { try ServerAccount.current(setpriv: nil) }
        #expect(error.code == .privilegeDropUnavailable)
    }
}
