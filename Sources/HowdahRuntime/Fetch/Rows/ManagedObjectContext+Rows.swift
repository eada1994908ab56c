public import HowdahModel
import PQClient

extension ManagedObjectContext {
    /// Returns the values that a request describes: a dictionary for each row, or for each group if it
    /// groups.
    ///
    /// The call sends one statement and makes no objects. It queries only the store: as in Core Data, unsaved
    /// changes do not count. Rows are in the request's order, then in the order of their ids; groups are in
    /// the order of their fetched values.
    ///
    /// - Integers: `Int64`. Other attributes: their own type.
    /// - Composites: `[String: any Sendable]`.
    /// - To-ones: `ObjectID<ManagedObject>`.
    /// - Nil values: left out.
    ///
    /// Source: Core Data's `dictionaryResultType`.
    ///
    /// - Throws: The errors of ``fetch(_:)``; `FetchError.invalidRequest` also if a value differs within a
    ///   group, or if the request has a row lock.
    public func fetchDictionaries<Object: ManagedObject>(
        _ request: FetchRequest<Object>
    ) throws -> [[String: any Sendable]] {
        try rows(of: request) { try $0.dictionaries(in: $1) }
    }

    /// Returns the values of one attribute of the objects that a request describes.
    ///
    /// It works as ``fetchDictionaries(_:)``, with the attribute instead of
    /// ``FetchRequest/propertiesToFetch``.
    public func fetchValues<Object: ManagedObject, Value: AttributeValue>(
        of attribute: KeyPath<Object, Value>, _ request: FetchRequest<Object> = FetchRequest()
    ) throws -> [Value] {
        var request = request
        request.propertiesToFetch = [.property(attribute)]
        request.propertiesToGroupBy = []
        return try rows(of: request) { try $0.values(in: $1, as: Value.self) }
    }

    /// Returns the ids of the objects that a request describes, in its order.
    ///
    /// The call sends one statement that reads no values. Unsaved changes count as for ``fetch(_:)``; if
    /// there are any, objects are made. Objects that were never saved have temporary ids.
    ///
    /// Source: Core Data's `managedObjectIDResultType`.
    ///
    /// - Throws: The errors of ``fetch(_:)``.
    public func fetchObjectIDs<Object: ManagedObject>(
        _ request: FetchRequest<Object> = FetchRequest()
    ) throws -> [ObjectID<Object>] {
        var request = request
        request.relationshipKeyPathsForPrefetching = []
        // New objects of a parent have temporary ids, which no statement knows.
        if !backing.keysAreFinal || request.rowLock != nil
            || request.includesPendingChanges && hasUnsavedObjects
        {
            request.includesPropertyValues = false
            (request.propertiesToFetch, request.propertiesToGroupBy, request.havingPredicate) = ([], [], nil)
            return try fetch(request).map { $0.objectID.typed(as: Object.self) }
        }
        request.propertiesToFetch = [.objectID]
        (request.propertiesToGroupBy, request.havingPredicate) = ([], nil)
        request.returnsDistinctResults = false
        return try fetchDictionaries(request).compactMap {
            ($0[ResultColumn<Object>.objectIDKey] as? ObjectID<ManagedObject>)?.typed(as: Object.self)
        }
    }

    /// Runs a request and returns the type of result that its ``FetchRequest/resultType`` selects.
    ///
    /// Use it for requests from templates of the model.
    ///
    /// - Throws: The errors of ``fetch(_:)``.
    public func execute<Object: ManagedObject>(
        _ request: FetchRequest<Object>
    ) throws -> FetchResult<Object> {
        switch request.resultType {
        case .objectIDs: .objectIDs(try fetchObjectIDs(request))
        case .dictionaries: .dictionaries(try fetchDictionaries(request))
        case .count: .count(try count(for: request))
        default: .objects(try fetch(request))
        }
    }

    private func rows<Object: ManagedObject, T>(
        of request: FetchRequest<Object>, _ read: (ValueRows, QueryResult) throws -> [T]
    ) throws -> [T] {
        try throwFailures()
        return try root.storedRows(of: request, read)
    }

    private func storedRows<Object: ManagedObject, T>(
        of request: FetchRequest<Object>, _ read: (ValueRows, QueryResult) throws -> [T]
    ) throws -> [T] {
        let layout = try layout(for: request)
        if let error = request.predicate?.error { throw error }
        guard request.rowLock == nil else {
            throw FetchError(
                .invalidRequest, "A fetch of values cannot lock rows. Fetch the objects with the lock.")
        }
        do {
            let statement = try ValueStatement(request, layout: layout, layouts: layouts)
            return try withConnection { connection in
                let subject = StatementSubject(.select, layout.table.subject, comment: request.comment)
                let result = try connection.query(statement.sql, statement.parameters, about: subject)
                return try read(ValueRows(context: self, statement: statement), result)
            }
        } catch {
            throw store.readError(error, of: layout, patterns: request.patterns, search: request.search)
        }
    }
}
