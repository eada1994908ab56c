import Howdah

/// What a deletion would do, before it is done.
struct DeletionDocument: Encodable {
    let isAllowed: Bool
    /// The number of objects that are deleted, by entity.
    let deleted: [String: Int]
    /// The reasons against it.
    let refusals: [String]

    init(_ preview: DeletePreview) {
        isAllowed = preview.isAllowed
        deleted = preview.deleted.mapValues(\.count)
        refusals = preview.issues.map(\.message)
    }
}
