import Foundation
import TestSupport

/// What befalls the server, the network, and the rows.
enum SoakTrouble: Sendable {
    /// A session of the container is ended.
    case terminate
    /// A backend is stopped and goes on after a while.
    case stop(Duration)
    /// The network carries nothing for a while.
    case silence(Duration)
    /// For a while one of so many messages breaks its connection.
    case cuts(oneIn: Int, Duration)
    /// For a while one of so many answers to COMMIT is lost with its connection.
    case droppedCommits(oneIn: Int, Duration)
    /// A second process renames so many people.
    case rename(Int)
    /// A second process deletes so many people.
    case delete(Int)
    /// A second process adds so many people.
    case add(Int)
    /// Nothing happens.
    case calm(Duration)

    /// The word by which `HOWDAH_SOAK_WITHOUT=stop,silence` leaves troubles out.
    var name: String {
        switch self {
        case .terminate: "terminate"
        case .stop: "stop"
        case .silence: "silence"
        case .cuts: "cuts"
        case .droppedCommits: "droppedCommits"
        case .rename: "rename"
        case .delete: "delete"
        case .add: "add"
        case .calm: "calm"
        }
    }

    /// The troubles that are left out.
    static let excluded = Set(
        (ProcessInfo.processInfo.environment["HOWDAH_SOAK_WITHOUT"] ?? "").split(separator: ",").map(
            String.init))

    /// One of the troubles; what stops outlasts the grace.
    static func random(using generator: inout SeededGenerator) -> SoakTrouble {
        let trouble = choice(using: &generator)
        return excluded.contains(trouble.name) ? .calm(.milliseconds(100)) : trouble
    }

    private static func choice(using generator: inout SeededGenerator) -> SoakTrouble {
        func milliseconds(_ range: ClosedRange<Int>) -> Duration {
            .milliseconds(Int.random(in: range, using: &generator))
        }
        switch Int.random(in: 0..<100, using: &generator) {
        case 0..<12: return .terminate
        case 12..<16: return .stop(milliseconds(5_000...8_000))
        case 16..<18: return .silence(milliseconds(4_500...6_000))
        case 18..<28: return .cuts(oneIn: generator.pick([20, 100, 400]), milliseconds(100...600))
        case 28..<34: return .droppedCommits(oneIn: generator.pick([1, 3, 10]), milliseconds(100...500))
        case 34..<52: return .rename(Int.random(in: 1...30, using: &generator))
        case 52..<66: return .delete(Int.random(in: 1...5, using: &generator))
        case 66..<76: return .add(Int.random(in: 1...8, using: &generator))
        default: return .calm(milliseconds(20...300))
        }
    }
}
