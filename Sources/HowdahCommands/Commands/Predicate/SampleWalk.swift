import Foundation
import HowdahModel

/// Finds the type of what each open argument of a predicate is compared with, also inside sub-queries and functions.
struct SampleWalk {
    private let model: ManagedObjectModel
    private var samples: [String: PredicateTree.Expression] = [:]

    /// The entities of the object at hand and of the members that sub-queries look at.
    private struct Place {
        let entity: String
        var members: [String: String] = [:]
    }

    init(_ model: ManagedObjectModel) { self.model = model }

    /// Returns a constant or collection for each argument whose type the model tells.
    func samples(for tree: PredicateTree, entity: String) -> [String: PredicateTree.Expression] {
        var walk = self
        walk.collect(from: tree.root, Place(entity: entity))
        let names = tree.variables
        return walk.samples.filter { names.contains($0.key) }
    }

    private mutating func collect(from node: PredicateTree.Node, _ place: Place) {
        switch node {
        case .and(let members), .or(let members): for member in members { collect(from: member, place) }
        case .not(let inner): collect(from: inner, place)
        case .comparison(let lhs, let op, let rhs, _, let modifier):
            if modifier == .direct, op == .equal || op == .notEqual {
                noteArrays(lhs, rhs, place)
                noteArrays(rhs, lhs, place)
            }
            note(rhs, against: lhs, op, place, isRight: true)
            note(lhs, against: rhs, op, place, isRight: false)
            collect(from: lhs, place)
            collect(from: rhs, place)
        case .constant, .invalid: break
        }
    }

    /// What stands inside an operand.
    private mutating func collect(from expression: PredicateTree.Expression, _ place: Place) {
        let (operands, condition) = expression.parts
        switch expression {
        case .function(let function, _): note(operands, function.operandSample, place)
        case .conditional, .aggregate: note(operands, nil, place)
        default: break
        }
        for operand in operands { collect(from: operand, place) }
        guard let condition else { return }
        var inner = place
        if case .subquery(let members, let variable, _) = expression {
            inner.members[variable] = entity(of: members, place)
        }
        collect(from: condition, inner)
    }

    /// Arguments among operands of one type.
    private mutating func note(
        _ operands: [PredicateTree.Expression], _ fallback: Value?, _ place: Place
    ) {
        guard let value = operands.compactMap({ sample(for: $0, place) }).first ?? fallback else {
            return
        }
        for case .variable(let name) in operands { note(name, .constant(value), place) }
    }

    /// An argument that is compared with an array as a whole.
    private mutating func noteArrays(
        _ side: PredicateTree.Expression, _ peer: PredicateTree.Expression, _ place: Place
    ) {
        guard case .variable(let name) = side, case .keyPath(let path) = peer,
            model.isArray(at: path, of: place.entity), let element = sample(for: peer, place)
        else { return }
        note(name, .constant(.array([element])), place)
    }

    private mutating func note(
        _ side: PredicateTree.Expression, against peer: PredicateTree.Expression,
        _ op: PredicateTree.Operator, _ place: Place, isRight: Bool
    ) {
        guard let value = sample(for: peer, place) else { return }
        switch side {
        case .variable(let name):
            let isCollection = isRight ? op == .in || op == .between : op == .contains
            if op == .between, isRight {
                note(name, .collection([value, value]), place)
            } else {
                note(name, isCollection ? .collection([value]) : .constant(value), place)
            }
        case .aggregate(let members):
            for case .variable(let name) in members { note(name, .constant(value), place) }
        default: break
        }
    }

    /// An argument has one value, wherever it stands.
    private mutating func note(_ name: String, _ sample: PredicateTree.Expression, _ place: Place) {
        if place.members[name] == nil, samples[name] == nil { samples[name] = sample }
    }

    // MARK: - What there is to compare with

    private func sample(for expression: PredicateTree.Expression, _ place: Place) -> Value? {
        switch expression {
        case .evaluatedObject: model.reference(to: place.entity)
        case .keyPath(let path): model.sample(at: path[...], of: place.entity)
        case .variable(let name): place.members[name].map(model.reference)
        case .path(let base, let keys):
            if keys == [PredicateTree.Expression.countKey] {
                .int(1)
            } else {
                entity(of: base, place).flatMap { model.sample(at: keys[...], of: $0) }
            }
        case .constant(let value): value.isNull ? nil : value
        case .collection(let values): values.first { !$0.isNull }
        case .aggregate(let members): members.lazy.compactMap { sample(for: $0, place) }.first
        case .function(let function, let operands): sample(of: function, operands, place)
        case .cast(_, let type): type.sample
        case .conditional(_, let a, let b): sample(for: a, place) ?? sample(for: b, place)
        case .element(let base, _): sample(for: base, place)
        case .subquery, .set: entity(of: expression, place).map(model.reference)
        case .call: nil
        }
    }

    private func sample(
        of function: PredicateTree.Function, _ operands: [PredicateTree.Expression], _ place: Place
    ) -> Value? {
        switch function {
        case .uppercase, .lowercase, .canonical: .string("x")
        case .length, .count: .int(1)
        case .now: .date(Date(timeIntervalSinceReferenceDate: 0))
        default: operands.lazy.compactMap { sample(for: $0, place) }.first ?? .int(1)
        }
    }

    /// The entity of the objects that an operand leads to.
    private func entity(of expression: PredicateTree.Expression, _ place: Place) -> String? {
        switch expression {
        case .evaluatedObject: place.entity
        case .keyPath(let path): model.destination(at: path, from: place.entity)
        case .variable(let name): place.members[name]
        case .path(let base, let keys):
            entity(of: base, place).flatMap { model.destination(at: keys, from: $0) }
        case .subquery(let members, _, _), .element(let members, _), .set(_, let members, _):
            entity(of: members, place)
        case .conditional(_, let a, let b): entity(of: a, place) ?? entity(of: b, place)
        case .constant, .collection, .aggregate, .function, .cast, .call: nil
        }
    }
}

extension PredicateTree.Function {
    /// What an argument stands for that is the operand of the function.
    fileprivate var operandSample: Value? {
        switch self {
        case .uppercase, .lowercase, .canonical, .length: .string("x")
        case .sum, .count, .min, .max, .average, .noIndex, .now: nil
        default: .int(1)
        }
    }
}
