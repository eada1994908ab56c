/// How a fetch locks the rows it brings until its transaction ends, so that no one else changes or takes them.
///
/// For work queues: `request.rowLock = .update.skippingLocked` gives each of many workers other rows.
///
/// Source: PostgreSQL's locking clause, <https://www.postgresql.org/docs/current/sql-select.html#SQL-FOR-UPDATE-SHARE>.
public struct RowLock: Hashable, Sendable {
    /// What the lock keeps others from.
    package enum Strength: Hashable, Sendable { case update, noKeyUpdate, share }
    /// What happens to rows that others have locked.
    package enum Waiting: Hashable, Sendable { case waits, skips, fails }

    package let strength: Strength
    package var waiting = Waiting.waits

    /// Others can neither change, delete nor lock the rows, nor refer to them anew.
    public static let update = RowLock(strength: .update)
    /// As ``update``, but others may make rows that refer to these; what saves take for rows that stay.
    public static let noKeyUpdate = RowLock(strength: .noKeyUpdate)
    /// Others can lock the rows in this way too, but not change or delete them.
    public static let share = RowLock(strength: .share)

    /// Rows that others have locked are left out of the result.
    public var skippingLocked: RowLock { waiting(.skips) }
    /// A row that somebody else has locked fails the fetch, with `FetchError.locked`.
    public var failingIfLocked: RowLock { waiting(.fails) }

    private func waiting(_ waiting: Waiting) -> RowLock {
        var lock = self
        lock.waiting = waiting
        return lock
    }
}
