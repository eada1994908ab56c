import HowdahModel

extension ValueSource {
    /// Arrays of none, of all edges of the elements, and of a few drawn ones.
    static func arrays(of type: AttributeType, _ isIndexed: Bool) -> Self {
        let elements = ValueSource(AttributeDescription("element", type), pattern: nil, isIndexed: isIndexed)
        let edges: [Value] = [
            .array([]), .array(isIndexed ? Array(elements.edges.prefix(1)) : elements.edges),
        ]
        return Self(edges) { random in
            let count = random.below(4)
            return .array((0..<count).compactMap { _ in elements.draw(&random) })
        }
    }
}
