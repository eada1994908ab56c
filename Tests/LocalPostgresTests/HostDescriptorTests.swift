import Foundation
import LocalPostgres
import Synchronization
import Testing

/// A server keeps nothing of the program that starts it.
@Suite(.timeLimit(.minutes(60))) struct HostDescriptorTests {
    /// Foundation's `Process` waits until all have closed a socket that it opens for each child.
    @Test func processesOfTheHostEndWhileServersStart() async throws {
        let ended = Atomic<Int>(0)
        let isOver = Atomic<Bool>(false)
        let begun = Atomic<Int>(0)
        for _ in 0..<2 {
            Thread.detachNewThread {
                while !isOver.load(ordering: .acquiring) {
                    let process = Process()
                    process.executableURL = URL(filePath: "/bin/true")
                    guard (try? process.run()) != nil else { continue }
                    begun.add(1, ordering: .acquiringAndReleasing)
                    process.waitUntilExit()
                    ended.add(1, ordering: .acquiringAndReleasing)
                }
            }
        }
        var clusters: [LocalCluster] = []
        defer { for cluster in clusters { cluster.stop(.immediate) } }
        for _ in 0..<4 { clusters.append(try LocalCluster.start()) }
        isOver.store(true, ordering: .releasing)
        // The servers live on meanwhile.
        for _ in 0..<600 where ended.load(ordering: .acquiring) < begun.load(ordering: .acquiring) {
            try await Task.sleep(for: .milliseconds(100))
        }
        #expect(begun.load(ordering: .acquiring) > 10)
        #expect(ended.load(ordering: .acquiring) == begun.load(ordering: .acquiring))
    }
}
