public import HowdahModel

/// The result of a request, by its ``FetchRequest/resultType``.
///
/// Source: Core Data's `NSFetchRequestResult`.
public enum FetchResult<Object: ManagedObject> {
    /// Objects.
    case objects([Object])
    /// The ids of objects.
    case objectIDs([ObjectID<Object>])
    /// Values by name.
    case dictionaries([[String: any Sendable]])
    /// The number of objects.
    case count(Int)
}
