/// The names in the query of an address that each page knows.
struct PageParameters {
    private let known: Set<String>

    /// - Parameter page: The first part of the path; nil for the list of entities.
    init(of page: String?) {
        let table = ["column", "where", "sort", "rows", "of", "after", "before"]
        known =
            switch page {
            case "objects": Set(table + ["count"])
            // The links of a table have its number of rows and its position, which an export does not need.
            case "export": Set(table)
            case "values": ["where", "rows", "of"]
            case nil: ["sort"]
            case "diagram", "diagram.svg": ["entity"]
            case "value": ["unmask"]
            case "sql": ["query"]
            case "migrations": ["plan"]
            case "check": ["where"]
            case "versions": ["rows", "since"]
            default: []
            }
    }

    /// Checks a query: unknown names and names that occur twice are probably mistakes.
    ///
    /// - Throws: `BrowseError` that names the parameter.
    func check(_ query: [(name: String, value: String)]) throws {
        var seen: Set<String> = []
        for (name, value) in query {
            guard known.contains(name) else {
                let remedy =
                    known.isEmpty
                    ? "The page has no parameters. Remove it."
                    : "Use \(known.sorted().joined(separator: ", "))."
                throw BrowseError(400, "The address has the unknown parameter '\(name)'. \(remedy)")
            }
            if value.unicodeScalars.contains("\u{0}") {
                throw BrowseError(400, "'\(name)' has the character U+0000. Remove the character.")
            }
            guard name == "column" || seen.insert(name).inserted else {
                throw BrowseError(400, "The address has '\(name)' twice. Remove one of them.")
            }
        }
    }
}
