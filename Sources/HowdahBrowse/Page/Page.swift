/// The content of a page, without the parts that all pages have.
struct Page: Sendable {
    /// The parts of the navigation.
    enum Section: String, Sendable, CaseIterable {
        case entities, diagram, migrations, doctor, activity, report, sql
        case none
    }

    var status = 200
    let title: String
    var section = Section.none
    /// The entity that the page is about, marked in the tree.
    var entity: String?
    /// The object that the page is below, with its entity.
    var object: (entity: String, key: Int64)?
    let main: HTML
    var sent: [SentStatement] = []
    /// The server's plan for the statement that the page is about.
    var plan: [String] = []
    /// Swift code of the same fetch.
    var code: String?

    /// The answer to a request: a page, or a response of another kind.
    enum Answer {
        case page(Page)
        case other(BrowseResponse)
    }
}
