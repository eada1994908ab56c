/// The objects of a Core Data store in XML, the format that mapping models are kept in.
struct StoreDocument {
    struct Attribute {
        let type: String
        let text: String
        let line: Int
    }

    struct Object {
        /// The entity, in capitals as the format has it.
        let type: String
        let id: String
        let line: Int
        var attributes: [String: Attribute] = [:]
        /// The ids of the destinations of each relationship.
        var relationships: [String: [String]] = [:]

        /// The text of an attribute; nil where there is none, or an empty one.
        func text(_ name: String) -> String? {
            attributes[name].flatMap { $0.text.isEmpty ? nil : $0.text }
        }
    }

    /// In the order of the file.
    var objects: [Object] = []
    /// What is malformed in the document.
    var defects: [ModelFileDefect] = []
    var warnings: [ModelFileWarning] = []
}
