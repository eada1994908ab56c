import Foundation
import Howdah
import Synchronization

/// JSON lines, which are the same work with and without classes.
extension Workload {
    func exportLines(_ container: PersistentContainer) async throws -> Outcome {
        let bytes = Atomic(0)
        return try await timed {
            let summary = try await container.exportGraph { bytes.add($0.count, ordering: .relaxed) }
            return (summary.lineCount, 0)
        }
    }

    /// A department and `n` employees who refer to it; the lines are made before the clock starts.
    func importLines(_ container: PersistentContainer, _ n: Int) async throws -> Outcome {
        var lines = Data(#"{"@entity":"Department","@id":"d","name":"New"}"#.utf8)
        lines.append(0x0A)
        for i in 0..<n {
            let line =
                #"{"@entity":"Employee","firstName":"First\#(i)","lastName":"Last\#(i % 1000)","#
                + #""email":"first\#(i)@example.com","salary":\#(i % 5000),"rating":\#(Double(i % 50) / 10),"#
                + #""hiredAt":"2020-01-01T00:00:00Z","visits":\#(i),"level":\#(i % 10),"active":\#(i % 2 == 0),"#
                + #""department":{"@ref":"d"}}"# + "\n"
            lines.append(contentsOf: line.utf8)
        }
        let pieces = Mutex<Data?>(lines)
        return try await timed {
            let summary = try await container.importGraph {
                pieces.withLock { rest in
                    defer { rest = nil }
                    return rest
                }
            }
            return (summary.insertedCount, 0)
        }
    }
}
