import HowdahRuntime

/// The store, the model and the addresses that pages are made of.
struct PageSource: Sendable {
    let container: PersistentContainer
    let reader: BrowseReader
    let guide: ModelGuide
    let links: Links
    /// The statements of fetches, without a connection; nil if names of tables clash.
    let preview: PreviewStore?

    init(_ container: PersistentContainer, at prefix: String) {
        self.container = container
        reader = BrowseReader(container: container)
        guide = ModelGuide(model: container.model)
        links = Links(prefix: prefix)
        preview = try? PreviewStore(container.model)
    }
}
