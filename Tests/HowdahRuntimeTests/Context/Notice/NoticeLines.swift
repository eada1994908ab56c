import Howdah

/// Notices as lines: `+` what is new, `~` what changed, `-` what is gone, `*` what was refreshed, by entity.
enum NoticeLines {
    static func line(_ notice: ContextNotice) -> String {
        switch notice {
        case .didChange(let change): "didChange" + lists(change)
        case .willSave: "willSave"
        case .didSave(let notice): "didSave" + lists(notice)
        case .didMerge(let change): "didMerge" + lists(change)
        case .didReset: "didReset"
        }
    }

    static func lists(_ notice: SaveNotice) -> String {
        list("+", notice.insertedObjectIDs) + list("~", notice.updatedObjectIDs)
            + list("-", notice.deletedObjectIDs)
    }

    private static func lists(_ change: ContextChange) -> String {
        list("+", change.insertedObjectIDs) + list("~", change.updatedObjectIDs)
            + list("-", change.deletedObjectIDs) + list("*", change.refreshedObjectIDs)
    }

    private static func list(_ mark: String, _ ids: [ObjectID<ManagedObject>]) -> String {
        let names = ids.map { String($0.entityName.prefix(1)) }.sorted().joined()
        return ids.isEmpty ? "" : " \(mark)\(names)" + (Set(ids).count == ids.count ? "" : " twice")
    }
}

extension PersistentContainer {
    /// What a context of its own tells while `body` runs in it.
    nonisolated(nonsending)
        func lines(
            isolation: Isolation? = nil,
            _ body: @Sendable @escaping (ManagedObjectContext) throws -> Void
        ) async throws -> [String]
    {
        let notices = try await told(isolation: isolation, body)
        // The handle is gone, and so the sequence ends.
        return await notices.reduce(into: []) { $0.append(NoticeLines.line($1)) }
    }

    nonisolated(nonsending)
        private func told(
            isolation: Isolation?, _ body: @Sendable @escaping (ManagedObjectContext) throws -> Void
        ) async throws -> Notices<ContextNotice>
    {
        let handle = newBackgroundContext()
        let notices = handle.notices
        try await handle.perform(isolation: isolation, body)
        return notices
    }
}
