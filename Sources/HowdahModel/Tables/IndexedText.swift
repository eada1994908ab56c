/// A text as indexes hold it: a column as it is compared where nothing is said, or folded otherwise.
struct IndexedText: Hashable {
    let column: String
    let folding: PredicateTree.Options
}
