import Foundation
import HowdahModel

extension Value {
    /// Returns true if the stored values differ at most in the formatting of JSON.
    func isStoredLike(_ other: Value, _ attribute: AttributeDescription) -> Bool {
        switch (self, other) {
        case (.data(let a), .data(let b)) where attribute.isStoredAsJSON && a != b:
            let depth = GraphJSONWriter.documentDepth
            guard let a = try? JSONValueReader.read(Array(a), maximumDepth: depth),
                let b = try? JSONValueReader.read(Array(b), maximumDepth: depth)
            else { return false }
            return a.canonical == b.canonical
        case (.composite(let a), .composite(let b)):
            guard let elements = attribute.type.composite?.elements, a.count == b.count,
                a.count == elements.count
            else { return false }
            return elements.indices.allSatisfy { place in
                !elements[place].isStored || a[place].isStoredLike(b[place], elements[place])
            }
        default: return normalized.isIdentical(to: other.normalized)
        }
    }
}
