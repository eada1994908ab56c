import Synchronization

/// How many rows each hierarchy's table has, roughly: what the planner knew when the store was opened, and what
/// fetches and saves have seen since. Only the way of fetching depends on it, never a result.
package final class TableSizes: Sendable {
    /// From here on rows are fetched by COPY, which costs two round trips more and much less per row.
    static let copyThreshold = 1_000

    private let sizes: Mutex<[Int]>

    /// By the places of root entities.
    package init(_ sizes: [Int]) { self.sizes = Mutex(sizes) }

    subscript(root: Int) -> Int { sizes.withLock { $0[root] } }

    /// The rows were counted.
    func note(_ count: Int, root: Int) { sizes.withLock { $0[root] = count } }

    /// Objects were inserted; few are not worth counting.
    func note(_ inserted: [ManagedObject]) {
        guard inserted.count >= Self.copyThreshold / 10 else { return }
        sizes.withLock { sizes in
            for object in inserted { sizes[object.layout.root] += 1 }
        }
    }

    /// So many rows are new.
    func add(_ count: Int, root: Int) { sizes.withLock { $0[root] += count } }

    /// How many rows of one table lead to `count` rows of another, if all have equally many.
    func estimate(root: Int, for count: Int, of owner: Int) -> Int {
        sizes.withLock { sizes in
            guard sizes[owner] > 0 else { return 0 }
            return sizes[root] * min(count, sizes[owner]) / sizes[owner]
        }
    }
}
