/// A value of a JSON text with the line it begins on, and all keys of an object, repeated ones too.
struct JSONNode {
    indirect enum Content {
        case object([Member])
        case array([JSONNode])
        case string(String)
        case number(String)
        case boolean(Bool)
        case null
    }

    struct Member {
        let key: String
        let line: Int
        let value: JSONNode
    }

    let content: Content
    /// From 1.
    let line: Int

    /// What it is, for messages.
    var kind: String {
        switch content {
        case .object: "an object"
        case .array: "an array"
        case .string: "a string"
        case .number: "a number"
        case .boolean: "a Boolean"
        case .null: "null"
        }
    }

    /// The node at a path of keys and positions, or the last one on the way that is there.
    func nearest(to path: [any CodingKey]) -> JSONNode {
        var node = self
        for step in path {
            switch node.content {
            case .object(let members):
                guard let member = members.first(where: { $0.key == step.stringValue }) else { return node }
                node = member.value
            case .array(let elements):
                guard let position = step.intValue, elements.indices.contains(position) else { return node }
                node = elements[position]
            default: return node
            }
        }
        return node
    }
}
