import Foundation

/// Cost per object at growing numbers of objects, which should not grow.
struct Growth {
    private let server: Server

    init(_ server: Server) { self.server = server }

    private struct Report: Decodable {
        let insert, fetch, update, delete: Double
        let isRight: Bool
    }

    private struct ContextReport: Decodable {
        let discard, refresh, adopt, merge, resolve: Double
        let isRight: Bool
    }

    func run() throws {
        try runRows()
        try runContexts()
    }

    /// What has to find the changes that concern an object, with as many changes.
    private func runContexts() throws {
        print("\nmicroseconds per object  discard  refresh    adopt    merge  resolve")
        for n in [1_000, 10_000, 100_000] {
            var best: [Double] = []
            for _ in 0..<(n > 10_000 ? 1 : 3) {
                try server.sql("CREATE DATABASE bench_growth")
                defer { try? server.drop("bench_growth") }
                let child = try ChildProgram.run([
                    Peer.sibling("HowdahBench"), "dynamic", "context", server.url("bench_growth"), String(n),
                ])
                let report = try JSONDecoder().decode(ContextReport.self, from: Data(child.output.utf8))
                guard report.isRight else {
                    throw BenchError("The check of the context run with \(n) objects failed.")
                }
                let costs = [report.discard, report.refresh, report.adopt, report.merge, report.resolve].map {
                    $0 / Double(n) * 1e6
                }
                best = best.isEmpty ? costs : zip(best, costs).map(min)
            }
            print(
                String(format: "%17d", n) + "        "
                    + best.map { String(format: "%8.2f", $0) }.joined(separator: " "))
        }
    }

    private func runRows() throws {
        print("microseconds per object   insert    fetch   update   delete")
        for n in [1_000, 10_000, 100_000, 1_000_000] {
            var best: [Double] = []
            for _ in 0..<(n > 100_000 ? 1 : 3) {
                try server.makeEmptyStore("bench_growth")
                defer { try? server.drop("bench_growth") }
                let child = try ChildProgram.run([
                    Peer.sibling("HowdahBench"), "typed", "growth", server.url("bench_growth"), String(n),
                ])
                let report = try JSONDecoder().decode(Report.self, from: Data(child.output.utf8))
                guard report.isRight else {
                    throw BenchError("The check of the growth run with \(n) objects failed.")
                }
                let costs = [report.insert, report.fetch, report.update, report.delete].map {
                    $0 / Double(n) * 1e6
                }
                best = best.isEmpty ? costs : zip(best, costs).map(min)
            }
            print(
                String(format: "%17d", n) + "        "
                    + best.map { String(format: "%8.2f", $0) }.joined(separator: " "))
        }
    }
}
