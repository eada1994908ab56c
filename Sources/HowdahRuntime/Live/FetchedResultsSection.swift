public import HowdahModel

/// A section of a followed result: the objects with one value of the key path that names sections.
///
/// Source: Core Data's `NSFetchedResultsSectionInfo`.
public struct FetchedResultsSection<Object: ManagedObject>: Hashable, Sendable {
    /// The value of the sections' key path as text; empty without sections.
    public var name: String
    /// The ids of the objects, in the order of the request.
    public var objectIDs: [ObjectID<Object>]

    /// Creates a section.
    public init(name: String, objectIDs: [ObjectID<Object>]) {
        self.name = name
        self.objectIDs = objectIDs
    }
}

extension ResultList<ObjectID<ManagedObject>> {
    /// Returns the sections, typed by a class.
    func sections<Object: ManagedObject>(of type: Object.Type) -> [FetchedResultsSection<Object>] {
        sections.map { FetchedResultsSection(name: $0.name, objectIDs: $0.rows.map { $0.typed() }) }
    }
}

extension Array {
    /// Changes the sections of a former update as a difference says.
    ///
    /// ```swift
    /// switch update {
    /// case .snapshot(let all): sections = all
    /// case .changes(let difference): sections.apply(difference)
    /// }
    /// ```
    public mutating func apply<Object>(_ difference: FetchedResultsDifference<Object>)
    where Element == FetchedResultsSection<Object> {
        var list = ResultList<ObjectID<Object>>()
        list.sections = map { ResultList.Section(name: $0.name, rows: $0.objectIDs) }
        list.apply(difference.plain)
        self = list.sections.map { FetchedResultsSection(name: $0.name, objectIDs: $0.rows) }
    }
}
