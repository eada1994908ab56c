import Howdah

/// Two contexts change the same object; the second save is refused, says why, and succeeds when tried again.
struct ConflictDemo {
    let container: PersistentContainer
    let package: ObjectID<Package>

    func run() async throws {
        let id = package
        let mine = container.newBackgroundContext()
        let theirs = container.newBackgroundContext()
        try await mine.perform { context in
            try context.existingObject(with: id).summary = "A small editor"
        }
        try await theirs.perform { context in
            let package = try context.existingObject(with: id)
            package.summary = "A fast editor"
            package.version = "1.1"
            try context.save()
        }
        let conflicts = try await mine.perform { context in
            do {
                try context.save()
                throw DemoError(
                    "The second save did not report the conflict, which is a bug. Report it to the project.")
            } catch let error as SaveError where error.code == .conflict {
                return try error.conflicts.map { try Self.describe($0, in: context) }
            }
        }
        Screen.line(
            "  Two contexts changed one package. The second save is a conflict and overwrites nothing:")
        for conflict in conflicts { Screen.line("    \(conflict)") }
        let summary = try await mine.perform { context in
            let package = try context.existingObject(with: id)
            context.refresh(package)
            package.summary = (package.summary ?? "") + ", and small"
            try context.save()
            return package.summary ?? ""
        }
        Screen.line("  After a refresh and a retry, the store has both changes: \"\(summary)\".")
    }

    /// An error says which objects and properties, by id and name, and never their values.
    private static func describe(_ conflict: SaveConflict, in context: ManagedObjectContext) throws -> String
    {
        let package = try context.existingObject(with: conflict.objectID.typed(as: Package.self))
        return
            "\(conflict.entityName) \(package.name): \(conflict.properties.joined(separator: " and ")) changed in the store, "
            + "\(conflict.changedProperties.joined(separator: " and ")) changed here"
    }
}
