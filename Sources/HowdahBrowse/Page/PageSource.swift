import HowdahRuntime

/// The store, the model and the addresses that pages are made of.
struct PageSource: Sendable {
    let container: PersistentContainer
    let reader: BrowseReader
    let guide: ModelGuide
    let links: Links

    init(_ container: PersistentContainer, at prefix: String) {
        self.container = container
        reader = BrowseReader(container: container)
        guide = ModelGuide(model: container.model)
        links = Links(prefix: prefix)
    }
}
