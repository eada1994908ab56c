import HowdahModel
import Synchronization

/// The position of one loop over the changes of a registered consumer.
///
/// It knows the tokens that the loop delivered since the last acknowledged one. Only these may be replaced in
/// the store by a later one, so that a token never goes back.
final class HistoryPosition: Sendable {
    let name: String
    private let tokens: Mutex<[String]>
    /// The number of tokens to remember for a loop that acknowledges nothing.
    private static let capacity = 10_000

    init(_ name: String, at token: String) {
        self.name = name
        tokens = Mutex([token])
    }

    /// Records a token that the loop delivers.
    func deliver(_ token: String) {
        tokens.withLock { tokens in
            if tokens.count >= Self.capacity { tokens.remove(at: 1) }
            if tokens.last != token { tokens.append(token) }
        }
    }

    /// Returns the tokens that the store may have when this one is acknowledged.
    func before(_ token: String) -> [String] {
        tokens.withLock { tokens in
            tokens.firstIndex(of: token).map { Array(tokens.prefix($0)) } ?? []
        }
    }

    /// Records that the store has a token.
    func acknowledge(_ token: String) {
        tokens.withLock { tokens in
            if let place = tokens.firstIndex(of: token) { tokens.removeFirst(place) }
        }
    }

    /// The acknowledged token if nothing else was delivered.
    var caughtUp: String? { tokens.withLock { $0.count == 1 ? $0[0] : nil } }
}
