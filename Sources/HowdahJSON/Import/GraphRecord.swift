import HowdahModel
import HowdahRuntime

/// One object of a document: its content, read and checked against the model, without any lookup.
struct GraphRecord {
    let place: GraphPlace
    /// The group that is deferred together: the object of one line with those nested in it.
    let group: Int
    let entity: EntityLayout
    /// A Boolean value that indicates whether the entity was named; if not, it follows from the place.
    let isEntityNamed: Bool
    /// A Boolean value that indicates whether the document is trusted: a default value may complete its
    /// natural key.
    let isTrusted: Bool
    /// A Boolean value that indicates whether it may be an object of a subentity of its entity.
    let allowsSubentities: Bool
    /// The name in the document.
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

/// The target of a relationship.
indirect enum GraphTarget {
    /// Another record, by its position.
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

    /// The position of the entity that a reference names; nil if this is not a reference.
    var entity: Int? {
        switch self {
        case .id(_, let entity), .key(let entity, _): entity
        case .record, .stored: nil
        }
    }
}
