import HowdahModel
import PQClient

/// Resolves key paths in the model and joins the tables on them.
package struct KeyPathResolver {
    let layouts: [EntityLayout]

    package init(layouts: [EntityLayout]) { self.layouts = layouts }

    /// The place of the store's functions.
    var folding: FoldingFunction.Place {
        layouts.first?.folding ?? FoldingFunction.Place(schemaName: "", isInline: true)
    }

    /// The end of a path: an operand, or the members of a to-many step.
    package enum Outcome {
        case operand(ResolvedOperand)
        case members(MemberSource)
    }

    /// Follows `path` from `scope`.
    ///
    /// - Throws: `PredicateTreeError.unknownKey` with the nearest name, or `invalidOperand` for a path
    ///   through an attribute.
    func resolve(_ path: ArraySlice<String>, in start: SQLScope) throws -> Outcome {
        var scope = start
        let whole = path
        var path = path
        var isNullable = false
        while let name = path.popFirst() {
            guard let slot = scope.layout.slotsByName[name] else {
                if name == "entity", scope.layout.fetchedProperties[name] == nil {
                    return .operand(try entity(path, of: scope, isNullable: isNullable))
                }
                throw unknown(name, of: whole, in: scope.layout)
            }
            let property = scope.layout.slots[slot]
            switch property.kind {
            case .attribute(let attribute):
                return .operand(
                    try attributeOperand(attribute.description, property, path, scope, isNullable: isNullable)
                )
            case .toOne(let relationship) where relationship.isTransient,
                .toMany(let relationship) where relationship.isTransient:
                throw PredicateTreeError(
                    .invalidOperand,
                    "\(scope.layout.name).\(relationship.name) is transient and not in the database. Filter after the "
                        + "fetch."
                )
            case .toOne(let relationship):
                if path.isEmpty { return .operand(try objectOperand(relationship, scope)) }
                scope = try scope.join(relationship)
                isNullable = true
            case .toMany(let relationship):
                return .members(.relationship(relationship, of: scope, rest: path, isNullable: isNullable))
            }
        }
        return .operand(.object(sql: scope.key, entity: scope.layout, isNullable: isNullable))
    }

    /// Returns the joined scope of the objects at the end of to-one relationships; nil if the path has
    /// another end.
    func objects(_ path: ArraySlice<String>, in start: SQLScope) throws -> SQLScope? {
        var scope = start
        for name in path {
            guard let slot = scope.layout.slotsByName[name],
                case .toOne(let relationship) = scope.layout.slots[slot].kind, !relationship.isTransient
            else { return nil }
            scope = try scope.join(relationship)
        }
        return scope
    }

    private func objectOperand(_ relationship: RelationshipLayout, _ scope: SQLScope) throws
        -> ResolvedOperand
    {
        let destination = layouts[relationship.destination]
        if case .foreignKey(let columns) = relationship.storage {
            return .object(sql: "\(scope.alias).\(columns.column)", entity: destination, isNullable: true)
        }
        let joined = try scope.join(relationship)
        return .object(sql: joined.key, entity: destination, isNullable: true)
    }

    private func attributeOperand(
        _ attribute: AttributeDescription, _ property: EntityLayout.Slot, _ path: ArraySlice<String>,
        _ scope: SQLScope, isNullable: Bool
    ) throws -> ResolvedOperand {
        let name = "\(scope.layout.name).\(attribute.name)"
        guard !property.columns.isEmpty else {
            throw PredicateTreeError(
                .invalidOperand,
                "\(name) is not stored, so that the database cannot compare it. Filter after the fetch.")
        }
        let leaves = try leaves(of: attribute, path, name, start: property.columns.lowerBound)
        let columns = leaves.map { place, optional, _ in
            let column = scope.layout.columns[place]
            return ResolvedColumn(
                sql: column.compared(scope.alias), type: column.type,
                isNullable: isNullable || optional, name: ([name] + path).joined(separator: "."),
                indexPrefix: column.indexPrefix, foldedPrefixes: column.foldedPrefixes,
                hasDigestIndex: column.hasDigestIndex,
                isCaseInsensitive: column.isCaseInsensitive,
                sortsAsConstraint: column.sortsAsConstraint && !isNullable && !optional,
                isBytewise: column.form?.isBytewise ?? true)
        }
        if let names = leaves.first?.names, !names.isEmpty {
            return .json(columns[0], path: Array(names))
        }
        if case .composite = attribute.type.kind, leaves.count != 1 || path.isEmpty {
            return .composite(columns)
        }
        return columns.count == 1 ? .column(columns[0]) : .composite(columns)
    }

    /// Returns the columns of an attribute, or of the part of a composite at `path`, and if each may be NULL.
    ///
    /// It also returns the names of the path's rest into a `jsonb` column.
    func leaves(
        of attribute: AttributeDescription, _ path: ArraySlice<String>, _ name: String, start: Int
    ) throws -> [(place: Int, isNullable: Bool, names: ArraySlice<String>)] {
        guard case .composite(let description) = attribute.type.kind else {
            guard path.isEmpty || attribute.isStoredAsJSON else {
                throw PredicateTreeError(
                    .unknownKey,
                    "\(name) is an attribute, and '\(path.first ?? "")' cannot follow it. Remove the keys after the "
                        + "attribute."
                )
            }
            return [(start, attribute.isOptional, path)]
        }
        var place = start
        for element in description.elements {
            let width = element.isStored ? element.type.columnCount : 0
            if let wanted = path.first, wanted != element.name {
                place += width
                continue
            }
            guard path.isEmpty || element.isStored else {
                throw PredicateTreeError(
                    .invalidOperand,
                    "\(name).\(element.name) is not stored, so that the database cannot compare it. Filter after the "
                        + "fetch."
                )
            }
            let inner = try leaves(of: element, path.dropFirst(), "\(name).\(element.name)", start: place)
            if !path.isEmpty {
                return inner.map { ($0.place, $0.isNullable || attribute.isOptional, $0.names) }
            }
            place += width
        }
        guard path.isEmpty else {
            let known = description.elements.map(\.name)
            throw PredicateTreeError(
                .unknownKey,
                "\(name) has no element '\(path.first ?? "")'. Use one of these: \(known.joined(separator: ", "))."
            )
        }
        return (start..<place).map { ($0, true, []) }
    }

    func unknown(
        _ name: String, of path: ArraySlice<String>, in layout: EntityLayout
    ) -> PredicateTreeError {
        if layout.fetchedProperties[name] != nil {
            return PredicateTreeError(
                .invalidOperand,
                "\(layout.name).\(name) is a fetched property and not in the database. Filter after the fetch."
            )
        }
        let place = path.count > 1 ? ", which the key path \(path.joined(separator: ".")) names" : ""
        return PredicateTreeError(
            .unknownKey,
            "\(layout.name) has no property '\(name)'\(place). \(suggestion(for: name, in: layout).text)",
            token: name)
    }

    /// Returns a suggestion for an unknown key.
    func suggestion(for name: String, in layout: EntityLayout) -> UnknownKey.Suggestion {
        if let current = layout.slots.first(where: { $0.renamingIdentifier == name }) {
            return .renamed(current.name)
        }
        let owner = layout.family.lazy.map { layouts[$0] }.first { $0.slotsByName[name] != nil }
        if let owner { return .subentity(owner.name) }
        let nearest = NearestName.of(name, among: layout.slots.map(\.name))
        return nearest.map { .nearest($0) } ?? .none
    }
}

extension AttributeType {
    /// The number of columns of an attribute of this type.
    var columnCount: Int {
        switch kind {
        case .undefined: 0
        case .composite(let description):
            description.elements.reduce(0) { $0 + ($1.isStored ? $1.type.columnCount : 0) }
        default: 1
        }
    }
}
