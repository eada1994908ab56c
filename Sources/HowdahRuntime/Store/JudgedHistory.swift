import Foundation
import HowdahModel
import Synchronization

/// The history that a container has read from: an incarnation, and an era of it with a heartbeat.
///
/// Tokens of another one must be compared with the state in the store.
final class JudgedHistory: Sendable {
    private struct Judgement {
        let incarnation: UUID
        let era: HistoryEra
    }

    private let last = Mutex<Judgement?>(nil)

    /// Remembers a history whose state was read, with the heartbeat of this era in it.
    func note(_ incarnation: UUID, _ era: HistoryEra) {
        last.withLock { $0 = Judgement(incarnation: incarnation, era: era) }
    }

    /// Returns a Boolean value that indicates whether a token is of the history that was read last.
    func includes(_ token: HistoryToken) -> Bool {
        last.withLock { $0?.incarnation == token.incarnation && $0?.era == token.era }
    }
}
