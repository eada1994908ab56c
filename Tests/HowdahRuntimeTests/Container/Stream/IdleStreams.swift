import Foundation
import Howdah

/// One stream of each kind whose other side does nothing and ignores cancellation.
struct IdleStreams: Sendable {
    private let latch = Latch()
    private let pause = Pause()

    typealias Stream = (name: String, run: @Sendable () async throws -> Void)

    /// Each insertion and import has brought an object by then, and each export needs one to write.
    func all(of container: PersistentContainer) -> [Stream] {
        let (latch, pause) = (latch, pause)
        let line = Data((#"{"@entity":"Employee","firstName":"Never"}"# + "\n").utf8)
        let row: [String: any Sendable] = ["firstName": "Never"]
        return [
            (
                "insert(into:from:)",
                {
                    let rows = SilentSource(elements: [row], pause: pause)
                    try await container.insert(into: Employee.self, from: rows)
                }
            ),
            (
                "importGraph(from:) with a closure",
                {
                    let lines = Shared([line])
                    try await container.importGraph {
                        if let line = lines.withLock({ $0.popLast() }) { return line }
                        latch.wait()
                        return nil
                    }
                }
            ),
            (
                "importGraph(from:) with a sequence",
                { try await container.importGraph(from: SilentSource(elements: [line], pause: pause)) }
            ),
            ("exportGraph(to:)", { try await container.exportGraph { _ in latch.wait() } }),
            (
                "exportGraph(to:), asynchronous",
                { try await container.exportGraph { _ in await pause.wait() } }
            ),
        ]
    }

    /// Lets the other sides go on.
    func release() {
        latch.open()
        pause.end()
    }
}
