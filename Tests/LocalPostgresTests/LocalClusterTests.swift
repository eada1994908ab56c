import Foundation
import Testing

@testable import LocalPostgres

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

struct LocalClusterTests {
    let folder: TestFolder
    /// For tests that only ask; it goes with the process.
    private static let shared = Result {
        try LocalCluster.start(settings: ["max_connections": "17", "work_mem": "7MB"])
    }

    init() throws { folder = try TestFolder() }

    private func isAlive(_ process: Int32) -> Bool { kill(process, 0) == 0 }

    @Test func answersOnItsSocketOnly() throws {
        let cluster = try Self.shared.get()
        let settings = "server_encoding,listen_addresses,fsync,wal_level,max_connections,work_mem"
        let list = settings.split(separator: ",").map { "current_setting('\($0)')" }.joined(separator: ",")
        #expect(try cluster.query("select \(list)") == "UTF8||off|minimal|17|7MB")
        #expect(try cluster.query("select datcollate from pg_database where datname = 'template1'") == "C")
        #expect(try cluster.query("select current_user") == LocalCluster.user)
        let permissions = try FileManager.default.attributesOfItem(
            atPath: cluster.socketDirectory.path(percentEncoded: false))
        #expect(permissions[.posixPermissions] as? Int == 0o700)
    }

    @Test func addressesReachDatabasesOfAnyName() throws {
        let cluster = try Self.shared.get()
        for name in ["plain", "with space", #"quote'back\slash"#, "100%/?&=#", "größe"] {
            #expect(try cluster.query("create database \"\(name)\"") != nil)
            let ask = "select current_database()"
            #expect(try cluster.query(ask, at: cluster.url(database: name)) == name)
            #expect(try cluster.query(ask, at: cluster.conninfo(database: name)) == name)
        }
    }

    @Test func twoLiveSideBySideAndASweepSparesTheLiving() throws {
        let first = try LocalCluster.start(in: folder.url)
        let second = try LocalCluster.start(in: folder.url)
        #expect(try first.query("create table only_here ()") != nil)
        #expect(try second.query("select to_regclass('only_here')") == "")
        first.stop()
        #expect(folder.names == [second.directory.lastPathComponent])
        #expect(try second.query("select 1") == "1")
        second.stop()
        #expect(folder.names == [])
    }

    @Test(arguments: [LocalCluster.StopMode.smart, .fast, .immediate])
    func stoppingLeavesNothing(_ mode: LocalCluster.StopMode) throws {
        let cluster = try LocalCluster.start(in: folder.url)
        let server = try #require(cluster.serverProcessID)
        #expect(isAlive(server))
        cluster.stop(mode)
        #expect(!isAlive(server))
        #expect(folder.names == [])
        #expect(cluster.serverProcessID == nil)
        cluster.stop(mode)
    }

    @Test func aSessionThatStaysDoesNotKeepASmartStopForever() throws {
        var options = LocalCluster.Options()
        options.stopTimeout = .milliseconds(200)
        let cluster = try LocalCluster.start(in: folder.url, options: options)
        let session = try #require(UnixSocket.connection(to: cluster.folder.socketPath))
        defer { session.close() }
        cluster.stop(.smart)
        #expect(folder.names == [])
    }

    @Test func theLastReferenceStopsIt() throws {
        var cluster: LocalCluster? = try LocalCluster.start(in: folder.url)
        let server = try #require(cluster?.serverProcessID)
        cluster = nil
        #expect(!isAlive(server))
        #expect(folder.names == [])
    }

    @Test func aServerThatWasKilledCanStillBeStopped() throws {
        let cluster = try LocalCluster.start(in: folder.url)
        let server = try #require(cluster.serverProcessID)
        kill(server, SIGKILL)
        cluster.stop()
        #expect(folder.names == [])
    }
}
