/// Names that a command was given and that are in no version of a model.
enum UnknownNames {
    /// Returns the message about such names, a line each.
    static func complaint(
        of unknown: [(name: String, nearest: String?)], _ word: String, _ count: Int
    ) -> String {
        unknown.map { name, nearest in
            let versions = count == 2 ? "neither version" : "none of the \(count) versions"
            return "\(word) \(name): \(versions) has an entity or property of that name"
                + (nearest.map { ". Did you mean \($0)?" } ?? ". Correct the name.")
        }.joined(separator: "\n").printableLines
    }
}
