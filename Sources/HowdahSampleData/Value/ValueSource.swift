import Foundation
import HowdahModel

/// The values that an attribute of one type gets: the edges, and how others are drawn.
struct ValueSource: Sendable {
    /// What is likely to break something; not checked against the attribute's rules yet.
    var edges: [Value]
    /// Draws one of the others.
    var draw: @Sendable (inout SplitMix64) -> Value?

    /// - Parameter isIndexed: an index over it takes values of some 2,000 bytes at most.
    init(_ attribute: AttributeDescription, pattern: PredicatePattern?, isIndexed: Bool) {
        let source: ValueSource =
            switch attribute.type.kind {
            case .integer16: .integers(attribute, Int64(Int16.min), Int64(Int16.max))
            case .integer32: .integers(attribute, Int64(Int32.min), Int64(Int32.max))
            case .integer64: .integers(attribute, .min, .max)
            case .decimal: .decimals(attribute)
            case .double: .doubles(attribute)
            case .float: .floats(attribute)
            case .string: .texts(attribute, pattern, isIndexed)
            case .boolean: ValueSource([.bool(false), .bool(true)]) { .bool($0.chance(1, in: 2)) }
            case .date: .dates(attribute)
            case .transformable where attribute.isStoredAsJSON: .documents
            case .binary, .transformable: .bytes(isIndexed)
            case .uuid: .uuids
            case .uri: .addresses
            case .array(let element): .arrays(of: element, isIndexed)
            case .undefined, .composite: ValueSource([]) { _ in nil }
            }
        self = source
        if !attribute.allowedValues.isEmpty {
            let allowed = attribute.allowedValues
            edges = allowed
            draw = { $0.pick(allowed) }
        }
        if let value = attribute.defaultValue { edges.append(value) }
    }

    init(_ edges: [Value], draw: @escaping @Sendable (inout SplitMix64) -> Value?) {
        self.edges = edges
        self.draw = draw
    }
}
