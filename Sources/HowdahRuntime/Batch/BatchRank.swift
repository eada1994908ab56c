import Foundation
import HowdahModel

/// The rank of a row with unique values. The order is the same for all programs.
struct BatchRank: Comparable {
    private enum Part: Comparable {
        case nothing
        case number(Int64)
        case text(String)
    }

    private let parts: [Part]

    init(_ values: [Value]) {
        parts = values.map { value in
            switch value {
            case .null: .nothing
            case .int(let number): .number(number)
            case .data(let data): .text(data.base64EncodedString())
            case .date(let date): .text("\(date.timeIntervalSinceReferenceDate)")
            default: .text(value.quotedText ?? "\(value)")
            }
        }
    }

    static func < (left: Self, right: Self) -> Bool { left.parts.lexicographicallyPrecedes(right.parts) }
}
