/// A place in a document.
struct GraphPlace: Sendable {
    var line: Int?
    private(set) var path = ""
    /// The names and indexes that lead to the place, because names can have any characters.
    private(set) var steps: [String] = []

    init(line: Int? = nil) { self.line = line }

    func member(_ name: String) -> GraphPlace { followed(by: path.isEmpty ? name : ".\(name)", [name]) }

    func element(_ index: Int) -> GraphPlace { followed(by: "[\(index)]", ["\(index)"]) }

    /// Returns a place deeper in the value of an attribute.
    func adding(_ steps: String) -> GraphPlace {
        followed(by: steps, steps.split(whereSeparator: { ".[]".contains($0) }).map(String.init))
    }

    private func followed(by text: String, _ names: [String]) -> GraphPlace {
        var place = self
        place.path += text
        place.steps += names
        return place
    }
}
