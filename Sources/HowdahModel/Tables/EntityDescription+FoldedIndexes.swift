extension EntityDescription {
    /// The fetch indexes, with those that attributes ask for by ``MappingKey/foldedIndex`` and
    /// ``MappingKey/localeIndex``, called after them.
    package var allFetchIndexes: [FetchIndexDescription] {
        let marked = properties.compactMap(\.attribute).flatMap { attribute in
            AttributeLeaf.leaves(of: attribute, column: "").flatMap { leaf in
                let (path, keys) = (leaf.path.joined(separator: "."), leaf.description.userInfo)
                let folded = keys[MappingKey.foldedIndex].flatMap(PredicateTree.Options.init(letters:))
                    .map { FetchIndexElement.folded(path, options: $0) }
                let localized = keys[MappingKey.localeIndex].map {
                    FetchIndexElement.localized(path, locale: $0)
                }
                return [folded, localized].compactMap(\.self)
            }
        }
        let whole = fetchIndexes.filter { $0.method == .btree && $0.partialIndexPredicate == nil }
        let taken = Set(whole.map(\.elements))
        return fetchIndexes
            + marked.filter { !taken.contains([$0]) }.map { element in
                var index: FetchIndexDescription = [element]
                while fetchIndexes.contains(where: { $0.name == index.name }) { index.name += "2" }
                return index
            }
    }
}
