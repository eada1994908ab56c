import Howdah

/// Questions that predicates answer.
struct Questions {
    let container: PersistentContainer

    /// Asks them all, and returns the number of answers.
    func ask() async throws -> Int {
        try await largestLibraries() + busiestMaintainers() + brokenWithoutZlib() + standIns()
    }

    private func largestLibraries() async throws -> Int {
        let question = Question(
            words: "Which packages depend on libc6 and are in section libs, largest first?",
            code: """
                context.fetch(Package.self, matching: .format("ANY dependencies.target.name == %@ AND section.name == %@",
                    "libc6", "libs"), sortedBy: .key("sizes.installedKilobytes", ascending: false), limit: 3)
                """)
        return try await question.ask(container) { context in
            let packages = try context.fetch(
                Package.self,
                matching: .format(
                    "ANY dependencies.target.name == %@ AND section.name == %@", "libc6", "libs"),
                sortedBy: .key("sizes.installedKilobytes", ascending: false), limit: 3)
            return packages.map { package in
                Format.left(package.name, 28)
                    + Format.right(Format.size(kilobytes: package.sizes?.installedKilobytes ?? 0), 10)
                    + "  " + (package.summary ?? "")
            }
        }
    }

    private func busiestMaintainers() async throws -> Int {
        let question = Question(
            words: "Who maintains the most packages?",
            code: #"context.fetch(Maintainer.self, matching: .format("packages.@count >= %d", few))"#)
        return try await question.ask(container) { context in
            let few = try context.count(Package.self) / 500
            let maintainers = try context.fetch(
                Maintainer.self, matching: .format("packages.@count >= %d", few))
            // Counting loads no package: one statement counts for all maintainers of the fetch.
            let busiest = maintainers.sorted { $0.packages.count > $1.packages.count }.prefix(3)
            return busiest.map { maintainer in
                Format.left(maintainer.name, 50)
                    + Format.right(Format.count(maintainer.packages.count, "package"), 16)
            }
        }
    }

    private func brokenWithoutZlib() async throws -> Int {
        let question = Question(
            words: "Which packages break without zlib1g? (They need it, and no alternative exists.)",
            code: """
                request.predicate = .format("target.name == %@ AND kind IN %@ AND hasAlternatives == NO",
                    "zlib1g", ["Depends", "Pre-Depends"])
                request.sortDescriptors = [.key("package.sizes.installedKilobytes", ascending: false)]
                """)
        return try await question.ask(container) { context in
            var request = FetchRequest<Dependency>()
            request.predicate = .format(
                "target.name == %@ AND kind IN %@ AND hasAlternatives == NO", "zlib1g",
                ["Depends", "Pre-Depends"])
            let count = try context.count(for: request)
            request.sortDescriptors = [.key("package.sizes.installedKilobytes", ascending: false)]
            request.relationshipKeyPathsForPrefetching = ["package"]
            request.fetchLimit = 3
            let largest = try context.fetch(request).map { dependency in
                let constraint = dependency.constraint.map { " (\($0.relation) \($0.version))" } ?? ""
                return "\(dependency.package?.name ?? "") needs zlib1g\(constraint)"
            }
            return ["\(Format.count(count, "package")) would break. The largest:"] + largest
        }
    }

    private func standIns() async throws -> Int {
        let question = Question(
            words: "awk is only a name. Which packages provide it?",
            code: #"context.fetch(Package.self, matching: .format("ANY provides.name == %@", "awk"))"#)
        return try await question.ask(container) { context in
            let packages = try context.fetch(
                Package.self, matching: .format("ANY provides.name == %@", "awk"),
                sortedBy: .key("name"))
            return packages.isEmpty ? [] : [packages.map(\.name).joined(separator: ", ")]
        }
    }
}
