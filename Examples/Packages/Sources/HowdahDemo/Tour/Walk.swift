import Howdah

/// Walks the graph as naively as a loop can, and counts what that costs.
struct Walk {
    static let packages = 1_000

    let container: PersistentContainer

    /// Returns the number of objects it came across.
    func run() async throws -> Int {
        let before = container.statementLog.count
        let began = ContinuousClock.now
        let (packages, edges, names) = try await container.perform { context in
            let packages = try context.fetch(
                Package.self, matching: .format("version != nil"), sortedBy: .key("name"),
                limit: Walk.packages)
            var edges = 0
            var names: Set<String> = []
            for package in packages {
                names.insert(package.maintainer?.name ?? "")
                for dependency in package.dependencies {
                    edges += 1
                    names.insert(dependency.target?.name ?? "")
                }
            }
            return (packages.count, edges, names.count)
        }
        let statements = container.statementLog.count - before
        Screen.line("  > for package in packages { package.maintainer?.name …")
        Screen.line("  >     for dependency in package.dependencies { dependency.target?.name … } }")
        Screen.line(
            "  \(Format.count(packages, "package")) with \(Format.count(edges, "dependency edge")), "
                + "\(Format.count(names)) different names: \(Format.count(statements, "statement")), "
                + "\(Format.time(ContinuousClock.now - began)).")
        Screen.line(
            "  One statement for each object touched would have been \(Format.count(1 + 2 * packages + edges))."
        )
        return packages + edges
    }
}
