import Foundation
import TestSupport
import Testing

@testable import LocalPostgres

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

@Suite(.enabled(if: Owner.executable != nil, "the owner's program is not beside the tests"))
struct OwnerDeathTests {
    let folder: TestFolder

    init() throws { folder = try TestFolder() }

    private func isGone(_ process: Int32) -> Bool { kill(process, 0) != 0 && errno == ESRCH }

    @Test(arguments: [SIGKILL, SIGTERM, SIGINT])
    func aKilledOwnerLeavesNothing(_ signal: Int32) throws {
        let owner = try Owner(in: folder)
        let server = try owner.server()
        #expect(!isGone(server))
        owner.end(by: signal)
        #expect(eventually { isGone(server) && folder.names == [] })
    }

    /// A program of root has its servers under another account, which must reach their folders.
    @Test func aServerStartsUnderAStrictMask() throws {
        let owner = try Owner(in: folder, as: ["/bin/sh", "-c", "umask 077; exec \"$@\"", "sh"])
        let server = try owner.server()
        #expect(owner.end(asking: "stop") == 0)
        #expect(isGone(server) && folder.names == [])
    }

    @Test(
        "A killed owner leaves no server that was started again, and no standby",
        arguments: ["again", "standby"])
    func aKilledOwnerLeavesNoOtherServer(_ word: String) throws {
        let owner = try Owner(in: folder, doing: word)
        let server = try owner.server()
        #expect(!isGone(server))
        owner.end(by: SIGKILL)
        #expect(eventually { isGone(server) && folder.names == [] })
    }

    @Test(arguments: ["stop", "exit"])
    func anOwnerThatEndsLeavesNothing(_ kind: String) throws {
        let owner = try Owner(in: folder)
        let server = try owner.server()
        #expect(owner.end(asking: kind) == 0)
        #expect(isGone(server))
        #expect(folder.names == [])
    }

    /// From before the folder exists, through `initdb`, to the server's first moments.
    @Test(arguments: Self.moments)
    func anOwnerKilledWhileItStartsLeavesNothing(_ milliseconds: Int) throws {
        let owner = try Owner(in: folder)
        usleep(UInt32(milliseconds) * 1000)
        owner.end(by: SIGKILL)
        // A folder made just before its watchdog is a later start's to sweep.
        let isClean = eventually {
            ClusterFolder.sweep(folder.path, patience: .zero)
            return folder.names == []
        }
        #expect(isClean)
    }

    /// Whoever makes a folder needs a moment until it is locked; a sweep must not take it from under them.
    @Test func aFolderWithoutALockIsSweptWhenItIsOld() throws {
        let path = folder.path + "/" + ClusterFolder.prefix + "young"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        ClusterFolder.sweep(folder.path)
        #expect(folder.names.count == 1)
        let past = Date(timeIntervalSinceNow: -61)
        try FileManager.default.setAttributes([.modificationDate: past], ofItemAtPath: path)
        ClusterFolder.sweep(folder.path)
        #expect(folder.names == [])
    }

    @Test func whatDiedWithItsWatchdogIsSweptByTheNextStart() throws {
        let owner = try Owner(in: folder)
        let server = try owner.server()
        let left = folder.names
        #expect(left.count == 1)
        kill(-getpgid(server), SIGKILL)
        owner.end(by: SIGKILL)
        #expect(folder.names == left)
        let isSwept = eventually {
            (try? LocalCluster.start(in: folder.url))?.stop()
            return folder.names == []
        }
        #expect(isSwept)
    }

    /// Root's rights are dropped for the server only; this runs owner and all as somebody else.
    @Test(.enabled(if: Self.runsAsOthers, "needs root, setpriv and a build folder others can read"))
    func ordinaryAccountsOwnClustersToo() throws {
        chmod(folder.path, 0o777)
        let owner = try Owner(in: folder, as: Self.asNobody)
        let server = try owner.server()
        owner.end(by: SIGKILL)
        #expect(eventually { isGone(server) && folder.names == [] })
    }

    private static let moments: [Int] = {
        return Array(stride(from: 0, through: 800, by: TestTier.isNightly ? 10 : 200))
    }()

    private static let asNobody = [
        SystemEnvironment.executable("setpriv") ?? "setpriv", "--reuid=65534", "--regid=65534",
        "--clear-groups",
        "--",
    ]

    private static let runsAsOthers: Bool = {
        guard geteuid() == 0, let executable = Owner.executable else { return false }
        let test = asNobody + ["/usr/bin/test", "-x", executable]
        return ChildProcess.output(of: test, environment: [:]) != nil
    }()
}
