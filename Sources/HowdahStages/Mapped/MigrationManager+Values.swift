import HowdahMigration
public import HowdahModel
public import HowdahRuntime
import HowdahSchema

extension PredicateTree.Expression {
    /// The key path from the source object, if the whole expression is one.
    fileprivate var sourcePath: String? {
        guard case .path(.variable(MappingExpression.Variable.source.rawValue), let keys) = self else {
            return nil
        }
        return keys.joined(separator: ".")
    }
}

extension MigrationManager {
    /// Sets the attributes of a destination object by the mapping, for a policy that creates objects itself.
    ///
    /// - Throws: `MigrationError` with `mappingFailed` for a value that an attribute cannot hold.
    public func setAttributes(
        of destination: ManagedObject, from source: ManagedObject?, in mapping: EntityMapping
    ) throws {
        for property in mapping.attributeMappings {
            guard let expression = property.valueExpression,
                let slot = destination.layout.slotsByName[property.name],
                let attribute = destination.layout.attribute(slot), !attribute.isDerived
            else { continue }
            let value: Value?
            self.property = property
            defer { self.property = nil }
            switch try outcome(expression.root, source, destination, mapping) {
            case .value(let given):
                value = attribute.type.fitting(given, of: expression.root)
                if value == nil, let fault = ValueFault.of(given, expression.root, for: attribute.type) {
                    throw failure(fault, expression, source, mapping)
                }
            case .any(let given): value = BatchValue.attribute(given as Any, attribute.type)
            case .objects(let objects): value = objects.isEmpty ? .null : nil
            }
            guard let value else {
                throw MigrationError(
                    .mappingFailed,
                    "\(mapping.name).\(property.name): \(expression) of \(place(source)) evaluates to a value that the attribute cannot "
                        + "hold. Use a migration policy to convert the value to \(attribute.type.name).")
            }
            destination._willWrite(slot)
            _ = destination._assign(value.normalized, at: slot)
        }
    }

    /// Sets the relationships of a destination object by the mapping.
    ///
    /// - Throws: `MigrationError` with `mappingFailed` for objects of another entity.
    public func setRelationships(of destination: ManagedObject, in mapping: EntityMapping) throws {
        let wanted = mapping.relationshipMappings.filter { $0.valueExpression != nil }
        if wanted.isEmpty { return }
        let source = try sourceInstances(
            forEntityMappingName: mapping.name, destinationInstances: [destination]
        ).first
        for property in wanted {
            guard let expression = property.valueExpression,
                let slot = destination.layout.slotsByName[property.name],
                let relationship = destination.layout.slots[slot].relationship
            else { continue }
            let family = destinationContext.layouts[relationship.destination].family
            var objects = try objects(expression.root, source, destination, mapping)
            if case .destinationInstances? = expression.call {
                objects.removeAll { !family.contains($0.layout.index) }
            }
            guard
                objects.allSatisfy({
                    $0.managedObjectContext === destinationContext && family.contains($0.layout.index)
                })
            else {
                throw MigrationError(
                    .mappingFailed,
                    "\(mapping.name).\(property.name): \(expression) evaluates to objects that the relationship cannot refer to. "
                        + "Use an expression for destination objects of the relationship's entity."
                )
            }
            if relationship.isSelfInverse {
                try link(destination, to: objects, by: property.name, relationship)
            } else {
                destination.setValue(relationship.isToMany ? objects : objects.first, forKey: property.name)
            }
        }
    }

    /// Links an object by a relationship that is its own inverse. Links that other objects created before
    /// stay.
    private func link(
        _ destination: ManagedObject, to objects: [ManagedObject], by name: String,
        _ relationship: RelationshipLayout
    ) throws {
        if relationship.isToMany {
            let present =
                relationship.isOrdered
                ? Array(destination.orderedMembers(forKey: name)) : Array(destination.members(forKey: name))
            return destination.setValue(objects + present.filter { !objects.contains($0) }, forKey: name)
        }
        guard let member = objects.first else { return }
        for (object, partner) in [(destination, member), (member, destination)] {
            guard let present = object.value(forKey: name) as? ManagedObject, present !== partner else {
                continue
            }
            let entity = object.layout.name
            let check = MigrationStep.Check(
                severalAt: "\(entity).\(name)", of: entity,
                remedy:
                    "Give \(entity).\(name) no inverse, or remove all but one of the references in an earlier stage"
            )
            throw MigrationError(.unfitData, check.message([object.key], of: 1))
        }
        destination.setValue(member, forKey: name)
    }

    private enum Outcome {
        case value(Value)
        case any(Any?)
        case objects([ManagedObject])
    }

    private func outcome(
        _ expression: PredicateTree.Expression, _ source: ManagedObject?, _ destination: ManagedObject?,
        _ mapping: EntityMapping
    ) throws -> Outcome {
        switch expression.mappingCall {
        case .destinationInstances(let lookup, let name, let operand)?:
            let sources = try objects(operand, source, destination, mapping)
            guard let entry = layouts.entry(named: mapping.name) else { return .objects([]) }
            let makers = layouts.makers(lookup, name, of: entry, from: sources.lazy.map(\.layout))
            return .objects(try destinations(of: sources.map(\.key), makers))
        case .policy(let selector, let operands)?:
            let arguments = try operands.map { operand -> Any? in
                if let path = operand.sourcePath { return source?.value(forKey: path) }
                switch operand {
                case .variable(MappingExpression.Variable.manager.rawValue): return self
                case .variable(MappingExpression.Variable.entityMapping.rawValue): return mapping
                case .variable(MappingExpression.Variable.propertyMapping.rawValue): return property
                case .variable(MappingExpression.Variable.entityPolicy.rawValue): return policy
                default: break
                }
                switch try outcome(operand, source, destination, mapping) {
                case .any(let given): return given
                case .objects(let objects): return objects.count == 1 ? objects[0] as Any : objects
                case .value(let value): return ValueCoding.any(value, of: .undefined)
                }
            }
            return .any(
                try policy?.value(
                    forSelector: selector, arguments: arguments, in: mapping, manager: self))
        case .unknown(_, let selector, _)?:
            throw MigrationError(
                .mappingFailed,
                "\(mapping.name): Unknown function '\(selector)' in a mapping expression. Implement the function in the entity's migration policy, and call it as FUNCTION($entityPolicy, '\(selector)', …)."
            )
        case nil: break
        }
        if case .path(let base, let keys) = expression, base.mappingCall != nil,
            !keys.contains(where: { PredicateTree.KeyPathOperator(rawValue: $0) != nil })
        {
            let path = keys.joined(separator: ".")
            return .any(try objects(base, source, destination, mapping).first?.value(forKey: path))
        }
        // As it is stored, whatever type it has.
        if case .path(.variable(MappingExpression.Variable.source.rawValue), let keys) = expression,
            keys.count == 1, let source, let slot = source.layout.slotsByName[keys[0]],
            source.layout.attribute(slot) != nil
        {
            source._willRead(slot)
            return .value(source._value(at: slot))
        }
        if case .path(.variable(MappingExpression.Variable.source.rawValue), let keys) = expression,
            let source, let related = related(to: source, keys)
        {
            return .objects(related)
        }
        var variables: [String: any PredicateSubject] = [:]
        variables[MappingExpression.Variable.source.rawValue] = source
        variables[MappingExpression.Variable.destination.rawValue] = destination
        var hasCalls = false
        let answered = try expression.answering { call, isMany in
            hasCalls = true
            let objects: [ManagedObject]
            switch try outcome(call, source, destination, mapping) {
            case .value(let value): return .constant(value)
            case .objects(let found): objects = found
            case .any(let given as ManagedObject): objects = [given]
            case .any(let given as [ManagedObject]): objects = given
            case .any(let given):
                guard let value = ValueCoding.value(given, for: .undefined, path: [], in: .null) else {
                    throw MigrationError(
                        .mappingFailed,
                        "\(mapping.name): \(call) returned \(given.map { "\(type(of: $0))" } ?? "nothing"), which \(expression) "
                            + "cannot use. Return a number, a text, a date or objects.")
                }
                return .constant(value)
            }
            let name = "call \(variables.count)"
            variables[name] = CreatedObjects(objects: objects, isMany: isMany)
            return .path(.variable(name), [CreatedObjects.key])
        }
        // With the answers of one object in it, it is of no use for another one.
        let evaluator = hasCalls ? try ExpressionEvaluator(answered) : try evaluator(expression)
        switch try evaluator.evaluate(variables) {
        case .value(.null):
            if let fault = ValueFault.overflow(answered) {
                let test = PredicateTree.Expression.conditional(
                    fault.condition, .constant(.bool(true)), .constant(.bool(false)))
                let evaluator = hasCalls ? try ExpressionEvaluator(test) : try self.evaluator(test)
                if case .value(.bool(true)) = try evaluator.evaluate(variables) {
                    throw failure(fault, try MappingExpression(expression), source, mapping)
                }
            }
            return .value(.null)
        case .value(let value): return .value(value)
        case .objects(let subjects): return .objects(subjects.compactMap { $0 as? ManagedObject })
        }
    }

    /// Returns the objects at the end of relationships, each once; nil if the path has another end.
    private func related(to source: ManagedObject, _ keys: [String]) -> [ManagedObject]? {
        // The model has the answer, because there may be no objects.
        guard let links = layouts.relationships(keys, from: source.layout), !links.isEmpty else { return nil }
        return links.reduce([source]) { found, link in
            let key = link.relationship.name
            var next: [ManagedObject] = []
            for object in found {
                switch object.value(forKey: key) {
                case let members as [ManagedObject]: next += members
                case let member as ManagedObject: next.append(member)
                default: break
                }
            }
            var seen: Set<ObjectIdentifier> = []
            return next.filter { seen.insert(ObjectIdentifier($0)).inserted }
        }
    }

    private func objects(
        _ expression: PredicateTree.Expression, _ source: ManagedObject?, _ destination: ManagedObject?,
        _ mapping: EntityMapping
    ) throws -> [ManagedObject] {
        switch try outcome(expression, source, destination, mapping) {
        case .objects(let objects): return objects
        case .any(let given):
            if let objects = given as? [ManagedObject] { return objects }
            if let object = given as? ManagedObject { return [object] }
            if given == nil { return [] }
        case .value(let value): if value.isNull { return [] }
        }
        throw MigrationError(
            .mappingFailed,
            "\(mapping.name): \(expression) evaluates to a value, but a relationship needs objects. Use an expression that "
                + "evaluates to objects.")
    }

    private func evaluator(_ expression: PredicateTree.Expression) throws -> ExpressionEvaluator {
        let key = try MappingExpression(expression)
        if let known = evaluators[key] { return known }
        let evaluator = try ExpressionEvaluator(expression)
        evaluators[key] = evaluator
        return evaluator
    }

    private func failure(
        _ fault: ValueFault, _ expression: MappingExpression, _ source: ManagedObject?,
        _ mapping: EntityMapping
    ) -> MigrationError {
        let name = property.map { "\(mapping.name).\($0.name)" } ?? mapping.name
        return MigrationError(.mappingFailed, fault.message(name, expression, place(source)))
    }

    private func place(_ source: ManagedObject?) -> String {
        source.map { "\($0.entityName) \($0.key)" } ?? "no object"
    }
}
