internal import PQClient

/// A try that could not have its locks; all of it was undone.
struct LockFailure: Error {
    let databaseError: PostgresError
    /// The table that was not to be had; nil where it is not known which, such as one that a handler wanted.
    let table: String?
    /// Who had it then; empty where nobody did any more.
    let holders: [LockHolder]

    /// The same for the same table and sessions, whatever they do by now.
    var identity: String { ([table ?? ""] + holders.map(\.session).sorted()).joined(separator: " ") }

    /// Which table it was and who had it, as part of a sentence.
    var reason: String {
        guard let table else { return "a transaction of another program held a lock" }
        if holders.isEmpty { return "'\(table)' was locked by a transaction that has since ended" }
        return "'\(table)' is locked by \(holders.map(\.description).joined(separator: ", and by "))"
    }
}
