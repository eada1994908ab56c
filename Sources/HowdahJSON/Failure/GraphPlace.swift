/// A place in a document.
struct GraphPlace: Sendable {
    var line: Int?
    var path = ""

    func member(_ name: String) -> GraphPlace {
        GraphPlace(line: line, path: path.isEmpty ? name : "\(path).\(name)")
    }

    func element(_ index: Int) -> GraphPlace { GraphPlace(line: line, path: "\(path)[\(index)]") }

    /// Returns a place deeper in the value of an attribute.
    func adding(_ steps: String) -> GraphPlace { GraphPlace(line: line, path: path + steps) }
}
