import PQClient
import Synchronization

/// Allocates permanent keys, taken from the store's sequence in blocks so that most saves need no round trip.
///
/// As with every sequence, keys of rolled-back saves are not used again.
final class KeyAllocator: Sendable {
    private let blockSize: Int
    private let statement: String
    private let free = Mutex<[Int64]>([])

    /// Creates an allocator; `sequence` is quoted and schema-qualified.
    init(sequence: String, blockSize: Int = 256) {
        self.blockSize = blockSize
        statement =
            "SELECT pg_catalog.nextval('\(sequence.replacing("'", with: "''"))'::regclass) FROM pg_catalog.generate_series(1, $1)"
    }

    /// Returns `count` keys in ascending order; at most one round trip.
    func take(_ count: Int, on connection: Connection) throws -> [Int64] {
        if let ready = free.withLock({ split(&$0, count) }) { return ready }
        let block = try draw(max(count, blockSize), on: connection)
        let taken = Array(block.prefix(count))
        free.withLock { $0 += block.dropFirst(count) }
        return taken
    }

    /// Returns `count` keys in ascending order, greater than all earlier ones on this connection; one round
    /// trip.
    func draw(_ count: Int, on connection: Connection) throws -> [Int64] {
        var parameters = Parameters()
        parameters.append(Int64(count))
        let result = try connection.query(statement, parameters, about: StatementSubject(.select))
        var block: [Int64] = []
        block.reserveCapacity(result.rowCount)
        result.forEachRow { block.append($0[0].int64) }
        return block
    }

    /// Takes back drawn keys that were not used.
    func giveBack(_ keys: some Sequence<Int64>) { free.withLock { $0 += keys } }

    private func split(_ keys: inout [Int64], _ count: Int) -> [Int64]? {
        guard keys.count >= count else { return nil }
        let taken = keys.prefix(count).sorted()
        keys.removeFirst(count)
        return taken
    }
}
