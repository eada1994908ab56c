public import Foundation
public import HowdahModel

extension PersistentContainer {
    /// Returns the result of a request, and then its changes by all programs, as an asynchronous sequence that ends when
    /// the container is closed.
    ///
    /// ```swift
    /// for try await update in container.fetchedResults(Employee.self, sortedBy: .ascending(\.lastName)) {
    ///     switch update {
    ///     case .snapshot(let sections): show(sections)
    ///     case .changes(let difference): change(difference)
    ///     }
    /// }
    /// ```
    /// The sequence computes changes when you ask for them, so a slow loop costs nothing and gets several changes as one.
    /// All results of a container share one look at the history, and equal requests one evaluation. The store needs a
    /// history.
    ///
    /// - Parameters:
    ///   - request: The request. Its `fetchLimit` counts the objects of all sections together. Prefetched relationships
    ///     are not loaded, but a change of their objects is an update of the object that refers to them.
    ///   - sections: The key path of the attribute that divides the result into sections, which must be the first sort
    ///     key; nil for one section.
    /// - Returns: The sequence. Its loop throws `FetchError` with `invalidRequest` for a request that cannot be followed,
    ///   and the other errors of a fetch; ``HistoryError`` with `noHistory`; and `CancellationError`.
    public func fetchedResults<Object: ManagedObject>(
        _ request: FetchRequest<Object>, sectionedBy sections: String? = nil
    ) -> FetchedResults<Object> {
        FetchedResults(container: self, request: request, sections: sections, complaint: nil)
    }

    /// Returns the objects of a class that match a `#Predicate`, and then the changes of the result; see
    /// ``fetchedResults(_:sectionedBy:)``.
    public func fetchedResults<Object: ManagedObject>(
        _ type: Object.Type, where predicate: Predicate<Object>, sortedBy sortKeys: SortKey<Object>...,
        limit: Int = 0
    ) -> FetchedResults<Object> {
        var request = FetchRequest(where: predicate)
        (request.sortDescriptors, request.fetchLimit) = (sortKeys, limit)
        return fetchedResults(request)
    }

    /// Returns the objects of a class that match a `#Predicate`, in sections, and then the changes of the result; see
    /// ``fetchedResults(_:sectionedBy:)``.
    public func fetchedResults<Object: ManagedObject, Section: AttributeValue>(
        _ type: Object.Type, where predicate: Predicate<Object>, sortedBy sortKeys: SortKey<Object>...,
        limit: Int = 0, sectionedBy sections: KeyPath<Object, Section>
    ) -> FetchedResults<Object> {
        var request = FetchRequest(where: predicate)
        (request.sortDescriptors, request.fetchLimit) = (sortKeys, limit)
        return fetchedResults(request, sections)
    }

    /// Returns the objects of a class that match a predicate, and then the changes of the result; see
    /// ``fetchedResults(_:sectionedBy:)``.
    public func fetchedResults<Object: ManagedObject>(
        _ type: Object.Type, matching predicate: PredicateTree? = nil,
        sortedBy sortKeys: SortKey<Object>..., limit: Int = 0
    ) -> FetchedResults<Object> {
        fetchedResults(Self.request(predicate, sortKeys, limit))
    }

    /// Returns the objects of a class that match a predicate, in sections, and then the changes of the result; see
    /// ``fetchedResults(_:sectionedBy:)``.
    public func fetchedResults<Object: ManagedObject, Section: AttributeValue>(
        _ type: Object.Type, matching predicate: PredicateTree? = nil,
        sortedBy sortKeys: SortKey<Object>..., limit: Int = 0, sectionedBy sections: KeyPath<Object, Section>
    ) -> FetchedResults<Object> {
        fetchedResults(Self.request(predicate, sortKeys, limit), sections)
    }

    private static func request<Object>(
        _ predicate: PredicateTree?, _ sortKeys: [SortKey<Object>], _ limit: Int
    ) -> FetchRequest<Object> {
        var request = FetchRequest<Object>()
        request.predicate = predicate
        (request.sortDescriptors, request.fetchLimit) = (sortKeys, limit)
        return request
    }

    private func fetchedResults<Object: ManagedObject, Section: AttributeValue>(
        _ request: FetchRequest<Object>, _ sections: KeyPath<Object, Section>
    ) -> FetchedResults<Object> {
        let key = SortKey<Object>.ascending(sections)
        let complaint = key.complaint.map { FetchError(.invalidRequest, $0) }
        return FetchedResults(
            container: self, request: request, sections: key.keyPath, complaint: complaint)
    }
}
