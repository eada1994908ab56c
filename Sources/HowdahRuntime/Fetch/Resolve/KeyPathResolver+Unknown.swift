package import HowdahModel

/// Finds all keys of a predicate that the model does not have.
extension KeyPathResolver {
    /// A key path that ends at an unknown key.
    package struct UnknownKey {
        package let error: PredicateTreeError
        /// The number of known keys before it.
        package let knownKeys: Int
        package let suggestion: Suggestion

        /// The property that you probably mean, the likeliest first.
        package enum Suggestion: Hashable, Sendable {
            /// The property of that name has another name now.
            case renamed(String)
            /// A property with a similar name.
            case nearest(String)
            /// A sub-entity has the property.
            case subentity(String)
            case none

            /// The end of a sentence about the key.
            var text: String {
                switch self {
                case .renamed(let name): "Use its new name '\(name)'."
                case .nearest(let name): "Did you mean '\(name)'?"
                case .subentity(let name): "Use its sub-entity \(name), which has that property."
                case .none: "Correct the name."
                }
            }

            /// The rank; 0 for the likeliest.
            package var rank: Int {
                switch self {
                case .renamed: 0
                case .nearest: 1
                case .subentity: 2
                case .none: 3
                }
            }
        }
    }

    /// Returns the key paths of a predicate that the model does not have, each once, in the order of the predicate.
    func unknownKeys(in keyPaths: [[String]], of layout: EntityLayout) -> [UnknownKey] {
        var seen: Set<[String]> = []
        return keyPaths.filter { seen.insert($0).inserted }.compactMap { unknownKey(in: $0, of: layout) }
    }

    private func unknownKey(in path: [String], of start: EntityLayout) -> UnknownKey? {
        var layout = start
        for (place, name) in path.enumerated() where PredicateTree.KeyPathOperator(rawValue: name) == nil {
            guard let slot = layout.slotsByName[name] else {
                if name == "entity", layout.fetchedProperties[name] == nil { return nil }
                let error = unknown(name, of: path[...], in: layout)
                guard error.code == .unknownKey else { return nil }
                return UnknownKey(
                    error: error, knownKeys: place, suggestion: suggestion(for: name, in: layout))
            }
            let property = layout.slots[slot]
            switch property.kind {
            case .attribute(let attribute):
                let rest = path[(place + 1)...].prefix { PredicateTree.KeyPathOperator(rawValue: $0) == nil }
                do {
                    _ = try leaves(
                        of: attribute.description, rest, "\(layout.name).\(name)",
                        start: property.columns.lowerBound)
                } catch let error as PredicateTreeError where error.code == .unknownKey {
                    return UnknownKey(error: error, knownKeys: place + 1, suggestion: .none)
                } catch {
                    // It is known, and something else about it is wrong.
                }
                return nil
            case .toOne(let relationship), .toMany(let relationship):
                layout = layouts[relationship.destination]
            }
        }
        return nil
    }
}
