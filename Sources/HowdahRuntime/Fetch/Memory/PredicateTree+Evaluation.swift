public import HowdahModel

extension PredicateTree {
    /// Returns a Boolean value that indicates whether an object matches, with its unsaved changes.
    ///
    /// The result is that of a fetch after you save the object, and types that do not compare are the same
    /// error. If faults and relationships on a key path are not loaded, they load, which blocks. Otherwise no
    /// statement is sent. For many objects use `filtered(using:)`, which prepares the predicate once.
    ///
    /// Source: Core Data's `NSPredicate.evaluate(with:)`.
    ///
    /// - Throws: `PredicateTreeError` for a predicate that is wrong or does not fit the object, such as one
    ///   with a remaining `$variable`. The context's failure if a fault on the path could not be loaded.
    public func evaluate(with object: ManagedObject) throws -> Bool {
        try !CollectionOfOne(object).filtered(using: self).isEmpty
    }

    /// Returns a Boolean value that indicates whether values by name match.
    ///
    /// You can pass a row of ``ManagedObjectContext/fetchDictionaries(_:)``. Key paths go into nested
    /// dictionaries, and into names with dots; arrays are those of array attributes. If a name is missing,
    /// its value is nil. Strings are compared exactly, unless the predicate has other options.
    ///
    /// - Throws: `PredicateTreeError` for a predicate that is wrong, and with `argumentType` for a value of
    ///   an unknown type.
    public func evaluate(with values: [String: any Sendable]) throws -> Bool {
        try !CollectionOfOne(values).filtered(using: self).isEmpty
    }
}

extension Sequence where Element: ManagedObject {
    /// Returns the objects that match a predicate, in their order, as they are in their context.
    ///
    /// It works on the result of a fetch and on a to-many relationship, with the result of
    /// `PredicateTree.evaluate(with:)`. Objects on key paths load for all objects that were fetched together:
    /// if these are many, prefetch them. The predicate is prepared once.
    ///
    /// Source: Foundation's `filtered(using:)` of `NSArray`.
    ///
    /// - Throws: The errors of `PredicateTree.evaluate(with:)`.
    public func filtered(using predicate: PredicateTree) throws -> [Element] {
        let evaluator = try PredicateEvaluator(predicate)
        var checked: Set<Int> = []
        return try filter { object in
            let layout = object.resolved.layout
            if checked.insert(layout.index).inserted {
                try object.managedObjectContext?.checkTypes(of: predicate, on: layout)
            }
            let holds = try evaluator.evaluate(object.resolved)
            // A fault that could not be filled has zero values, which say nothing.
            try object.managedObjectContext?.throwFailure()
            return holds
        }
    }
}

extension ManagedObjectContext {
    /// Checks the operands of comparisons as a fetch of the entity does. It ignores faults that only fetches
    /// refuse.
    ///
    /// - Throws: `PredicateTreeError` if two types do not compare: in memory, they would silently be unequal.
    fileprivate func checkTypes(of predicate: PredicateTree, on layout: EntityLayout) throws {
        var request = FetchRequest<ManagedObject>(entityName: layout.name)
        request.predicate = predicate
        do {
            _ = try RenderedFetch(request, layout: layout, layouts: layouts, ordered: false)
        } catch let error as PredicateTreeError where error.isTypeMismatch {
            throw error
        } catch {}
    }
}

extension Sequence where Element == [String: any Sendable] {
    /// Returns the rows that match a predicate, in their order.
    ///
    /// - Throws: The errors of `PredicateTree.evaluate(with:)`.
    public func filtered(using predicate: PredicateTree) throws -> [Element] {
        let evaluator = try PredicateEvaluator(predicate)
        return try filter { values in
            let row = ValuesByName(values)
            if let error = row.error { throw error }
            return try evaluator.evaluate(row)
        }
    }
}
