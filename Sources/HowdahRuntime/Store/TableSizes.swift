import Synchronization

/// The approximate number of rows of each hierarchy's table.
///
/// It is the planner's estimate when the store was opened, with the rows that fetches and saves have seen
/// since. Only the method of fetching depends on it, never a result.
package final class TableSizes: Sendable {
    /// The number of rows from which they are fetched by COPY, which costs two round trips more and much less
    /// per row.
    static let copyThreshold = 1_000

    private let sizes: Mutex<[Int]>

    /// Creates sizes by the positions of root entities.
    package init(_ sizes: [Int]) { self.sizes = Mutex(sizes) }

    subscript(root: Int) -> Int { sizes.withLock { $0[root] } }

    /// Records a count of the rows.
    func note(_ count: Int, root: Int) { sizes.withLock { $0[root] = count } }

    /// Records inserted objects; few are not worth counting.
    func note(_ inserted: [ManagedObject]) {
        guard inserted.count >= Self.copyThreshold / 10 else { return }
        sizes.withLock { sizes in
            for object in inserted { sizes[object.layout.root] += 1 }
        }
    }

    /// Records a number of new rows.
    func add(_ count: Int, root: Int) { sizes.withLock { $0[root] += count } }

    /// Returns the number of rows of one table that refer to `count` rows of another, if all have equally
    /// many.
    func estimate(root: Int, for count: Int, of owner: Int) -> Int {
        sizes.withLock { sizes in
            guard sizes[owner] > 0 else { return 0 }
            return sizes[root] * min(count, sizes[owner]) / sizes[owner]
        }
    }
}
