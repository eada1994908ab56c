import Foundation
import HowdahModel
import HowdahRuntime

/// The filter for objects that have the same value as an object that is shown.
struct SameValue {
    let attribute: AttributeDescription
    let cell: BrowseCell

    /// The filter; nil for values that are cut, masked or not comparable by a short text.
    var filter: String? {
        guard case .text(let text, nil) = cell, text.count <= 100 else { return nil }
        let value: any Sendable
        switch attribute.type.kind {
        case .string: value = text
        case .integer16, .integer32, .integer64:
            guard let number = Int64(text) else { return nil }
            value = number
        case .decimal:
            guard let number = Decimal(string: text) else { return nil }
            value = number
        case .boolean: value = text == "true"
        default: return nil
        }
        return (try? PredicateTree(format: "%K == %@", attribute.name, value))?.description
    }
}
