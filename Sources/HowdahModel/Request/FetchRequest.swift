/// The description of a fetch: the entity, the predicate, the order, and the parts of the objects to read.
///
/// It is a plain value without a context or connection. You can keep, copy and send it.
///
/// Source: Core Data's `NSFetchRequest`; defaults are the same.
public struct FetchRequest<Object>: Sendable {
    /// The entity's name; nil means the entity of `Object`.
    public var entityName: String?

    /// The condition that fetched objects satisfy; nil means all objects.
    public var predicate: PredicateTree?

    /// Words that texts of the objects must also contain; nil means none.
    ///
    /// If the request has no order, the best matches are first. A request with a search queries only the
    /// store.
    public var search: TextSearch?

    /// The order. Objects that are equal in all criteria are in the order of their ids.
    public var sortDescriptors: [SortKey<Object>] = []

    /// The maximum number of objects; 0 means no limit.
    public var fetchLimit = 0

    /// The number of objects to skip at the start of the order.
    public var fetchOffset = 0

    /// A Boolean value that indicates whether objects of sub-entities are fetched too; true by default.
    public var includesSubentities = true

    /// A Boolean value that indicates whether unsaved changes of the context count; true by default.
    ///
    /// If it is true, new objects that match are found, and objects that were deleted or no longer match are
    /// not. Order, limit and offset apply to the whole. If it is false, the fetch queries only the store. A
    /// request with ``rowLock`` always does.
    public var includesPendingChanges = true

    /// A Boolean value that indicates whether objects are returned as faults whose rows are in the row cache;
    /// true by default.
    ///
    /// If it is false, they are filled at once.
    public var returnsObjectsAsFaults = true

    /// A Boolean value that indicates whether the values of rows are read; true by default.
    ///
    /// If it is false, only ids are read, and the first access to a fault costs a query.
    public var includesPropertyValues = true

    /// The relationships to load in the same call, with one statement per step of each key path, or a join if one row is
    /// fetched.
    public var relationshipKeyPathsForPrefetching: [String] = []

    /// A Boolean value that indicates whether access to one object's relationship loads it for all objects of
    /// this fetch.
    ///
    /// It is true by default. A loop over the result then costs one query instead of one per object. Not in
    /// Core Data.
    public var loadsCohorts = true

    /// A Boolean value that indicates whether objects that the context knows already get the fetched values;
    /// false by default.
    ///
    /// Objects with unsaved changes keep theirs.
    public var shouldRefreshRefetchedObjects = false

    /// The lock on the fetched rows until the transaction ends; nil means none.
    ///
    /// It needs `perform(isolation:)`. Objects that the context knew already get the values that were locked,
    /// as by ``shouldRefreshRefetchedObjects``. Rows that are joined for a predicate or an order are not
    /// locked, and neither are prefetched ones. Not in Core Data.
    public var rowLock: RowLock?

    /// The type of result of `ManagedObjectContext.execute(_:)`; the other calls name theirs.
    public var resultType = FetchRequestTemplate.ResultType.objects

    /// The content of fetched dictionaries; empty means all stored attributes.
    ///
    /// In a fetch of objects, it selects the attributes and to-ones to read; empty means all. The objects are
    /// then partial faults: access to another property loads the rest for all of them. Aggregates and longer
    /// key paths are refused there.
    public var propertiesToFetch: [ResultColumn<Object>] = []

    /// The properties whose values form the groups of a fetch of dictionaries, with one row for each group.
    ///
    /// If this is empty and an aggregate is fetched, all rows are one group.
    public var propertiesToGroupBy: [ResultColumn<Object>] = []

    /// The condition that fetched groups satisfy; it needs groups.
    ///
    /// It compares fetched or grouped properties with values. Name a property or aggregate by its name, or as
    /// a variable of that name.
    public var havingPredicate: PredicateTree?

    /// A Boolean value that indicates whether equal dictionaries or values are returned once; false by
    /// default.
    ///
    /// Objects are always distinct.
    public var returnsDistinctResults = false

    /// The number of objects that are loaded together; 0 means all at once.
    ///
    /// If it is not 0, the fetch returns ids. Access to an object loads it and the next ones in the result.
    public var fetchBatchSize = 0

    /// The origin of the request; see ``tagged(_:file:line:)``.
    package var tag: String?

    /// Creates a request for all objects of `entityName`, or of the entity of `Object`.
    public init(entityName: String? = nil) { self.entityName = entityName }
}
