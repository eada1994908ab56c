public import HowdahModel

/// What a request brings, by its ``FetchRequest/resultType``.
///
/// Source: Core Data's `NSFetchRequestResult`.
public enum FetchResult<Object: ManagedObject> {
    /// Objects.
    case objects([Object])
    /// The ids of objects.
    case objectIDs([ObjectID<Object>])
    /// Values by name.
    case dictionaries([[String: any Sendable]])
    /// How many objects there are.
    case count(Int)
}
