import HowdahModel

/// The parts of a request that determine its result, and the principal for whom it is evaluated.
///
/// Subscribers with equal keys share one result. Two principals may see different objects, so they never share.
struct ResultKey: Hashable, Sendable {
    let entity: String
    let includesSubentities: Bool
    let predicate: PredicateTree?
    /// The text of the predicate by its bytes, because texts of Swift that look alike are equal.
    private let predicateText: [UInt8]
    private let order: [[UInt8]]
    let limit: Int
    let sections: String?
    private let prefetched: [String]
    private let values: Set<String>
    /// The principal; nil for none.
    let principal: String?

    init(
        _ request: FetchRequest<ManagedObject>, entity: String, sections: String?, values: Set<String> = [],
        principal: String? = nil
    ) {
        self.entity = entity
        includesSubentities = request.includesSubentities
        predicate = request.predicate
        predicateText = Array((request.predicate?.description ?? "").utf8)
        order = request.sortDescriptors.map {
            Array("\($0.keyPath) \($0.isAscending) \($0.locale ?? "")".utf8)
        }
        limit = request.fetchLimit
        self.sections = sections
        prefetched = request.relationshipKeyPathsForPrefetching
        self.values = values
        self.principal = principal
    }
}
