import HowdahModel
import HowdahRuntime

/// One object of a document: what was said of it, read and checked against the model, and nothing looked up yet.
struct GraphRecord {
    let place: GraphPlace
    /// What is deferred together: the object of one line with those nested in it.
    let group: Int
    let entity: EntityLayout
    /// Whether the entity was named, or only follows from the place.
    let isEntityNamed: Bool
    /// Indicates whether the document is trusted, so that a default value may complete its natural key.
    let isTrusted: Bool
    /// Indicates whether it may be an object of a subentity of its entity.
    let allowsSubentities: Bool
    /// The name it has in the document.
    var id: String?
    var values: [(slot: Int, value: Value)] = []
    var links: [Link] = []

    struct Link {
        let slot: Int
        let place: GraphPlace
        let targets: [GraphTarget]
    }

    func value(at slot: Int) -> Value? { values.first { $0.slot == slot }?.value }

    func target(at slot: Int) -> GraphTarget? { links.first { $0.slot == slot }?.targets.first }
}

/// What a relationship leads to.
indirect enum GraphTarget {
    /// Another record, by its place among all.
    case record(Int)
    /// The object of an entity with this name in the document.
    case id(String, entity: Int)
    /// The object of an entity with this natural key; members in the order of the key.
    case key(entity: Int, members: [KeyMember])
    /// A row.
    case stored(entity: Int, key: Int64)

    enum KeyMember {
        case value(Value)
        case target(GraphTarget)
    }

    /// The entity that a reference names, by its place; nil for what is no reference.
    var entity: Int? {
        switch self {
        case .id(_, let entity), .key(let entity, _): entity
        case .record, .stored: nil
        }
    }
}
