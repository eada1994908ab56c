extension EntityDescription {
    /// The fetch indexes, with those that attributes ask for by ``MappingKey/foldedIndex``, called after them.
    package var allFetchIndexes: [FetchIndexDescription] {
        let marked = properties.compactMap(\.attribute).flatMap { attribute in
            AttributeLeaf.leaves(of: attribute, column: "").compactMap { leaf in
                leaf.description.userInfo[MappingKey.foldedIndex]
                    .flatMap(PredicateTree.Options.init(letters:))
                    .map { FetchIndexElement.folded(leaf.path.joined(separator: "."), options: $0) }
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
