extension FetchIndexDescription {
    /// `others` and one index for each group of properties, called after them as older model files' indexes are.
    package static func indexes(
        on groups: [[String]], besides others: [FetchIndexDescription] = []
    ) -> [FetchIndexDescription] {
        var names = Set(others.map(\.name))
        return others
            + groups.filter { !$0.isEmpty }.map { properties in
                var name = Self.name(for: properties)
                while !names.insert(name).inserted { name += "2" }
                return FetchIndexDescription(name, elements: properties.map { FetchIndexElement($0) })
            }
    }

    private static func name(for properties: [String]) -> String {
        "by" + properties.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined(separator: "And")
    }
}

/// `["lastName", "firstName"]` is an index on both, called `byLastNameAndFirstName`.
extension FetchIndexDescription: ExpressibleByArrayLiteral {
    /// Describes a B-tree on elements, called after their properties.
    public init(arrayLiteral elements: FetchIndexElement...) {
        let names = elements.map { element in
            switch element.subject {
            case .property(let keyPath): keyPath
            case .folded(let keyPath, _): keyPath + "Folded"
            case .expression: "expression"
            }
        }
        self.init(Self.name(for: names), elements: elements)
    }
}

/// A key path in ascending order.
extension FetchIndexElement: ExpressibleByStringLiteral {
    /// The property at a key path.
    public init(stringLiteral keyPath: String) { self.init(keyPath) }
}
