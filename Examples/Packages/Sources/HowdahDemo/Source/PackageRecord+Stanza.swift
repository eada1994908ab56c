extension PackageRecord {
    /// The fields that ``init(_:)`` reads; a reader need not keep others.
    static let fields: Set<String> = Set(
        [
            "Package", "Status", "Version", "Architecture", "Description", "Section", "Maintainer",
            "Installed-Size",
        ]
            + ["Size", "Provides"] + dependencyKinds)

    private static let dependencyKinds = ["Depends", "Pre-Depends", "Recommends", "Suggests", "Enhances"]

    /// The package of a stanza; nil where it names none, or one that was removed and left its settings behind.
    init?(_ stanza: [String: String]) {
        guard let name = stanza["Package"] else { return nil }
        if let status = stanza["Status"], !status.hasSuffix(" installed") { return nil }
        self.name = name
        version = stanza["Version"]
        architecture = stanza["Architecture"]
        summary = stanza["Description"]
        section = stanza["Section"]
        maintainer = stanza["Maintainer"]
        sizes = stanza["Installed-Size"].flatMap { Int($0) }.map {
            Sizes(installedKilobytes: $0, archiveBytes: stanza["Size"].flatMap { Int($0) })
        }
        dependencies = []
        var group: Int32 = 0
        for kind in Self.dependencyKinds {
            for alternatives in (stanza[kind] ?? "").split(separator: ",") {
                let targets = alternatives.split(separator: "|").compactMap(Relation.init)
                for target in targets {
                    dependencies.append(
                        DependencyRecord(
                            kind: kind, position: Int32(dependencies.count), group: group,
                            hasAlternatives: targets.count > 1, target: target.name,
                            constraint: target.constraint))
                }
                group += 1
            }
        }
        var provided: Set<String> = []
        for relation in (stanza["Provides"] ?? "").split(separator: ",").compactMap(Relation.init) {
            provided.insert(relation.name)
        }
        provides = provided.subtracting([name]).sorted()
    }
}
