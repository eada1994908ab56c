import Foundation
import Synchronization

/// What the calls of a soak claimed, and what was wrong with them.
final class SoakLedger: Sendable {
    /// What the store has to hold of a unit.
    enum Claim: Sendable {
        /// Its entries, once.
        case stored
        /// None of its entries.
        case nothing
        /// Its entries, once, or none of them.
        case unknown
    }

    /// A call that has not returned.
    private struct Running {
        let text: String
        /// After this it is late; nil if it may take any time.
        let latest: ContinuousClock.Instant?
        var isLate = false
    }

    private struct State {
        var claims: [UUID: (claim: Claim, entries: Int, text: String)] = [:]
        var running: [UUID: Running] = [:]
        var complaints: [String] = []
        var outcomes: [String: Int] = [:]
        var slowest = Duration.zero
    }

    /// How much later than its deadline or its cancellation a call may return.
    static let grace: Duration =
        // Two and a half seconds by design, and the rest for a busy machine; the thread sanitizer makes all of it slower.
        ProcessInfo.processInfo.environment["TSAN_OPTIONS"] == nil ? .seconds(4) : .seconds(15)

    /// The file that names a late call as soon as it is late, so that a debugger can look at its thread.
    private static let lateFile = ProcessInfo.processInfo.environment["HOWDAH_SOAK_LATE"]

    private let state = Mutex(State())
    /// How long the process stood still.
    let stalls = StallWatch()

    /// Notes that a call begins.
    func begin(_ token: UUID, _ text: String, within duration: Duration?) {
        let latest = duration.map { ContinuousClock.now + $0 + Self.grace }
        state.withLock { $0.running[token] = Running(text: text, latest: latest) }
    }

    /// Notes a call's end, and what it claims.
    func end(_ token: UUID, claiming claim: Claim, of entries: Int, _ outcome: String) {
        state.withLock { state in
            let running = state.running.removeValue(forKey: token)
            state.claims[token] = (claim, entries, "\(running?.text ?? ""): \(outcome)")
            state.outcomes[outcome, default: 0] += 1
            if let latest = running?.latest {
                let limit = latest - Self.grace
                state.slowest = max(state.slowest, .now - limit - stalls.since(limit))
            }
        }
    }

    /// Complains once of each call that is late.
    func complainOfLateCalls() {
        state.withLock { state in
            for (token, call) in state.running {
                // Moments in which the machine let nothing run are not the call's.
                guard !call.isLate, let latest = call.latest,
                    latest + stalls.since(latest - Self.grace) < .now
                else { continue }
                state.running[token]?.isLate = true
                state.complaints.append("\(call.text) is later than its limit and \(Self.grace)")
                if let file = Self.lateFile {
                    try? call.text.write(toFile: file, atomically: true, encoding: .utf8)
                }
            }
        }
    }

    /// Adds a complaint.
    func complain(_ text: String) { state.withLock { $0.complaints.append(text) } }

    /// What was wrong, the first of each kind.
    var complaints: [String] { state.withLock { $0.complaints } }

    /// The calls that have not returned.
    var unfinished: [String] { state.withLock { $0.running.values.map(\.text) } }

    /// How many calls ended how, and how long after its limit the slowest returned.
    var summary: String {
        state.withLock { state in
            let outcomes = state.outcomes.sorted { $0.value > $1.value }.map { "\($0.value) × \($0.key)" }
            return
                "\(state.claims.count) units, at most \(state.slowest) over the limit, the process stood still for up to \(stalls.longest); "
                + outcomes.joined(separator: ", ")
        }
    }

    /// Compares the claims with how often each token is stored.
    func compare(with stored: [UUID: Int]) {
        state.withLock { state in
            for (token, claim) in state.claims {
                let found = stored[token] ?? 0
                let isRight =
                    switch claim.claim {
                    case .stored: found == claim.entries
                    case .nothing: found == 0
                    case .unknown: found == 0 || found == claim.entries
                    }
                if !isRight {
                    state.complaints.append(
                        "\(claim.text): \(claim.claim) of \(claim.entries) entries, and \(found) are there")
                }
            }
            let strangers = stored.keys.filter { state.claims[$0] == nil }.count
            if strangers > 0 { state.complaints.append("\(strangers) tokens of no unit that returned") }
        }
    }
}
