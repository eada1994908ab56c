/// Follows a key path through a model.
struct MappingWalk {
    /// What lies at the end.
    enum Place {
        case object(entity: String)
        case attribute(AttributeDescription)
        /// A number of an aggregate, or something in an attribute that has no names.
        case value
    }

    private let model: ManagedObjectModel
    private let role: String
    private(set) var place: Place
    /// Whether there may be several of them.
    private(set) var isMany = false
    /// What is not there; nil while everything is.
    private(set) var complaint: String?
    /// Whether an aggregate is waiting for what it takes.
    private var aggregates = false

    init(from entity: String, in model: ManagedObjectModel, role: String) {
        self.model = model
        self.role = role
        place = .object(entity: entity)
    }

    mutating func follow(_ keys: [String]) {
        for key in keys where complaint == nil { follow(key) }
        if aggregates { (place, isMany) = (.value, false) }
    }

    private mutating func follow(_ key: String) {
        if let op = PredicateTree.KeyPathOperator(rawValue: key) {
            switch op {
            case .count: (place, isMany) = (.value, false)
            case .all, .distinct: break
            case .sum, .min, .max, .average: aggregates = true
            }
            return
        }
        switch place {
        case .value: break
        case .attribute(let attribute):
            if let composite = attribute.type.composite {
                guard let element = composite.elements.first(where: { $0.name == key }) else {
                    let names = composite.elements.map(\.name)
                    complaint = "\(attribute.name) has no element \(key)\(MappingValidation.hint(key, names))"
                    return
                }
                place = .attribute(element)
            } else if attribute.type == .transformable {
                place = .value
            } else {
                complaint =
                    "\(attribute.name) is an attribute, so a key path cannot continue after it. "
                    + "Remove .\(key)."
            }
        case .object(let entity): follow(key, of: entity)
        }
    }

    private mutating func follow(_ key: String, of entity: String) {
        switch model.property(named: key, of: entity)?.kind {
        case .attribute(let attribute)?: place = .attribute(attribute)
        case .relationship(let relationship)?:
            place = .object(entity: relationship.destination)
            isMany = isMany || relationship.isToMany
        default:
            let names = model.properties(of: entity).map(\.name)
            complaint =
                "\(entity) in the \(role) model has no property \(key)\(MappingValidation.hint(key, names))"
        }
    }
}
