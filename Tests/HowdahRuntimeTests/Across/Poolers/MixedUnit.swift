import TestSupport

/// A kind of unit of work.
enum MixedUnit: CaseIterable, Sendable {
    case fetch, insert, update, delete, count, batchUpdate, rawSelect, arrayUpdate, copyInsert, copyFetch,
        serializable

    /// One of the kinds, the cheap ones more often.
    static func random(using generator: inout SeededGenerator) -> MixedUnit {
        switch Int.random(in: 0..<100, using: &generator) {
        case 0..<22: .fetch
        case 22..<34: .insert
        case 34..<49: .update
        case 49..<58: .delete
        case 58..<67: .count
        case 67..<75: .batchUpdate
        case 75..<84: .rawSelect
        case 84..<91: .arrayUpdate
        case 91..<92: .copyInsert
        case 92..<93: .copyFetch
        default: .serializable
        }
    }
}
