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
