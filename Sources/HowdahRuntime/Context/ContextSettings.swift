/// The values of the public properties of a context.
///
/// The properties copy them in and out, so that no access to one lasts while the program's code runs.
struct ContextSettings {
    var mergePolicy = MergePolicy.error
    var userInfo: [String: Any] = [:]
    var propagatesDeletesAtEndOfEvent = false
    var automaticallyMergesChangesFromParent = false
    var shouldDeleteInaccessibleFaults = false
    var retainsRegisteredObjects = false
    var isRehearsal = false
    var name: String?
    var transactionAuthor: String?
}
