import Foundation

/// Rows of entries as a slow client sends them.
struct SlowRows: AsyncSequence, Sendable {
    typealias Element = [String: any Sendable]

    let token: UUID
    let count: Int
    let pause: Duration

    struct Iterator: AsyncIteratorProtocol {
        let rows: SlowRows
        var next = 0

        mutating func next() async throws -> [String: any Sendable]? {
            guard next < rows.count else { return nil }
            defer { next += 1 }
            try await Task.sleep(for: rows.pause)
            return ["token": rows.token, "number": next]
        }
    }

    func makeAsyncIterator() -> Iterator { Iterator(rows: self) }
}
