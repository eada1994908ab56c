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

    init() throws { folder = try TestFolder() }

    private func isAlive(_ process: Int32) -> Bool { kill(process, 0) == 0 }

    @Test func answersOnItsSocketOnly() throws {
        let cluster = try LocalCluster.start(in: folder.url)
        defer { cluster.stop() }
        let settings =
            "server_encoding,lc_collate,listen_addresses,fsync,synchronous_commit,wal_level,TimeZone"
        let list = settings.split(separator: ",").map { "current_setting('\($0)')" }.joined(separator: ",")
        #expect(try cluster.query("select \(list)") == "UTF8|C||off|off|minimal|UTC")
        #expect(try cluster.query("select current_user") == LocalCluster.user)
        let permissions = try FileManager.default.attributesOfItem(
            atPath: cluster.socketDirectory.path(percentEncoded: false))
        #expect(permissions[.posixPermissions] as? Int == 0o700)
    }

    @Test func addressesReachDatabasesOfAnyName() throws {
        let cluster = try LocalCluster.start(in: folder.url)
        defer { cluster.stop() }
        for name in ["plain", "with space", #"quote'back\slash"#, "100%/?&=#", "größe"] {
            #expect(try cluster.query("create database \"\(name)\"") != nil)
            let ask = "select current_database()"
            #expect(try cluster.query(ask, at: cluster.url(database: name)) == name)
            #expect(try cluster.query(ask, at: cluster.conninfo(database: name)) == name)
        }
    }

    @Test func takesSettings() throws {
        let cluster = try LocalCluster.start(
            in: folder.url, settings: ["wal_level": "logical", "max_wal_senders": "3", "work_mem": "7MB"])
        defer { cluster.stop() }
        let ask = "select current_setting('wal_level'), current_setting('max_wal_senders'),"
        #expect(try cluster.query(ask + " current_setting('work_mem')") == "logical|3|7MB")
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
        options.stopPatience = .milliseconds(200)
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
