import HowdahModel

extension FetchedProperty {
    /// Returns the request for one object.
    ///
    /// - Throws: `PredicateTreeError` for a predicate that cannot be read, or with invalid variables.
    func request(for source: ManagedObject) throws -> FetchRequest<ManagedObject> {
        if let complaint { throw complaint }
        var request: FetchRequest<ManagedObject> = description.fetchRequest.requestForAll()
        guard let predicate else { return request }
        var values: [String: PredicateTree.Expression] = [:]
        for variable in predicate.variables {
            let path = variable.split(separator: ".").map(String.init)
            switch path.first {
            case FetchedPropertyDescription.source: values[variable] = try value(of: source, path.dropFirst())
            case FetchedPropertyDescription.property: values[variable] = try value(path.dropFirst())
            default:
                throw PredicateTreeError(
                    .unboundVariable,
                    "The variable $\(variable) has no value. Use $FETCH_SOURCE or $FETCHED_PROPERTY in a fetched "
                        + "property.",
                    token: "$\(variable)")
            }
        }
        request.predicate = try predicate.substituting(values)
        return request
    }

    /// Returns the value of `$FETCHED_PROPERTY`: the property's name, or an entry of its annotations.
    private func value(_ path: ArraySlice<String>) throws -> PredicateTree.Expression {
        if path.isEmpty || Array(path) == ["name"] { return .constant(.string(name)) }
        if path.count == 2, path.first == "userInfo", let key = path.last {
            return .constant(description.userInfo[key].map(Value.string) ?? .null)
        }
        throw PredicateTreeError(
            .unknownKey,
            "$FETCHED_PROPERTY has no key path '\(path.joined(separator: "."))'. Use name or userInfo.<key>."
        )
    }

    /// Returns the value at a key path of `$FETCH_SOURCE`; to-many steps return all their values.
    private func value(
        of source: ManagedObject, _ path: ArraySlice<String>
    ) throws -> PredicateTree.Expression {
        if path.isEmpty { return .constant(source.predicateIdentity.map(Value.reference) ?? .null) }
        var subjects: [any PredicateSubject] = [source]
        var isCollection = false
        var values: [Value] = []
        for (place, key) in zip(path.indices, path) {
            let isLast = place == path.endIndex - 1
            var next: [any PredicateSubject] = []
            for subject in subjects {
                switch subject.predicateOperand(forKey: key) {
                case .value(let value)? where isLast: values.append(value)
                case .array(let elements)? where isLast:
                    isCollection = isCollection || elements != nil
                    values += elements ?? [.null]
                case .one(let destination)?: if let destination { next.append(destination) }
                case .many(let members)?:
                    isCollection = true
                    next += members
                default: throw deadEnd(path)
                }
            }
            subjects = next
        }
        for subject in subjects {
            guard let identity = subject.predicateIdentity else { throw deadEnd(path) }
            values.append(.reference(identity))
        }
        return isCollection ? .collection(values) : .constant(values.first?.normalized ?? .null)
    }

    private func deadEnd(_ path: ArraySlice<String>) -> PredicateTreeError {
        PredicateTreeError(
            .unknownKey,
            "$FETCH_SOURCE.\(path.joined(separator: ".")) does not lead to an attribute or relationship. "
                + "Correct the key path."
        )
    }
}
