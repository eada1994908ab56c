import Howdah

/// A relationship with a delete rule under test, from `owner` to `item`, and objects to try it with.
enum RuleShape: String, CaseIterable {
    case toMany, toManyRequired, toManyOrdered
    case toSubentity, toSubentityRequired, inherited
    case oneToOneThere, oneToOneThereRequired, oneToOneHere, oneToOneHereRequired
    case toOne, toOneRequired
    case manyToMany, manyToManyOrdered
    case oneWayOne, oneWayOneRequired, oneWayMany
    case tree, ring, selfMany, friends, spouse

    /// What holds the links.
    enum Place { case owner, item, table }

    static let rules: [DeleteRule] = [.nullify, .cascade, .deny, .noAction]

    /// In words, for the documentation.
    var title: String {
        switch self {
        case .toMany: "to-many, its inverse optional"
        case .toManyRequired: "to-many, its inverse required"
        case .toManyOrdered: "to-many, ordered"
        case .toSubentity: "to-many to a subentity"
        case .toSubentityRequired: "to-many to a subentity, its inverse required"
        case .inherited: "to-many, inherited"
        case .oneToOneThere: "one-to-one, column in the destination"
        case .oneToOneThereRequired: "one-to-one, column in the destination, required"
        case .oneToOneHere: "one-to-one, column in the owner"
        case .oneToOneHereRequired: "one-to-one, column in the owner, required"
        case .toOne: "to-one, its inverse to-many"
        case .toOneRequired: "to-one, required, its inverse to-many"
        case .manyToMany: "many-to-many"
        case .manyToManyOrdered: "many-to-many, ordered"
        case .oneWayOne: "to-one without inverse"
        case .oneWayOneRequired: "to-one without inverse, required"
        case .oneWayMany: "to-many without inverse"
        case .tree: "tree: to-many to the own entity"
        case .ring: "ring: one-to-one to the own entity"
        case .selfMany: "many-to-many to the own entity"
        case .friends: "many-to-many, its own inverse"
        case .spouse: "one-to-one, its own inverse"
        }
    }

    var place: Place {
        switch self {
        case .toMany, .toManyRequired, .toManyOrdered, .toSubentity, .toSubentityRequired, .inherited, .tree,
            .oneToOneThere, .oneToOneThereRequired:
            .item
        case .oneToOneHere, .oneToOneHereRequired, .toOne, .toOneRequired, .oneWayOne, .oneWayOneRequired,
            .ring, .spouse:
            .owner
        case .manyToMany, .manyToManyOrdered, .oneWayMany, .selfMany, .friends: .table
        }
    }

    var hasInverse: Bool { self != .oneWayOne && self != .oneWayOneRequired && self != .oneWayMany }
    var isSelfInverse: Bool { self == .friends || self == .spouse }
    var isOfOneEntity: Bool {
        switch self {
        case .tree, .ring, .selfMany, .friends, .spouse: true
        default: false
        }
    }
    /// Whether the items need an owner.
    var itemRequires: Bool {
        self == .toManyRequired || self == .oneToOneThereRequired || self == .toSubentityRequired
    }
    /// Whether the owners need an item.
    var ownerRequires: Bool {
        self == .oneToOneHereRequired || self == .toOneRequired || self == .oneWayOneRequired
    }
    var isToMany: Bool {
        switch self {
        case .toMany, .toManyRequired, .toManyOrdered, .toSubentity, .toSubentityRequired, .inherited, .tree,
            .manyToMany, .manyToManyOrdered, .oneWayMany, .selfMany, .friends:
            true
        default: false
        }
    }
    var inverseIsToMany: Bool {
        self == .toOne || self == .toOneRequired || place == .table
    }

    /// The objects there are: owners begin with `o`, items with `i`, and of one entity all with `n`.
    var objects: [String] {
        isOfOneEntity ? ["n1", "n2", "n3", "n4"] : ["o1", "o2", "o3", "i1", "i2", "i3"]
    }

    var links: Set<RuleGraph.Link> {
        func links(_ pairs: String...) -> Set<RuleGraph.Link> {
            Set(pairs.map { RuleGraph.Link(String($0.prefix(2)), String($0.suffix(2))) })
        }
        return switch self {
        case .toMany, .toManyRequired, .toManyOrdered, .toSubentity, .toSubentityRequired, .inherited:
            links("o1-i1", "o1-i2", "o2-i3")
        case .oneToOneThere, .oneToOneThereRequired, .oneToOneHere, .oneToOneHereRequired:
            links("o1-i1", "o2-i2", "o3-i3")
        case .toOne, .toOneRequired, .oneWayOne, .oneWayOneRequired: links("o1-i1", "o2-i1", "o3-i2")
        case .manyToMany, .manyToManyOrdered, .oneWayMany: links("o1-i1", "o1-i2", "o2-i2", "o2-i3")
        case .tree: links("n1-n2", "n2-n3", "n1-n4")
        case .ring: links("n1-n2", "n2-n3", "n3-n1")
        case .selfMany: links("n1-n2", "n2-n3", "n3-n1", "n2-n4")
        case .friends: links("n1-n2", "n2-n3")
        case .spouse: links("n1-n2", "n2-n1")
        }
    }

    /// The objects that are deleted, one after the other with everything else in place.
    var victims: [String] {
        switch self {
        case .toOne, .toOneRequired: ["o3", "o1", "i1"]
        case .oneWayOne, .oneWayOneRequired: ["o3", "o1", "i1"]
        case .oneToOneHere, .oneToOneHereRequired: ["o1", "i1"]
        case .oneWayMany: ["o1", "i2"]
        case .tree: ["n1", "n3"]
        case .ring, .selfMany, .friends, .spouse: ["n1", "n4"]
        default: ["o1"]
        }
    }

    func owner(_ rule: DeleteRule) -> String {
        isOfOneEntity ? "Node_\(rawValue)_\(rule.rawValue)" : "Owner_\(rawValue)_\(rule.rawValue)"
    }
    func item(_ rule: DeleteRule) -> String {
        isOfOneEntity ? owner(rule) : "Item_\(rawValue)_\(rule.rawValue)"
    }
    func entity(of object: String, _ rule: DeleteRule) -> String {
        object.hasPrefix("i") ? item(rule) : owner(rule)
    }
}
