internal import HowdahModel

extension MigrationPath.ListedStage {
    /// Creates the inferred stage that replaces several stages: from the first version of the first one to the last version
    /// of the last one.
    ///
    /// Confirmed drops of a property that only versions between the two have are left out, because nothing drops it then.
    package init(replacing stages: [MigrationPath.ListedStage]) {
        let versions = stages.flatMap(\.versions)
        let ends = [versions.first, versions.last].compactMap(\.self)
        let names = stages.reduce(into: Set<String>()) { $0.formUnion($1.confirmedDrops) }
        let unknown = DropConfirmations(names, along: ends.compactMap(\.model)).unknown.map(\.name)
        let drops = names.subtracting(unknown)
        self.init(drops.isEmpty ? .lightweight : .custom, ends, label: nil, confirmedDrops: drops)
    }
}
