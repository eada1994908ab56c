import Foundation
import HowdahModel
import HowdahRuntime

/// The filter for objects that have the same value as an object that is shown, or none as well.
struct SameValue {
    let attribute: AttributeDescription
    let cell: BrowseCell

    /// The filter; nil for values that are cut, masked or not comparable by a short text.
    var filter: String? {
        if cell == .null {
            return attribute.isOptional ? readable("\(PredicateTree.filterPath(attribute.name)) == nil") : nil
        }
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
        case .date:
            return Self.date(text).flatMap {
                readable("\(PredicateTree.filterPath(attribute.name)) == \($0)")
            }
        default: return nil
        }
        return (try? PredicateTree(format: "%K == %@", attribute.name, value))?.description
    }

    /// Returns a filter that can be read; nil if the attribute has a name that cannot be typed, or a type that is not compared.
    private func readable(_ filter: String) -> String? {
        ShownColumns.isCompared(attribute.type) && (try? PredicateTree(filter: filter)) != nil ? filter : nil
    }

    /// Returns a date as a filter has it; nil for an infinite one, and for years without four digits.
    private static func date(_ text: String) -> String? {
        let form = /(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d+)?)([+-]\d\d)(:\d\d)?/
        guard let parts = text.wholeMatch(of: form) else { return nil }
        let zone = "\(parts.3)\(parts.4 ?? ":00")"
        return "\(parts.1)T\(parts.2)\(zone == "+00:00" ? "Z" : zone)"
    }
}
