import Howdah

/// Says what the store holds.
struct Inventory {
    let container: PersistentContainer

    func show() async throws {
        let text = try await container.perform { context in
            let described = try context.count(Package.self, matching: .format("version != nil"))
            let named = try context.count(Package.self, matching: .format("version == nil"))
            let edges = try context.count(Dependency.self)
            let maintainers = try context.count(Maintainer.self)
            let sections = try context.count(Section.self)
            // Objects without a class answer by name.
            let records = try context.fetch("ImportRecord", sortedBy: .key("source")).map { record in
                let isComplete = record["isComplete"] as? Bool ?? false
                return "\(record["source"] ?? "") is \(isComplete ? "complete" : "incomplete")"
            }
            return "\(Format.count(described)) packages and \(Format.count(named)) names without one, "
                + "\(Format.count(edges)) dependencies, \(Format.count(maintainers)) maintainers, "
                + "\(Format.count(sections)) sections; \(records.joined(separator: ", "))."
        }
        Screen.line("  In the store now: \(text)")
    }
}
