import Howdah
import TestSupport

/// What one unit of work does; all of them store entries with the unit's token, except ``read``.
enum SoakAction: Sendable {
    /// Where the unit runs: in a context of its own, or in one of the handles that all tasks share.
    enum Place: Sendable { case once, shared(Int) }

    /// Stores so many entries by one save.
    case insert(Int, Place)
    /// Changes people whom the second process changes, too, under a merge policy, and stores an entry along with them.
    case update(Int, MergePolicy.MergeType, Place)
    /// Fetches people and their number.
    case read(Place)
    /// Stores entries by several saves of one transaction, which is run again after conflicts.
    case transaction(Isolation, saves: Int, Place)
    /// Stores entries by SQL of the program's own, in a transaction.
    case ownSQL
    /// Stores a stream of entries that come slowly.
    case stream(Int, pause: Duration)
    /// Changes people in the database itself, and stores an entry, in one transaction.
    case batchUpdate

    /// How many entries with the unit's token there are if it succeeds.
    var entries: Int {
        switch self {
        case .insert(let count, _), .stream(let count, _): count
        case .transaction(_, let saves, _): saves
        case .update, .ownSQL, .batchUpdate: 1
        case .read: 0
        }
    }

    /// One of the actions, with chosen numbers.
    static func random(using generator: inout SeededGenerator, handles: Int) -> SoakAction {
        let place: Place =
            generator.chance(50) ? .once : .shared(Int.random(in: 0..<handles, using: &generator))
        switch Int.random(in: 0..<100, using: &generator) {
        case 0..<25: return .insert(generator.pick([1, 1, 2, 12, 150]), place)
        case 25..<50:
            return .update(
                Int.random(in: 1...4, using: &generator), generator.pick(MergePolicy.MergeType.allCases),
                place)
        case 50..<65: return .read(place)
        case 65..<80:
            return .transaction(
                generator.pick(Isolation.allCases), saves: Int.random(in: 1...3, using: &generator), place)
        case 80..<87: return .ownSQL
        case 87..<94: return .batchUpdate
        default:
            return .stream(
                Int.random(in: 1...40, using: &generator),
                pause: .milliseconds(Int.random(in: 1...40, using: &generator)))
        }
    }
}
