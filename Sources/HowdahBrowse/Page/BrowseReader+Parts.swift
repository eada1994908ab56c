import HowdahMigration
import PQClient

extension BrowseReader.Session {
    /// Runs `body` so that the page goes on if it needs a table that another session has locked.
    ///
    /// - Returns: nil if a table is locked.
    func unlessLocked<Value>(_ body: () throws -> Value) throws -> Value? {
        try unless(ErrorWords.isLocked, body)
    }

    /// Runs `body` so that the page goes on if the role may not read a table of it.
    ///
    /// - Parameter refusal: Receives the server's words, which name the table.
    /// - Returns: nil if the role may not.
    func unlessRefused<Value>(
        noting refusal: inout String?, _ body: () throws -> Value
    ) throws -> Value? {
        var words: String?
        defer { refusal = words }
        return try unless(
            { error in
                words = ErrorWords.refusal(error)
                return words != nil
            }, body)
    }

    /// Runs `body` so that the page goes on if it needs a table that is locked, or that the role may not read.
    ///
    /// - Parameters:
    ///   - refusal: Receives the server's words about the right.
    ///   - isLocked: Receives whether the table is locked.
    /// - Returns: nil in both cases.
    func unlessUnreadable<Value>(
        noting refusal: inout String?, _ isLocked: inout Bool, _ body: () throws -> Value
    ) throws -> Value? {
        var (words, hasLock): (String?, Bool) = (nil, false)
        defer { (refusal, isLocked) = (words, hasLock) }
        return try unless(
            { error in
                hasLock = ErrorWords.isLocked(error)
                words = hasLock ? nil : ErrorWords.refusal(error)
                return hasLock || words != nil
            }, body)
    }

    private func unless<Value>(
        _ isExpected: (any Error) -> Bool, _ body: () throws -> Value
    ) throws -> Value? {
        do {
            return try connection.undoingFailure(body)
        } catch  where isExpected(error) {
            return nil
        }
    }
}
