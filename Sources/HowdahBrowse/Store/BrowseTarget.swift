package import HowdahModel
import HowdahRuntime

/// Another model than the store's, to which the pages plan a migration.
package struct BrowseTarget: Sendable {
    /// The name of the model for people.
    let name: String
    let model: ManagedObjectModel
    /// The versions of the model in their order; empty if they are not known.
    let order: [ManagedObjectModel]

    package init(_ model: ManagedObjectModel, named name: String, order: [ManagedObjectModel] = []) {
        (self.model, self.name, self.order) = (model, name, order)
    }
}

/// The target of a site, and the store to plan for.
struct BrowsePlanning: Sendable {
    let target: BrowseTarget
    let url: String
    let options: StoreOptions
    let plans = PlanCache()
}
