import Foundation

/// What a run asks of the heap and of the network, beyond opening its store.
struct Counts {
    var allocations: Int
    var roundTrips: Int

    static func - (left: Counts, right: Counts) -> Counts {
        Counts(
            allocations: max(0, left.allocations - right.allocations),
            roundTrips: max(0, left.roundTrips - right.roundTrips))
    }

    /// Counts over the whole of a program's run; nil on systems other than Linux, where the counting library does
    /// nothing.
    static func of(_ arguments: [String]) throws -> Counts? {
        #if os(Linux)
        let report = FileManager.default.temporaryDirectory.appending(
            path: "bench-counts-\(UUID().uuidString)"
        )
        .path(percentEncoded: false)
        defer { try? FileManager.default.removeItem(atPath: report) }
        let library = Peer.sibling("libCounting.so")
        _ = try ChildProgram.run(
            ["/usr/bin/env", "LD_PRELOAD=\(library)", "BENCH_COUNTS=\(report)"] + arguments)
        let numbers = try String(contentsOfFile: report, encoding: .utf8).split(
            whereSeparator: \.isWhitespace
        )
        .compactMap { Int($0) }
        guard numbers.count == 2 else {
            throw BenchError(
                "\(library) counted nothing in \(arguments[0]). Check that the library can be preloaded.")
        }
        return Counts(allocations: numbers[0], roundTrips: numbers[1])
        #else
        return nil
        #endif
    }
}
