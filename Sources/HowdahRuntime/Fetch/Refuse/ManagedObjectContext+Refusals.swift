public import Foundation
public import HowdahModel

/// Calls from Core Data or SwiftData that the compiler refuses, with a message that says how to write them
/// here.
///
/// An unavailable overload is chosen only if no other fits. Key paths are parameters of function type. If
/// they had a key path's type, the compiler would no longer name a misspelt property in `.ascending(\.nmae)`.
extension ManagedObjectContext {
    /// Refuses `predicate:`.
    @available(
        *, unavailable,
        message: "write 'where:' for a #Predicate, 'matching:' for .format(…) and any other PredicateTree"
    )
    public func fetch<Object: ManagedObject>(
        _ type: Object.Type, predicate: Predicate<Object>?, sortedBy sortKeys: SortKey<Object>...,
        limit: Int = 0, offset: Int = 0
    ) throws -> [Object] { _Emitted.refused() }

    /// Refuses `predicate:`.
    @available(
        *, unavailable,
        message: "write 'where:' for a #Predicate, 'matching:' for .format(…) and any other PredicateTree"
    )
    public func fetch<Object: ManagedObject>(
        _ type: Object.Type, predicate: PredicateTree?, sortedBy sortKeys: SortKey<Object>...,
        limit: Int = 0, offset: Int = 0
    ) throws -> [Object] { _Emitted.refused() }

    /// Refuses `predicate:`.
    @available(*, unavailable, message: "write 'matching:' for .format(…) and any other PredicateTree")
    public func fetch(
        _ entityName: String, predicate: PredicateTree?, sortedBy sortKeys: SortKey<ManagedObject>...,
        limit: Int = 0, offset: Int = 0
    ) throws -> [ManagedObject] { _Emitted.refused() }

    /// Refuses `predicate:`.
    @available(
        *, unavailable,
        message: "write 'where:' for a #Predicate, 'matching:' for .format(…) and any other PredicateTree"
    )
    public func count<Object: ManagedObject>(_ type: Object.Type, predicate: Predicate<Object>?) throws -> Int
    {
        _Emitted.refused()
    }

    /// Refuses `predicate:`.
    @available(
        *, unavailable,
        message: "write 'where:' for a #Predicate, 'matching:' for .format(…) and any other PredicateTree"
    )
    public func count<Object: ManagedObject>(_ type: Object.Type, predicate: PredicateTree?) throws -> Int {
        _Emitted.refused()
    }

    /// Refuses a key path as an order.
    @available(
        *, unavailable, message: "write 'sortedBy: .ascending(\\.name)' or 'sortedBy: .descending(\\.name)'"
    )
    @_disfavoredOverload
    public func fetch<Object: ManagedObject, Value>(
        _ type: Object.Type, where predicate: Predicate<Object>, sortedBy property: (Object) -> Value,
        limit: Int = 0, offset: Int = 0
    ) throws -> [Object] { _Emitted.refused() }

    /// Refuses a key path as an order.
    @available(
        *, unavailable, message: "write 'sortedBy: .ascending(\\.name)' or 'sortedBy: .descending(\\.name)'"
    )
    @_disfavoredOverload
    public func fetch<Object: ManagedObject, Value>(
        _ type: Object.Type, matching predicate: PredicateTree? = nil, sortedBy property: (Object) -> Value,
        limit: Int = 0, offset: Int = 0
    ) throws -> [Object] { _Emitted.refused() }

    /// Refuses Foundation's sort descriptors.
    @available(
        *, unavailable,
        message:
            "the store sorts by a SortKey. Write 'sortedBy: .ascending(\\.name)' in place of a SortDescriptor"
    )
    @_disfavoredOverload
    public func fetch<Object: ManagedObject>(
        _ type: Object.Type, where predicate: Predicate<Object>, sortedBy order: SortDescriptor<Object>...,
        limit: Int = 0, offset: Int = 0
    ) throws -> [Object] { _Emitted.refused() }

    /// Refuses Foundation's sort descriptors.
    @available(
        *, unavailable,
        message:
            "the store sorts by a SortKey. Write 'sortedBy: .ascending(\\.name)' in place of a SortDescriptor"
    )
    @_disfavoredOverload
    public func fetch<Object: ManagedObject>(
        _ type: Object.Type, matching predicate: PredicateTree? = nil,
        sortedBy order: SortDescriptor<Object>..., limit: Int = 0, offset: Int = 0
    ) throws -> [Object] { _Emitted.refused() }
}
