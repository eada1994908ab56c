public import HowdahModel

/// The changes of a followed result since the update before.
///
/// Deletions and the origins of moves have places in the former result. Insertions and the destinations of moves have
/// places in the present one. So delete first, from the end, and then insert, from the beginning.
///
/// Source: the calls of Core Data's `NSFetchedResultsControllerDelegate` between `controllerWillChangeContent` and
/// `controllerDidChangeContent`.
public struct FetchedResultsDifference<Object: ManagedObject>: Hashable, Sendable {
    /// The changes of objects: the deletions first, and then all others in the order of their present places.
    public let rows: [FetchedResultsChange<Object>]
    /// The changes of sections: the deletions first.
    public let sections: [FetchedResultsSectionChange]

    /// A Boolean value that indicates whether nothing changed.
    public var isEmpty: Bool { rows.isEmpty && sections.isEmpty }
}

/// The change of one object in a followed result.
///
/// Source: Core Data's `NSFetchedResultsChangeType`.
public enum FetchedResultsChange<Object: ManagedObject>: Hashable, Sendable {
    /// The object left the result, at its former place.
    case delete(ObjectID<Object>, at: ResultIndexPath)
    /// The object entered the result, at its present place.
    case insert(ObjectID<Object>, at: ResultIndexPath)
    /// The object has another place among the others; nil stands for unknown properties.
    case move(
        ObjectID<Object>, from: ResultIndexPath, to: ResultIndexPath, changedProperties: Set<String>?)
    /// The object changed and stays where it is, with its present place; nil stands for unknown properties.
    case update(ObjectID<Object>, at: ResultIndexPath, changedProperties: Set<String>?)

    /// The object.
    public var objectID: ObjectID<Object> {
        switch self {
        case .delete(let id, _), .insert(let id, _), .move(let id, _, _, _), .update(let id, _, _): id
        }
    }
}

/// The change of a section in a followed result.
public enum FetchedResultsSectionChange: Hashable, Sendable {
    /// The section has no objects any more; with its position in the former result.
    case delete(String, at: Int)
    /// The section is new; with its position in the present result.
    case insert(String, at: Int)
}

extension FetchedResultsDifference {
    init(_ difference: ResultDifference<ObjectID<ManagedObject>>, _ changed: ResultState.Changed) {
        func properties(_ id: ObjectID<ManagedObject>) -> Set<String>? { changed[id] ?? .some([]) }
        rows = difference.rows.map { change in
            switch change {
            case .delete(let id, let place): .delete(id.typed(), at: place)
            case .insert(let id, let place): .insert(id.typed(), at: place)
            case .move(let id, let from, let to):
                .move(id.typed(), from: from, to: to, changedProperties: properties(id))
            case .update(let id, _, let place):
                .update(id.typed(), at: place, changedProperties: properties(id))
            }
        }
        sections = difference.sections.map { change in
            switch change {
            case .delete(let name, let place): .delete(name, at: place)
            case .insert(let name, let place): .insert(name, at: place)
            }
        }
    }

    /// The same changes, without their properties.
    var plain: ResultDifference<ObjectID<Object>> {
        ResultDifference(
            rows: rows.map { change in
                switch change {
                case .delete(let id, let place): .delete(id, at: place)
                case .insert(let id, let place): .insert(id, at: place)
                case .move(let id, let from, let to, _): .move(id, from: from, to: to)
                case .update(let id, let place, _): .update(id, from: place, to: place)
                }
            },
            sections: sections.map { change in
                switch change {
                case .delete(let name, let place): .delete(name, at: place)
                case .insert(let name, let place): .insert(name, at: place)
                }
            })
    }
}
