/// An error of a page, with its remedy.
struct BrowseError: Error {
    let status: Int
    let message: String

    init(_ status: Int, _ message: String) {
        self.status = status
        self.message = message
    }

    static var noPage: BrowseError {
        BrowseError(404, "No page has this address. Choose an entity in the list.")
    }

    static func noEntity(_ name: String) -> BrowseError {
        BrowseError(404, "The model has no entity '\(name)'. Choose one of the list.")
    }
}
