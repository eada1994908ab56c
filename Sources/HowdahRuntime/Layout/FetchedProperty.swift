import HowdahModel

/// The runtime's data of a fetched property: its request, with the predicate read once.
final class FetchedProperty: Sendable {
    let name: String
    let description: FetchedPropertyDescription
    /// The predicate without values for its variables; nil for all objects.
    let predicate: PredicateTree?
    /// The reason why the predicate cannot be used; the first fetch throws it.
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
