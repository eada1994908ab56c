import Howdah

/// Inserts, changes and deletes, all on a section of its own, which is gone at the end.
struct Edits {
    private static let section = "howdah-demo"

    let container: PersistentContainer

    /// Returns the number of objects written.
    func run() async throws -> Int {
        // A demo that was killed may have left something here.
        let leftovers = try await removeAll()
        let editor = try await insert()
        try await change(editor)
        try await refuse()
        try await ConflictDemo(container: container, package: editor).run()
        let deleted = try await removeAll()
        Screen.line(
            "  Deleted the section and \(Format.count(deleted.packages, "package")); "
                + "\(Format.count(deleted.dependencies, "dependency edge")) were deleted with it (delete rule: cascade)."
        )
        return leftovers.packages + 4 + 1 + 2 + deleted.packages + deleted.dependencies
    }

    private func insert() async throws -> ObjectID<Package> {
        let id = try await container.perform { context in
            let section = Section(context: context)
            section.name = Edits.section
            let editor = Package(context: context)
            editor.name = "howdah-demo-editor"
            editor.summary = "An editor"
            editor.version = "1.0"
            let library = Package(context: context)
            library.name = "howdah-demo-library"
            library.sizes = Sizes(installedKilobytes: 100, archiveBytes: 40_000)
            let dependency = Dependency(context: context)
            dependency.kind = "Depends"
            dependency.position = 0
            dependency.group = 0
            dependency.package = editor
            dependency.target = library
            // Either side of a relationship will do; the other one follows.
            section.packages.insert(editor)
            library.section = section
            try context.save()
            return editor.objectID
        }
        Screen.line("  Inserted a section with two packages, one depending on the other, in one save.")
        return id
    }

    private func change(_ id: ObjectID<Package>) async throws {
        let size = try await container.perform { context in
            let editor = try context.existingObject(with: id)
            let library = editor.dependencies.first { $0.kind == "Depends" }?.target
            library?.sizes?.installedKilobytes += 20
            try context.save()
            return library?.sizes?.installedKilobytes ?? 0
        }
        Screen.line("  Changed a size two steps away from an ObjectID: 100 kB is now \(size) kB.")
    }

    /// The delete rule of `Package.dependents` is deny.
    private func refuse() async throws {
        do {
            try await container.perform { context in
                let libraries = try context.fetch(
                    Package.self, matching: .format("name == %@", "howdah-demo-library"))
                for library in libraries { context.delete(library) }
                try context.save()
            }
            throw DemoError(
                "The library was deleted although a package depends on it, which is a bug. Report it to the project."
            )
        } catch let error as SaveError where error.code == .referentialIntegrity {
            Screen.line("  The library alone cannot be deleted, because the model's delete rule is deny:")
            for issue in error.issues { Screen.line("    \(issue)") }
        }
    }

    private func removeAll() async throws -> (packages: Int, dependencies: Int) {
        try await container.perform { context in
            let dependencies = try context.count(
                Dependency.self, matching: .format("package.section.name == %@", Edits.section))
            let packages = try context.fetch(
                Package.self, matching: .format("section.name == %@", Edits.section))
            for package in packages { context.delete(package) }
            for section in try context.fetch(Section.self, matching: .format("name == %@", Edits.section)) {
                context.delete(section)
            }
            try context.save()
            return (packages.count, dependencies)
        }
    }
}
