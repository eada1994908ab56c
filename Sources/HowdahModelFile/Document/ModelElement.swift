/// One element of a model file: a name, attributes and children.
struct ModelElement {
    let name: String
    let attributes: [String: String]
    /// Where it begins, from 1.
    let line: Int
    var children: [ModelElement] = []
    /// The first text between its tags, which no element of a model file has.
    var strayText: (line: Int, text: String)?

    /// What is wrong behind the root element's end.
    var fault: ModelFileFault?

    subscript(attribute: String) -> String? { attributes[attribute] }

    /// The text of an attribute; nil where it is empty, which model files use for nothing.
    func text(_ attribute: String) -> String? { attributes[attribute].flatMap { $0.isEmpty ? nil : $0 } }

    /// Whether a flag is set; model files write YES, and leave the attribute out for NO.
    func flag(_ attribute: String) -> Bool {
        ["YES", "yes", "true", "1"].contains(attributes[attribute] ?? "")
    }

    func children(named name: String) -> [ModelElement] { children.filter { $0.name == name } }
}
