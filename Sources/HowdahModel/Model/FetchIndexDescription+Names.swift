extension FetchIndexDescription {
    /// Returns `others` and one index for each group of properties, with the names of older model files'
    /// indexes.
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

/// `["lastName", "firstName"]` is an index on both, with the name `byLastNameAndFirstName`.
extension FetchIndexDescription: ExpressibleByArrayLiteral {
    /// Creates a B-tree on elements, with a name made from their properties.
    public init(arrayLiteral elements: FetchIndexElement...) {
        let names = elements.map { element in
            switch element.subject {
            case .property(let keyPath): keyPath
            case .folded(let keyPath, _): keyPath + "Folded"
            case .localized(let keyPath, let locale):
                keyPath + "In"
                    + locale.split(separator: "-").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
            case .expression: "expression"
            }
        }
        self.init(Self.name(for: names), elements: elements)
    }
}

/// A string literal is a key path in ascending order.
extension FetchIndexElement: ExpressibleByStringLiteral {
    /// Creates an element for the property at a key path.
    public init(stringLiteral keyPath: String) { self.init(keyPath) }
}
