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
        do {
            try await mine.perform { try $0.save() }
            throw DemoError("A lost update went unnoticed; that is a bug.")
        } catch let error as SaveError where error.code == .conflict {
            Screen.line("  Two contexts changed one package. The second save overwrites nothing:")
            for conflict in error.conflicts { Screen.line("    \(conflict)") }
        }
        let summary = try await mine.perform { context in
            let package = try context.existingObject(with: id)
            context.refresh(package)
            package.summary = (package.summary ?? "") + ", and small"
            try context.save()
            return package.summary ?? ""
        }
        Screen.line("  Refreshed and tried again, both changes are in: \"\(summary)\".")
    }
}
