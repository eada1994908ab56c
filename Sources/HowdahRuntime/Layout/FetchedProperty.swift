import HowdahModel

/// A fetched property as the runtime handles it: its request, with the predicate read once.
final class FetchedProperty: Sendable {
    let name: String
    let description: FetchedPropertyDescription
    /// Without values for its variables; nil for all objects.
    let predicate: PredicateTree?
    /// Why the predicate cannot be used; thrown by the first fetch.
    let complaint: PredicateTreeError?

    init(_ description: FetchedPropertyDescription) {
        name = description.name
        self.description = description
        var predicate: PredicateTree?
        var complaint: PredicateTreeError?
        if let format = description.fetchRequest.predicateFormat {
            do {
                predicate = try PredicateTree(format: format)
            } catch {
                complaint = error
            }
        }
        self.predicate = predicate
        self.complaint = complaint
    }
}
