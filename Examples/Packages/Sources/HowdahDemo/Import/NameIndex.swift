import Howdah

/// All objects that a batch of records names, found in four statements or made.
///
/// A dependency names its target before, or without, the target's own record. Such a target becomes a package that
/// has nothing but its name; when its record comes, the same object gets the rest.
final class NameIndex {
    private let context: ManagedObjectContext
    private var packages: [String: Package] = [:]
    private var sections: [String: Section] = [:]
    private var maintainers: [String: Maintainer] = [:]

    /// Fetches what is there already: the packages described by the records with everything that hangs from them,
    /// the packages only referred to, sections and maintainers.
    init(for records: [PackageRecord], in context: ManagedObjectContext) throws {
        self.context = context
        let described = Set(records.map(\.name))
        var request = FetchRequest<Package>()
        request.predicate = .format("name IN %@", Array(described))
        request.relationshipKeyPathsForPrefetching = ["dependencies", "provides"]
        for package in try context.fetch(request) { packages[package.name] = package }

        var targets: Set<String> = []
        for record in records { targets.formUnion(record.dependencies.map(\.target) + record.provides) }
        let others = try context.fetch(
            Package.self, matching: .format("name IN %@", Array(targets.subtracting(described))))
        for package in others { packages[package.name] = package }

        let sectionNames = Set(records.compactMap(\.section))
        for section in try context.fetch(Section.self, matching: .format("name IN %@", Array(sectionNames))) {
            sections[section.name] = section
        }
        let contacts = Set(records.compactMap(\.maintainer))
        for maintainer in try context.fetch(
            Maintainer.self, matching: .format("contact IN %@", Array(contacts)))
        {
            maintainers[maintainer.contact] = maintainer
        }
    }

    func package(_ name: String) -> Package {
        if let package = packages[name] { return package }
        let package = Package(context: context)
        package.name = name
        packages[name] = package
        return package
    }

    func section(_ name: String) -> Section {
        if let section = sections[name] { return section }
        let section = Section(context: context)
        section.name = name
        sections[name] = section
        return section
    }

    func maintainer(_ contact: String) -> Maintainer {
        if let maintainer = maintainers[contact] { return maintainer }
        let maintainer = Maintainer(context: context)
        maintainer.contact = contact
        maintainers[contact] = maintainer
        return maintainer
    }

    func delete(_ dependency: Dependency) { context.delete(dependency) }

    func makeDependency() -> Dependency { Dependency(context: context) }
}
