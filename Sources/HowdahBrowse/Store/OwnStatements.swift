import PQClient
import Synchronization

/// The statements that pages sent, by which the report of the program leaves them out.
final class OwnStatements: Sendable {
    /// The hash values of the texts' beginnings, because texts can be long and a report cuts them.
    private let seen = Mutex<Set<Int>>([])
    private static let mostTexts = 10_000
    private static let length = 3_000

    func note(_ text: String) {
        let key = Self.key(text)
        seen.withLock { seen in
            if seen.count >= Self.mostTexts { seen.removeFirst() }
            seen.insert(key)
        }
    }

    func contains(_ text: String) -> Bool { seen.withLock { $0.contains(Self.key(text)) } }

    private static func key(_ text: String) -> Int {
        text.utf8.count > length ? Array(text.utf8.prefix(length)).hashValue : text.hashValue
    }
}
