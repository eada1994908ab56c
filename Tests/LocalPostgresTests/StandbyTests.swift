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

/// Servers that stop and start again, and copies of them.
struct StandbyTests {
    let folder: TestFolder

    init() throws { folder = try TestFolder() }

    private func replicating(_ settings: [String: String] = [:]) throws -> LocalCluster {
        try LocalCluster.start(
            in: folder.url, settings: LocalCluster.replicationSettings.merging(settings) { $1 })
    }

    @Test(
        "A server keeps its data over a stop, a crash and a kill",
        arguments: [LocalCluster.StopMode.smart, .fast, .immediate, .kill])
    func dataOutlivesTheServer(_ mode: LocalCluster.StopMode) throws {
        let cluster = try LocalCluster.start(in: folder.url, settings: ["synchronous_commit": "on"])
        #expect(try cluster.query("create table kept as select 7 as n") != nil)
        let first = try #require(cluster.serverProcessID)
        for _ in 1...3 {
            cluster.stopServer(mode)
            #expect(cluster.serverProcessID == nil)
            #expect(kill(first, 0) != 0)
            #expect(try cluster.query("select 1") == nil)
            cluster.stopServer(mode)
            try cluster.startServer()
            try cluster.startServer()
            #expect(try cluster.query("select n from kept") == "7")
        }
        #expect(try #require(cluster.serverProcessID) != first)
        cluster.stop()
        #expect(folder.names == [])
    }

    @Test("A server that somebody killed starts again")
    func killedServerStarts() throws {
        let cluster = try LocalCluster.start(in: folder.url)
        kill(try #require(cluster.serverProcessID), SIGKILL)
        _ = eventually { (try? cluster.query("select 1")) == .some(nil) }
        try cluster.startServer()
        #expect(try cluster.query("select 1") == "1")
        kill(try #require(cluster.serverProcessID), SIGKILL)
        cluster.stopServer()
        try cluster.startServer()
        #expect(try cluster.query("select 1") == "1")
        cluster.stop(.immediate)
        #expect(folder.names == [])
    }

    @Test(
        "A server starts again right after it was ended by a signal", arguments: [SIGKILL, SIGQUIT, SIGABRT])
    func startRightAfter(_ signal: Int32) throws {
        let cluster = try LocalCluster.start(in: folder.url)
        for pause in [0, 100, 500, 1_000, 3_000] {
            kill(try #require(cluster.serverProcessID), signal)
            usleep(UInt32(pause))
            try cluster.startServer()
            #expect(try cluster.query("select 1") == "1", "\(pause)")
        }
        cluster.stop(.immediate)
        #expect(folder.names == [])
    }

    #if os(Linux)
    @Test("A server whose end is not reported yet starts again")
    func unreportedEnd() throws {
        let cluster = try LocalCluster.start(in: folder.url)
        let server = try #require(cluster.serverProcessID)
        let status = try String(contentsOfFile: "/proc/\(server)/status", encoding: .utf8)
        let parent = try #require(status.split(separator: "\n").first { $0.hasPrefix("PPid:") })
        let watchdog = try #require(Int32(parent.dropFirst(5).trimmingCharacters(in: .whitespaces)))
        kill(watchdog, SIGSTOP)
        let waking = Thread {
            Thread.sleep(forTimeInterval: 0.5)
            kill(watchdog, SIGCONT)
        }
        waking.start()
        kill(server, SIGKILL)
        #expect(
            eventually { !ServerProbe.answers(socket: cluster.folder.socketPath, user: LocalCluster.user) })
        try cluster.startServer()
        #expect(try cluster.query("select 1") == "1")
        cluster.stop(.immediate)
        #expect(folder.names == [])
    }
    #endif

    @Test("A killed server starts again after its sessions have ended, whatever they print meanwhile")
    func busySessionsArePassed() throws {
        let cluster = try LocalCluster.start(in: folder.url)
        let session = Thread {
            _ = try? cluster.query("/* busy */ select count(*) from generate_series(1, 10000000)")
        }
        session.start()
        let busy = "select count(*) from pg_stat_activity where query like '/* busy */%' and state = 'active'"
        #expect(eventually { (try? cluster.query(busy)) == "1" })
        let log = try #require(FileHandle(forWritingAtPath: cluster.folder.logPath))
        let printer = Thread {
            while !Thread.current.isCancelled {
                log.seekToEndOfFile()
                log.write(Data("a line of another session\n".utf8))
                Thread.sleep(forTimeInterval: 0.0005)
            }
        }
        cluster.stopServer(.kill)
        printer.start()
        defer { printer.cancel() }
        try cluster.startServer()
        #expect(try cluster.query("select 1") == "1")
        #expect(cluster.folder.log(from: 0).contains("pre-existing shared memory block"), "the control")
    }

    @Test("A stopped cluster leaves nothing, and does not start again")
    func stoppedClusterIsGone() throws {
        let cluster = try LocalCluster.start(in: folder.url)
        cluster.stopServer()
        #expect(folder.names.count == 1)
        cluster.stop()
        #expect(folder.names == [])
        let error = try #require(throws: LocalPostgresError.self) { try cluster.startServer() }
        #expect(error.code == .invalidConfiguration)
    }

    @Test("A setting that the server refuses can be corrected")
    func settingsCanBeCorrected() throws {
        let cluster = try LocalCluster.start(in: folder.url)
        #expect(throws: LocalPostgresError.self) { try cluster.configure(["port": "1"]) }
        try cluster.configure(["work_mem": "9MB"])
        #expect(try cluster.query("select pg_reload_conf()") == "t")
        #expect(eventually { (try? cluster.query("show work_mem")) == "9MB" })
        cluster.stopServer()
        try cluster.configure(["shared_buffers": "plenty"])
        let error = try #require(throws: LocalPostgresError.self) { try cluster.startServer() }
        #expect(error.code == .startFailed && error.message.contains("plenty"))
        try cluster.configure(["shared_buffers": "16MB"])
        try cluster.startServer()
        #expect(try cluster.query("show work_mem") == "9MB")
    }

    @Test("A standby follows, refuses to write, and writes once it is promoted")
    func standbyFollows() throws {
        let primary = try replicating(["max_connections": "23"])
        #expect(try primary.query("create table t as select 1 as n") != nil)
        let standby = try primary.startStandby(settings: ["work_mem": "7MB"])
        #expect(folder.names.count == 2)
        #expect(try standby.query("select pg_is_in_recovery(), current_setting('work_mem')") == "t|7MB")
        #expect(try standby.query("show max_connections") == "23")
        #expect(try primary.query("insert into t values (2)") != nil)
        #expect(eventually { (try? standby.query("select sum(n) from t")) == "3" })
        #expect(try standby.query("insert into t values (3)") == nil)
        primary.stop(.immediate)
        standby.stopServer(.kill)
        try standby.startServer()
        #expect(try standby.query("select pg_promote()") == "t")
        #expect(try standby.query("insert into t values (4)") != nil)
        standby.stop()
        #expect(folder.names == [])
    }

    @Test("A copy has the same identifier and timeline, and changes of its own")
    func copyIsIndependent() throws {
        let identity =
            "select system_identifier, timeline_id from pg_control_system(), pg_control_checkpoint()"
        let source = try replicating()
        #expect(try source.query("create table t as select 1 as n") != nil)
        let copy = try source.startCopy()
        #expect(try source.query("insert into t values (10)") != nil)
        #expect(try copy.query("insert into t values (100)") != nil)
        #expect(try source.query("select sum(n) from t") == "11")
        #expect(try copy.query("select sum(n) from t") == "101")
        #expect(try copy.query(identity) == source.query(identity))
        #expect(try copy.query("select pg_is_in_recovery()") == "f")
    }

    @Test("A cluster without senders has no standbys, and a stopped one neither")
    func copiesNeedASource() throws {
        let plain = try LocalCluster.start(in: folder.url)
        var error = try #require(throws: LocalPostgresError.self) { try plain.startStandby() }
        #expect(error.code == .invalidConfiguration && error.message.contains("replicationSettings"))
        plain.stop()
        let stopped = try replicating()
        stopped.stopServer()
        error = try #require(throws: LocalPostgresError.self) { try stopped.startCopy() }
        #expect(error.code == .startFailed && error.message.contains("connection to server"))
        stopped.stop()
        #expect(folder.names == [])
    }
}
