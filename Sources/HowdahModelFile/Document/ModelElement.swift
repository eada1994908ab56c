/// One element of a model file: a name, attributes and children.
struct ModelElement {
    let name: String
    let attributes: [String: String]
    /// Where it begins, from 1.
    let line: Int
    var children: [ModelElement] = []
    /// The text between its tags, if its document has such text.
    var content = ""
    /// The first text between its tags, if its document has no such text.
    var strayText: (line: Int, text: String)?

    /// The text after the root element's end, if there is any.
    var fault: ModelFileDefect?

    subscript(attribute: String) -> String? { attributes[attribute] }

    /// The text of an attribute; `nil` if it is empty, because model files give that no meaning.
    func text(_ attribute: String) -> String? { attributes[attribute].flatMap { $0.isEmpty ? nil : $0 } }

    /// Indicates whether a flag is set. Model files write YES, and leave the attribute out for NO.
    func flag(_ attribute: String) -> Bool {
        ["YES", "yes", "true", "1"].contains(attributes[attribute] ?? "")
    }

    func children(named name: String) -> [ModelElement] { children.filter { $0.name == name } }
}
