package import HowdahModel
import HowdahRuntime

/// Another model than the store's, to which the pages plan a migration.
package struct BrowseTarget: Sendable {
    /// The name of the model for people.
    let name: String
    let model: ManagedObjectModel
    /// The versions of the model in their order; empty if they are not known.
    let versions: [(name: String, model: ManagedObjectModel)]

    package init(
        _ model: ManagedObjectModel, named name: String,
        versions: [(name: String, model: ManagedObjectModel)] = []
    ) {
        (self.model, self.name, self.versions) = (model, name, versions)
    }

    var order: [ManagedObjectModel] { versions.map(\.model) }

    /// Returns the name of the version with a checksum; nil if it is none of them, or if there is only one.
    func version(_ checksum: String) -> String? {
        versions.count < 2 ? nil : versions.last { $0.model.hasChecksum(checksum) }?.name
    }
}

/// The target of a site, and the store to plan for.
struct BrowsePlanning: Sendable {
    let target: BrowseTarget
    let url: String
    let options: StoreOptions
    let plans = PlanCache()
}
