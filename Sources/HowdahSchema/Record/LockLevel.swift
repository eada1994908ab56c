/// How a step locks its table, in the server's words; see the lock table of PostgreSQL's manual on explicit locking.
public enum LockLevel: String, Hashable, Sendable, Codable {
    /// Reads it only.
    case accessShare = "ACCESS SHARE"
    /// Writes rows.
    case rowExclusive = "ROW EXCLUSIVE"
    /// Keeps others from writing.
    case share = "SHARE"
    /// Keeps others from writing and from altering.
    case shareRowExclusive = "SHARE ROW EXCLUSIVE"
    /// Keeps others from reading.
    case accessExclusive = "ACCESS EXCLUSIVE"
    /// Nothing that others use.
    case none = "no lock"
    /// Keeps others from altering; they read and write.
    case shareUpdateExclusive = "SHARE UPDATE EXCLUSIVE"
}
