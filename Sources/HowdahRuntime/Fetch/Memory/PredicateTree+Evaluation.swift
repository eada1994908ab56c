public import HowdahModel

extension PredicateTree {
    /// Whether the predicate holds for an object as it is in its context, with its unsaved changes.
    ///
    /// The answer is the one that a fetch gives once the object is saved, and types that do not compare are the same error. Faults and relationships on the way are loaded
    /// where they are not, which blocks; without any, nothing is asked of the store. For many objects use
    /// `filtered(using:)`, which prepares the predicate once.
    ///
    /// Source: Core Data's `NSPredicate.evaluate(with:)`.
    ///
    /// - Throws: `PredicateTreeError` for a predicate that is wrong or does not fit the object, such as one with a `$variable`
    ///   left; the context's failure where something on the way could not be loaded.
    public func evaluate(with object: ManagedObject) throws -> Bool {
        try !CollectionOfOne(object).filtered(using: self).isEmpty
    }

    /// Whether the predicate holds for values by name, such as a row of ``ManagedObjectContext/fetchDictionaries(_:)``.
    ///
    /// Dictionaries in it are led into by key paths, as are names with dots; arrays are those of array attributes. A name
    /// that is not there is nil. Strings are compared exactly unless the predicate says otherwise.
    ///
    /// - Throws: `PredicateTreeError` for a predicate that is wrong, and `argumentType` for a value that predicates do not know.
    public func evaluate(with values: [String: any Sendable]) throws -> Bool {
        try !CollectionOfOne(values).filtered(using: self).isEmpty
    }
}

extension Sequence where Element: ManagedObject {
    /// The objects that a predicate holds for, in their order, as they are in their context.
    ///
    /// Works on the result of a fetch as on a to-many relationship, and answers as `PredicateTree.evaluate(with:)`
    /// does. What is not loaded on the way is loaded for all objects that were fetched together: prefetch it where that is
    /// many. The predicate is prepared once.
    ///
    /// Source: Foundation's `filtered(using:)` of `NSArray`.
    ///
    /// - Throws: as `PredicateTree.evaluate(with:)`.
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
    /// Checks the operands of comparisons as a fetch of the entity does. What only fetches refuse passes.
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
    /// The rows that a predicate holds for, in their order.
    ///
    /// - Throws: as `PredicateTree.evaluate(with:)`.
    public func filtered(using predicate: PredicateTree) throws -> [Element] {
        let evaluator = try PredicateEvaluator(predicate)
        return try filter { values in
            let row = ValuesByName(values)
            if let error = row.error { throw error }
            return try evaluator.evaluate(row)
        }
    }
}
