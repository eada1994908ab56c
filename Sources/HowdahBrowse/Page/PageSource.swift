import HowdahRuntime

/// The store, the model and the addresses that pages are made of.
struct PageSource: Sendable {
    let container: PersistentContainer
    let reader: BrowseReader
    let guide: ModelGuide
    let links: Links
    let drawing: KeptDrawing
    /// The statements of fetches, without a connection; nil if names of tables clash.
    let preview: PreviewStore?
    /// The model to which a migration is planned; nil without one.
    let planning: BrowsePlanning?

    /// Notes about tables without a store that the model leaves out.
    let notes: [String]
    /// Indicates whether the schema has a store; false for tables without one.
    let hasRecord: Bool

    init(
        _ container: PersistentContainer, at prefix: String, planning: BrowsePlanning? = nil,
        notes: [String] = [], hasRecord: Bool = true
    ) {
        (self.notes, self.hasRecord) = (notes, hasRecord)
        self.container = container
        self.planning = planning
        reader = BrowseReader(container: container)
        guide = ModelGuide(model: container.model)
        links = Links(prefix: prefix)
        drawing = KeptDrawing(container.model)
        preview = try? PreviewStore(container.model)
    }

    /// A note that related objects have no labels.
    var unlabelled: HTML {
        """
        <p class="warning" role="note">Another session has the table of related objects locked, so they are shown by their \
        keys. See <a href="\(links.locks)">locked tables</a>.</p>
        """
    }
}
