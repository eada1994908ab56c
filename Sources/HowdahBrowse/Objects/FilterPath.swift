import HowdahModel

/// A key path as a filter has it: names that are words of predicates, such as `in` and `nil`, have a mark.
enum FilterPath {
    static func text(_ path: String) -> String {
        let end = " == 1"
        guard let tree = try? PredicateTree(format: "%K == 1", path), tree.description.hasSuffix(end) else {
            return path
        }
        return String(tree.description.dropLast(end.count))
    }
}
