extension PredicateOperandStep {
    func outcome(_ context: PredicateContext) throws(PredicateTreeError) -> Outcome {
        switch self {
        case .constant(let values): return Outcome(values: values)
        case .keyPath(let keys):
            var outcome = Outcome(try PredicateWalk(from: context.subject, keys))
            outcome.origin = PredicateOrigin(subject: context.subject, path: keys)
            return outcome
        case .evaluatedObject:
            return Outcome(
                values: .one(context.subject.predicateValue), objects: [context.subject],
                origin: PredicateOrigin(subject: context.subject, path: []))
        case .variable(let name):
            guard let member = context.members[name] else {
                throw PredicateTreeError(
                    .unboundVariable,
                    "The variable $\(name) has no value. Set $\(name) with withSubstitutionVariables(_:).",
                    token: "$\(name)")
            }
            return Outcome(
                values: .one(member.predicateValue), objects: [member],
                origin: PredicateOrigin(subject: member, path: []))
        case .path(let base, let keys): return try path(base, keys, context)
        case .aggregate(let members): return try aggregate(members, context)
        case .function(let function, let operands): return try self.function(function, operands, context)
        case .cast(let operand, let type):
            return Outcome(values: .one(try PredicateCast.cast(try operand.value(context), to: type)))
        case .conditional(let test, let a, let b):
            var outcome = try (try test.holds(context) ? a : b).outcome(context)
            outcome.isCaseInsensitive = false
            if case .missing = outcome.values { outcome.values = .one(.null) }
            return outcome
        case .subquery(let members, let variable, let condition):
            var inner = context
            var objects: [any PredicateSubject] = []
            let all = try members.outcome(context)
            for member in try Self.objects(of: all) {
                inner.members[variable] = member
                if try condition.holds(inner) { objects.append(member) }
            }
            return Outcome(
                values: .many(objects.map(\.predicateValue)), objects: objects, origin: all.origin)
        case .element(let base, let position): return try element(position, of: try base.outcome(context))
        case .set(let op, let a, let b):
            let (left, right) = (try a.outcome(context), try b.outcome(context))
            var outcome = try set(op, left, right)
            outcome.origin = left.origin ?? right.origin
            return outcome
        }
    }

    /// Returns one value, for operands of functions.
    func value(_ context: PredicateContext) throws(PredicateTreeError) -> Value {
        switch try outcome(context).values {
        case .one(let value): return value
        case .missing: return .null
        case .array(nil): return .null
        case .array(let elements?): return .array(elements)
        case .many:
            throw PredicateTreeError(
                .invalidOperand,
                "A function needs one value, but a to-many key path has several. Apply sum:, min:, max:, "
                    + "average: or count: first."
            )
        }
    }

    /// Returns the objects of a sub-query.
    private static func objects(
        of outcome: Outcome
    ) throws(PredicateTreeError) -> [any PredicateSubject] {
        switch outcome.values {
        case .many(let values) where values.filter({ !$0.isNull }).count == outcome.objects.count:
            return outcome.objects
        case .missing: return []
        default:
            throw PredicateTreeError(
                .invalidOperand, "SUBQUERY needs a to-many relationship. Use one as its first operand.")
        }
    }

    private func path(
        _ base: PredicateOperandStep, _ keys: [String], _ context: PredicateContext
    ) throws(PredicateTreeError) -> Outcome {
        let outcome = try base.outcome(context)
        var result = try Self.path(outcome, keys)
        result.origin = outcome.origin?.following(keys)
        return result
    }

    private static func path(_ outcome: Outcome, _ keys: [String]) throws(PredicateTreeError) -> Outcome {
        switch outcome.values {
        case .missing: return Outcome(try PredicateWalk(from: nil, keys))
        case .many(let values) where values.filter({ !$0.isNull }).count == outcome.objects.count:
            return Outcome(try PredicateWalk(fromEach: outcome.objects, keys, origin: outcome.origin))
        case .many(let values) where keys == [PredicateTree.Expression.countKey]:
            return Outcome(values: .one(.int(Int64(values.count))))
        case .one(.null): return Outcome(try PredicateWalk(from: nil, keys))
        case .one where outcome.objects.count == 1:
            return Outcome(try PredicateWalk(from: outcome.objects[0], keys))
        case .array(let elements) where keys == [PredicateTree.Expression.countKey]:
            return Outcome(values: .one(elements.map { .int(Int64($0.count)) } ?? .null))
        default:
            throw PredicateTreeError(
                .invalidOperand,
                "Only objects have key paths, but .\(keys.joined(separator: ".")) follows a value. Remove "
                    + ".\(keys.joined(separator: "."))."
            )
        }
    }

    private func aggregate(
        _ members: [PredicateOperandStep], _ context: PredicateContext
    ) throws(PredicateTreeError) -> Outcome {
        var values: [Value] = []
        var isCaseInsensitive = false
        for member in members {
            values.append(try member.value(context))
            if try member.outcome(context).isCaseInsensitive { isCaseInsensitive = true }
        }
        return Outcome(values: .many(values), isCaseInsensitive: isCaseInsensitive)
    }

    private func function(
        _ function: PredicateTree.Function, _ operands: [PredicateOperandStep], _ context: PredicateContext
    ) throws(PredicateTreeError) -> Outcome {
        guard function.isAggregate else {
            var values: [Value] = []
            for operand in operands { values.append(try operand.value(context)) }
            return Outcome(values: .one(try PredicateFunction.value(function, values)))
        }
        let outcome = try operands[0].outcome(context)
        switch outcome.values {
        case .many(let values), .array(let values?), .one(.array(let values)):
            var zero: Value?
            if function == .sum, values.allSatisfy(\.isNull) {
                zero = outcome.origin?.zero(at: [])
                if zero == nil { zero = try operands[0].zero(context) }
            }
            return Outcome(values: .one(try PredicateAggregation.value(function, values, zero: zero)))
        case .array(nil), .missing, .one(.null): return Outcome(values: .one(.null))
        case .one:
            throw PredicateTreeError(
                .invalidOperand,
                "\(function.rawValue) needs several values. Use a to-many key path, an "
                    + "array or {a, b}.")
        }
    }

    private func element(
        _ position: PredicateTree.Position, of outcome: Outcome
    ) throws(PredicateTreeError) -> Outcome {
        func place(_ count: Int) -> Int? {
            switch position {
            case .first: count > 0 ? 0 : nil
            case .last: count > 0 ? count - 1 : nil
            case .number(let number): number < count ? number : nil
            }
        }
        switch outcome.values {
        case .array(let elements?), .one(.array(let elements)):
            return Outcome(values: .one(place(elements.count).map { elements[$0] } ?? .null))
        case .many(let values) where values.count == outcome.objects.count:
            guard let place = place(values.count) else { return Outcome(values: .one(.null)) }
            return Outcome(
                values: .one(values[place]), objects: [outcome.objects[place]], origin: outcome.origin)
        case .missing, .array(nil), .one(.null): return Outcome(values: .one(.null))
        case .one, .many:
            throw PredicateTreeError(
                .invalidOperand,
                "An index needs an array or an ordered relationship before it. Remove the "
                    + "index.")
        }
    }

    private func set(
        _ op: PredicateTree.SetOperator, _ a: Outcome, _ b: Outcome
    ) throws(PredicateTreeError) -> Outcome {
        let (left, right) = (try members(of: a), try members(of: b))
        let kept =
            switch op {
            case .union: left + right
            case .intersect: left.filter { one in right.contains { $0.equals(one) } }
            case .minus: left.filter { one in !right.contains { $0.equals(one) } }
            }
        var unique: [Member] = []
        for member in kept where !unique.contains(where: { $0.equals(member) }) { unique.append(member) }
        return Outcome(values: .many(unique.map(\.value)), objects: unique.compactMap(\.object))
    }

    private struct Member {
        let value: Value
        let object: (any PredicateSubject)?

        func equals(_ other: Member) -> Bool { PreparedComparison.equal(value, other.value) }
    }

    private func members(of outcome: Outcome) throws(PredicateTreeError) -> [Member] {
        switch outcome.values {
        case .many(let values) where values.count == outcome.objects.count:
            return zip(values, outcome.objects).map { Member(value: $0, object: $1) }
        case .many(let values): return values.map { Member(value: $0, object: nil) }
        case .array(let elements): return (elements ?? []).map { Member(value: $0, object: nil) }
        case .missing: return []
        case .one:
            throw PredicateTreeError(
                .invalidOperand,
                "UNION, INTERSECT and MINUS need two collections. Use "
                    + "a collection on both sides.")
        }
    }
}

extension PredicateOperandStep.Outcome {
    fileprivate init(_ walk: PredicateWalk) {
        self.init(
            values: walk.outcome, isCaseInsensitive: walk.isCaseInsensitive, objects: walk.objects)
    }
}
