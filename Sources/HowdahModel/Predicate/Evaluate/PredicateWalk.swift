/// The values at the end of a key path; several if it crosses a to-many relationship.
///
/// If an object on the way is missing, the value is nil, once for each object that lacks it.
struct PredicateWalk {
    private let path: [String]
    private var crossesToMany: Bool
    private var isMissing = false
    private(set) var isCaseInsensitive = false
    private var values: [Value] = []
    private var array: [Value]??
    /// The objects at the end, if there are objects.
    private(set) var objects: [any PredicateSubject] = []
    /// The beginning of the path, for the model's description of it.
    private let origin: PredicateOrigin?

    /// Follows `keys` from one object, or from nil.
    init(
        from owner: (any PredicateSubject)?, _ keys: [String]
    ) throws(PredicateTreeError) {
        path = keys
        crossesToMany = false
        origin = owner.map { PredicateOrigin(subject: $0, path: []) }
        try walk(owner, keys[...])
    }

    /// Follows `keys` from each of several objects. If an operator is first, it makes one value of all.
    init(
        fromEach owners: [any PredicateSubject], _ keys: [String], origin: PredicateOrigin?
    ) throws(PredicateTreeError) {
        path = keys
        self.origin = origin
        crossesToMany = true
        if let op = keys.first.flatMap(PredicateTree.KeyPathOperator.init(rawValue:)) {
            crossesToMany = false
            try gather(op, owners, keys.dropFirst())
        } else {
            for owner in owners { try walk(owner, keys[...]) }
        }
    }

    var outcome: PreparedComparison.Values {
        if crossesToMany {
            // An array behind a missing object has no elements, as a nil one.
            return .many(array == nil ? values : values.map { $0.isNull ? .array([]) : $0 })
        }
        if let array { return .array(array) }
        return isMissing ? .missing : .one(values.first ?? .null)
    }

    private mutating func walk(
        _ owner: (any PredicateSubject)?, _ keys: ArraySlice<String>
    ) throws(PredicateTreeError) {
        guard let owner else {
            isMissing = true
            values.append(.null)
            return
        }
        guard let key = keys.first else {
            values.append(owner.predicateValue)
            objects.append(owner)
            return
        }
        guard let operand = owner.predicateOperand(forKey: key) else {
            throw PredicateTreeError(
                .unknownKey,
                "The object has no property \(key), which the key path \(text) names. Correct "
                    + "the key path.",
                token: key)
        }
        let rest = keys.dropFirst()
        if let op = rest.first.flatMap(PredicateTree.KeyPathOperator.init(rawValue:)) {
            switch operand {
            case .array(let elements): try gather(op, elements, rest.dropFirst())
            case .many(let members): try gather(op, members, rest.dropFirst())
            case .value, .caseInsensitive, .document, .entity, .one:
                throw PredicateTreeError(
                    .invalidOperand,
                    "\(op.rawValue) needs a to-many relationship or an array, but \(key) in \(text) is "
                        + "neither. Correct the key path.",
                    token: key)
            }
            return
        }
        switch operand {
        case .many(let members):
            crossesToMany = true
            for member in members { try walk(member, rest) }
        case .one(nil) where crossesToMany && owner.predicatePlace(at: Array(keys))?.crossesToMany ?? false:
            // Behind a missing object there are no members.
            break
        case .one(let object): rest.isEmpty && object == nil ? values.append(.null) : try walk(object, rest)
        case .value(let value) where rest.isEmpty: values.append(value)
        case .caseInsensitive(let value) where rest.isEmpty:
            isCaseInsensitive = true
            values.append(value)
        case .array(let elements) where rest.isEmpty:
            array = .some(elements)
            values.append(.array(elements ?? []))
        case .entity(let lineage) where rest.isEmpty || rest.elementsEqual(["name"]):
            values.append(lineage.last.map { .string($0) } ?? .null)
        case .entity(let lineage) where rest.elementsEqual(["lineage"]):
            array = .some(lineage.map { .string($0) })
            values.append(.array(lineage.map { .string($0) }))
        case .entity: throw .noPartOfEntity(text)
        case .document(let document) where rest.isEmpty: values.append(document.value)
        case .document(let document): try walk(document, rest)
        case .value(.null), .caseInsensitive(.null): try walk(nil, rest)
        case .value, .caseInsensitive, .array:
            throw PredicateTreeError(
                .invalidOperand,
                "\(key) is an attribute, but the key path \(text) continues after it. "
                    + "Remove the keys after it.",
                token: key)
        }
    }

    /// Applies an operator to the members of one object.
    private mutating func gather(
        _ op: PredicateTree.KeyPathOperator, _ members: [any PredicateSubject], _ keys: ArraySlice<String>
    ) throws(PredicateTreeError) {
        if op == .count {
            values.append(.int(Int64(members.count)))
            return
        }
        let inner = try PredicateWalk(fromEach: members, Array(keys), origin: origin)
        if inner.array != nil {
            throw PredicateTreeError(
                .invalidOperand,
                "The key after \(op.rawValue) in \(text) is an array. Use a key with one "
                    + "value for each member."
            )
        }
        if let function = op.function {
            values.append(
                try PredicateAggregation.value(function, inner.values, zero: origin?.zero(at: path)))
        } else {
            crossesToMany = true
            isCaseInsensitive = isCaseInsensitive || inner.isCaseInsensitive
            values += op == .distinct ? PredicateAggregation.distinct(inner.values) : inner.values
        }
    }

    /// Applies an operator to an array.
    private mutating func gather(
        _ op: PredicateTree.KeyPathOperator, _ elements: [Value]?, _ keys: ArraySlice<String>
    ) throws(PredicateTreeError) {
        guard let function = op.function, keys.isEmpty else {
            throw PredicateTreeError(
                .invalidOperand,
                "Only @count can follow an array. For another function, write "
                    + "\(op.function?.rawValue ?? "sum:")(array)."
            )
        }
        values.append(
            try elements.map { (elements) throws(PredicateTreeError) in
                try PredicateAggregation.value(function, elements, zero: origin?.zero(at: path))
            } ?? .null)
    }

    private var text: String { path.joined(separator: ".") }
}
