public import HowdahModel

/// A request that inserts rows into the database without making objects of them.
///
/// ```swift
/// let request = BatchInsertRequest(
///     Employee.self, objects: [["firstName": "Ada", "salary": 100, "department": departmentID]])
/// let result = try context.execute(request)
/// ```
/// If a closure fills objects, the compiler checks names and types:
///
/// ```swift
/// var numbers = (1...1_000_000).makeIterator()
/// let request = BatchInsertRequest(Employee.self, managedObjectHandler: { employee in
///     guard let number = numbers.next() else { return true }
///     employee.firstName = "Number \(number)"
///     return false
/// })
/// ```
/// A row is a dictionary. Its keys are the names of attributes, the names of to-one relationships, which take
/// an `ObjectID`, or dotted paths into composites. If a row does not name a property, the property gets the
/// model's default.
///
/// `ManagedObjectContext.execute(_:)` runs the request; a generator can run once. For streams see
/// `insert(into:from:)` of ``PersistentContainer``.
///
/// Source: Core Data's `NSBatchInsertRequest`.
public struct BatchInsertRequest<Object> {
    /// The type of result.
    public typealias ResultType = BatchResultType

    /// The entity's name; nil means the entity of `Object`.
    public var entityName: String?
    /// The policy for rows with unique values that a stored row has; nil means the context's merge policy.
    public var uniqueness: MergePolicy.MergeType?
    /// The properties of the uniqueness constraint that identifies stored rows. You need it if the entity has
    /// several.
    public var arbiter: [String] = []
    /// The treatment of rows that the model or the database refuses.
    public var refusedRows = RefusedRowPolicy.fail
    /// The type of result.
    public var resultType: ResultType
    let source: Source

    enum Source {
        case rows([[String: Any]])
        case literals([BatchInsertRow])
        case generator((inout [String: Any]) throws -> Bool)
        case objects((Object) throws -> Bool)
    }

    /// Creates a request to insert these rows.
    public init(
        _ type: Object.Type, entityName: String? = nil, objects rows: [[String: Any]],
        uniqueness: MergePolicy.MergeType? = nil, result: ResultType = .count
    ) {
        self.entityName = entityName
        self.uniqueness = uniqueness
        resultType = result
        source = .rows(rows)
    }

    /// Creates a request to insert these rows, whose values can be nil.
    @_disfavoredOverload
    public init(
        _ type: Object.Type, entityName: String? = nil, objects rows: [[String: (any Sendable)?]],
        uniqueness: MergePolicy.MergeType? = nil, result: ResultType = .count
    ) {
        self.init(
            type, entityName: entityName, objects: rows.map { BatchInsertRow($0) }, uniqueness: uniqueness,
            result: result)
    }

    /// Creates a request to insert these rows, written as literals.
    public init(
        _ type: Object.Type, entityName: String? = nil, objects rows: [BatchInsertRow],
        uniqueness: MergePolicy.MergeType? = nil, result: ResultType = .count
    ) {
        self.entityName = entityName
        self.uniqueness = uniqueness
        resultType = result
        source = .literals(rows)
    }

    /// Creates a request to insert the rows of a generator.
    ///
    /// The generator fills the dictionary, which is empty each time, and returns false. If there are no more
    /// rows, it returns true. It runs inside of the statement that writes the rows: it must not use the
    /// context, which refuses saves and other batches.
    public init(
        _ type: Object.Type, entityName: String? = nil,
        uniqueness: MergePolicy.MergeType? = nil, result: ResultType = .count,
        dictionaryHandler: @escaping (inout [String: Any]) throws -> Bool
    ) {
        self.entityName = entityName
        self.uniqueness = uniqueness
        resultType = result
        source = .generator(dictionaryHandler)
    }

    /// Creates a request to insert the rows of a generator that fills objects.
    ///
    /// The generator fills the object, which is new each time and has the initial values of its class, and
    /// returns false. If there are no more rows, it returns true.
    ///
    /// The object does not belong to a context, and its hooks are not called; do not keep it. You can set
    /// to-one relationships to objects of the context that runs the request; to-many ones are empty. With a
    /// uniqueness policy that merges by property, a row names only the properties that were set. The
    /// generator runs inside of the statement that writes the rows: it must not make the context query the
    /// database.
    public init(
        _ type: Object.Type, entityName: String? = nil,
        uniqueness: MergePolicy.MergeType? = nil, result: ResultType = .count,
        managedObjectHandler: @escaping (Object) throws -> Bool
    ) where Object: ManagedObject {
        self.entityName = entityName
        self.uniqueness = uniqueness
        resultType = result
        source = .objects(managedObjectHandler)
    }
}
