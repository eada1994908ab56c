import Howdah

/// Makes one package agree with its record, and leaves it untouched where it does already.
struct PackageUpdate {
    let package: Package
    let record: PackageRecord
    let names: NameIndex
    let isInstalled: Bool

    func apply() {
        set(\.version, record.version)
        set(\.architecture, record.architecture)
        set(\.summary, record.summary)
        set(\.isInstalled, isInstalled)
        set(\.sizes, record.sizes)
        set(\.section, record.section.map(names.section))
        set(\.maintainer, record.maintainer.map(names.maintainer))
        updateDependencies()
        updateProvides()
    }

    /// Setting a property marks it as changed whatever the value, so equal values are not set.
    private func set<Value: Equatable>(_ property: ReferenceWritableKeyPath<Package, Value>, _ value: Value) {
        if package[keyPath: property] != value { package[keyPath: property] = value }
    }

    /// Dependencies have no names of their own: a list that differs in anything is made anew.
    private func updateDependencies() {
        let stored = package.dependencies.sorted { $0.position < $1.position }
        if stored.elementsEqual(record.dependencies, by: Self.agree) { return }
        for dependency in stored { names.delete(dependency) }
        for wanted in record.dependencies {
            let dependency = names.makeDependency()
            dependency.kind = wanted.kind
            dependency.position = wanted.position
            dependency.group = wanted.group
            dependency.hasAlternatives = wanted.hasAlternatives
            dependency.constraint = wanted.constraint
            dependency.target = names.package(wanted.target)
            dependency.package = package
        }
    }

    private func updateProvides() {
        let wanted = Set(record.provides.map(names.package))
        let stored = Set(package.provides)
        for name in stored.subtracting(wanted) { package.provides.remove(name) }
        for name in wanted.subtracting(stored) { package.provides.insert(name) }
    }

    private static func agree(_ stored: Dependency, _ wanted: DependencyRecord) -> Bool {
        stored.kind == wanted.kind && stored.group == wanted.group && stored.constraint == wanted.constraint
            && stored.hasAlternatives == wanted.hasAlternatives && stored.target?.name == wanted.target
    }
}
