import Howdah

/// The condition of a list that a client wrote, such as `priority <= 2 AND ANY labels.name == 'crash'`.
///
/// It may read what the documents show and nothing else, so a client cannot find out values of other teams or
/// passwords by asking.
enum ClientPredicate {
    private static let readable: Set<[String]> = [
        ["number"], ["title"], ["text"], ["status"], ["priority"], ["createdAt"], ["dueOn"],
        ["commentCount"], ["estimate", "value"], ["estimate", "unit"], ["assignee", "login"],
        ["author", "login"], ["labels", "name"],
    ]
    private static let longest = 2_000

    static func tree(_ text: String) throws -> PredicateTree {
        guard text.utf8.count <= longest else {
            throw ProblemDetails(
                400, "tooLarge", "The condition is longer than \(longest) bytes. Shorten it.")
        }
        let tree = try PredicateTree(format: text)
        for path in tree.keyPaths where !readable.contains(path) {
            throw ProblemDetails(
                400, "unknownKey",
                "'\(path.joined(separator: "."))' cannot be in a condition. Use \(names).")
        }
        return tree
    }

    private static var names: String {
        readable.map { $0.joined(separator: ".") }.sorted().joined(separator: ", ")
    }
}
