import HowdahModel
import HowdahSchema

/// Makes a mapping model of what a plan says, and of the two models where it says nothing.
///
/// What is not named goes on as inference would have it: an entity in the one that continues it, by name or renaming
/// identifier, and so a property.
struct PlannedMapping {
    let pairing: ModelPairing
    private(set) var mappingModel = MappingModel(entityMappings: [])
    private(set) var faults: [(line: Int, text: String)] = []
    private let items: [PlanEntityMapping]
    private let line: Int
    /// What each entity mapping was made of; nil where nothing was said.
    private(set) var origins: [PlanEntityMapping?] = []

    init(_ items: [PlanEntityMapping], _ pairing: ModelPairing, line: Int) {
        self.items = items
        self.pairing = pairing
        self.line = line
    }

    mutating func fill() {
        for item in items { take(item) }
        takeRest()
        for place in mappingModel.entityMappings.indices
        where mappingModel.entityMappings[place].mappingType == .transform {
            fill(place)
        }
    }

    /// The line of what a complaint about the mapping model is about.
    func line(of mapping: String?, _ property: String?) -> Int {
        guard let place = mappingModel.entityMappings.lastIndex(where: { $0.name == mapping }),
            let origin = origins[place]
        else { return line }
        return origin.properties.first { $0.name == property }?.line ?? origin.line
    }

    private mutating func add(_ text: String, at line: Int) { faults.append((line, text)) }

    // MARK: - Entities

    private mutating func take(_ item: PlanEntityMapping) {
        let model = item.act == .remove ? pairing.old : pairing.new
        guard check(item.entity, in: model, item.act == .remove ? "earlier" : "later", at: item.line) else {
            return
        }
        switch item.act {
        case .remove: append(EntityMapping(from: item.entity), item)
        case .add: append(EntityMapping(to: item.entity), item)
        case .make:
            guard let source = item.source ?? pairing.source(ofEntity: item.entity) else {
                return add(
                    "the earlier model has neither \(item.entity) nor an entity that is renamed to it. Name the entity to read from with \"from\", or use \"add\"",
                    at: item.line)
            }
            guard check(source, in: pairing.old, "earlier", at: item.line) else { return }
            var mapping = EntityMapping(item.name, from: source, to: item.entity)
            if let filter = item.filter { mapping.sourceFilter = tree(filter, at: item.line) }
            append(mapping, item)
        }
    }

    /// Entities of the later model that no item is about.
    private mutating func takeRest() {
        let known = Set(items.filter { $0.act != .remove }.map(\.entity))
        let removed = Set(items.filter { $0.act == .remove }.map(\.entity))
        for entity in pairing.new.entities where !entity.isAbstract && !known.contains(entity.name) {
            guard let source = pairing.source(ofEntity: entity.name), !removed.contains(source),
                pairing.old[source]?.isAbstract == false
            else { continue }
            append(EntityMapping(from: source, to: entity.name), nil)
        }
    }

    private mutating func append(_ mapping: EntityMapping, _ item: PlanEntityMapping?) {
        mappingModel.entityMappings.append(mapping)
        origins.append(item)
    }

    private mutating func check(
        _ entity: String, in model: ManagedObjectModel, _ role: String, at line: Int
    ) -> Bool {
        if model[entity] != nil { return true }
        add(
            "the \(role) model has no entity \(entity)"
                + Self.hint(entity, model.entities.map(\.name), "entities"), at: line)
        return false
    }

    /// A condition whose key paths begin at the source object, or at `$source`, as those of properties do.
    private mutating func tree(_ filter: String, at line: Int) -> PredicateTree? {
        do throws(PredicateTreeError) {
            return try PredicateTree(format: filter).substituting([Self.source: .evaluatedObject])
        } catch {
            add("the filter cannot be read: \(error.message)", at: line)
            return nil
        }
    }

    // MARK: - Properties

    static let source = MappingExpression.Variable.source.rawValue

    private mutating func fill(_ place: Int) {
        var mapping = mappingModel.entityMappings[place]
        guard let from = mapping.sourceEntityName, let to = mapping.destinationEntityName else { return }
        let origin = origins[place]
        let properties = pairing.new.properties(of: to)
        var known: Set<String> = []
        for said in (origin?.properties ?? []) + (origin?.left ?? []) {
            guard let property = properties.first(where: { $0.name == said.name }) else {
                add(
                    "\(to) has no property \(said.name)"
                        + Self.hint(said.name, properties.map(\.name), "properties"),
                    at: said.line)
                continue
            }
            if !known.insert(said.name).inserted {
                add("\(to).\(said.name) is named twice. Name the property once", at: said.line)
            }
            guard !said.expression.isEmpty else { continue }
            if property.attribute?.derivationExpression != nil {
                add(
                    "\(to).\(said.name) is a derived attribute, which the store computes. Remove \(said.name) from \"set\"",
                    at: said.line)
            }
            guard let expression = expression(said, property, from) else { continue }
            mapping.add(PropertyMapping(said.name, expression), property)
        }
        let sources = pairing.propertySources(of: to, madeOf: from)
        for property in properties where !known.contains(property.name) && property.hasOwnValues {
            guard let name = sources[property.name],
                let before = pairing.old.property(named: name, of: from), before.hasOwnValues
            else { continue }
            let line = origin?.line ?? line
            guard (before.attribute == nil) == (property.attribute == nil) else {
                add(
                    "\(to).\(property.name) was \(before.attribute == nil ? "a relationship" : "an attribute") of \(from) before, "
                        + "and is now \(property.attribute == nil ? "a relationship" : "an attribute"), so its values cannot be "
                        + "copied. Name \(property.name) in \"set\" with an expression, or in \"leave\" to set no value",
                    at: line)
                continue
            }
            if let expression = carried(name, property, from, to, at: line) {
                mapping.add(PropertyMapping(property.name, expression), property)
            }
        }
        mappingModel.entityMappings[place] = mapping
    }

    private mutating func carried(
        _ name: String, _ property: PropertyDescription, _ from: String, _ to: String, at line: Int
    ) -> MappingExpression? {
        let path = PredicateTree.Expression.path(.variable(Self.source), [name])
        guard property.relationship != nil else { return try? MappingExpression(path) }
        switch share(of: property, continuing: name, of: from, beside: to) {
        case .all: return objects([name], property, from, at: line, isSaid: false)
        case .madeBy(let maker):
            return .destinationInstances(
                forEntityMappingNamed: maker, sourceInstances: .source(name))
        case .nothing: return nil
        case .unclear:
            add(
                "\(to).\(property.name) cannot be inferred, because only some entity mappings name its inverse "
                    + "\(property.relationship?.inverse ?? "") in \"set\" or \"leave\". Name \(property.name) in \"set\" or in \"leave\"",
                at: line)
            return nil
        }
    }

    private mutating func expression(
        _ said: PlanEntityMapping.Property, _ property: PropertyDescription, _ from: String
    ) -> MappingExpression? {
        let expression: MappingExpression
        do throws(PredicateTreeError) {
            expression = try MappingExpression(format: said.expression)
        } catch {
            add("the expression of \(said.name) cannot be read: \(error.message)", at: said.line)
            return nil
        }
        guard property.relationship != nil else { return expression }
        switch expression.root {
        case .variable(Self.source): return objects([], property, from, at: said.line, isSaid: true)
        case .path(.variable(Self.source), let keys):
            return objects(keys, property, from, at: said.line, isSaid: true)
        default: return expression
        }
    }

    /// What became of the source objects at the end of a path, as objects that the relationship takes.
    private mutating func objects(
        _ keys: [String], _ property: PropertyDescription, _ from: String, at line: Int,
        isSaid: Bool
    ) -> MappingExpression? {
        guard let relationship = property.relationship else { return nil }
        var entity = from
        for key in keys where PredicateTree.KeyPathOperator(rawValue: key) == nil {
            guard let found = pairing.old.property(named: key, of: entity)?.relationship else {
                let names = pairing.old.properties(of: entity).compactMap { $0.relationship?.name }
                add("\(entity) has no relationship \(key)" + Self.hint(key, names, "relationships"), at: line)
                return nil
            }
            entity = found.destination
        }
        let makers = self.makers(of: relationship.destination, from: entity).map {
            mappingModel.entityMappings[$0]
        }
        let operand = keys.isEmpty ? MappingExpression.source() : .source(keys.joined(separator: "."))
        switch makers.count {
        case 0:
            if isSaid {
                add(
                    "\(property.name) needs objects of \(relationship.destination) made from \(entity), but no entity mapping "
                        + "makes them. Add an entity mapping with \"make\", or remove \(property.name)",
                    at: line)
            }
            return nil
        case 1:
            return .destinationInstances(forEntityMappingNamed: makers[0].name, sourceInstances: operand)
        case _ where keys.count == 1:
            return .destinationInstances(forSourceRelationshipNamed: keys[0], sourceInstances: operand)
        default:
            // Any relationship to that entity stands for all mappings that take its objects.
            if let same = pairing.old.properties(of: from).first(where: {
                $0.relationship?.destination == entity && $0.hasOwnValues
            }) {
                return .destinationInstances(forSourceRelationshipNamed: same.name, sourceInstances: operand)
            }
            add(
                "\(property.name) is ambiguous, because several entity mappings make its objects: \(makers.map(\.name).joined(separator: ", ")). "
                    + "For the objects of one mapping, write in \"set\": "
                    + "FUNCTION($manager, 'destinationInstancesForEntityMappingNamed:sourceInstances:', '\(makers[0].name)', \(operand)). "
                    + "For the objects of all of them, use 'destinationInstancesForSourceRelationshipNamed:sourceInstances:' with the name of a "
                    + "relationship from \(from) to \(entity)",
                at: line)
            return nil
        }
    }

    private static func hint(_ name: String, _ names: [String], _ kind: String) -> String {
        if let nearest = NearestName.of(name, among: names) { return ". Did you mean \(nearest)?" }
        return names.isEmpty
            ? ", and no other \(kind). Remove \(name)"
            : ". Use one of these: \(names.sorted().joined(separator: ", "))"
    }
}

extension EntityMapping {
    fileprivate mutating func add(_ mapping: PropertyMapping, _ property: PropertyDescription) {
        if property.attribute != nil {
            attributeMappings.append(mapping)
        } else {
            relationshipMappings.append(mapping)
        }
    }
}

extension PropertyDescription {
    /// Whether it is stored, and not computed of others.
    fileprivate var hasOwnValues: Bool {
        if let attribute { return attribute.isStored && attribute.derivationExpression == nil }
        return relationship?.isTransient == false
    }
}
