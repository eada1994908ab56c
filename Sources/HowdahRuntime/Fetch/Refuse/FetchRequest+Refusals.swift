public import Foundation
public import HowdahModel

extension FetchRequest where Object: ManagedObject {
    /// Refuses to assign a `#Predicate`, which the database may not be able to evaluate.
    @available(
        *, unavailable,
        message: """
            write 'FetchRequest(where: #Predicate { … })' for a new request, or \
            'request.predicate = try PredicateTree(#Predicate<Class> { … })'
            """
    )
    @_disfavoredOverload
    public var predicate: Predicate<Object>? {
        get { nil }
        set { _ = newValue }
    }

    /// Refuses Foundation's sort descriptors.
    @available(
        *, unavailable,
        message: "the store sorts by SortKeys. Write 'request.sortDescriptors = [.ascending(\\.name)]'"
    )
    @_disfavoredOverload
    public var sortDescriptors: [SortDescriptor<Object>] {
        get { [] }
        set { _ = newValue }
    }
}

extension FetchRequest where Object: ManagedObject {
    /// Refuses `predicate:`.
    @available(
        *, unavailable,
        message: "write 'FetchRequest(where: #Predicate { … })', then set 'sortDescriptors'"
    )
    public init(predicate: Predicate<Object>?, sortBy: [SortDescriptor<Object>] = []) { _Emitted.refused() }

    /// Refuses `predicate:`.
    @available(
        *, unavailable,
        message: "write 'var request = FetchRequest<Class>()', then 'request.predicate = .format(…)'"
    )
    public init(predicate: PredicateTree?) { _Emitted.refused() }
}

extension Predicate {
    /// Refuses a format instead of a `#Predicate`.
    @available(
        *, unavailable,
        message: "'where:' takes a #Predicate. Write 'matching: .format(…)' for a format"
    )
    public static func format(_ format: String, _ arguments: (any Sendable)?...) -> Self {
        _Emitted.refused()
    }
}
