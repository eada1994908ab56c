import Foundation
import HowdahModel

/// Values for arguments that are open, so that a format can be tried without those of the program.
///
/// Each is of the type of what it is compared with.
struct SampleArguments {
    let model: ManagedObjectModel

    /// The trees to try, the likeliest first: what stands against something without a type may be a text, a number or a
    /// date.
    func candidates(for tree: PredicateTree, entity: String) throws(PredicateTreeError) -> [PredicateTree] {
        let names = tree.variables
        if names.isEmpty { return [tree] }
        var samples: [String: PredicateTree.Expression] = [:]
        collect(from: tree.root, entity, &samples)
        var trees: [PredicateTree] = []
        for fallback: Value in [.string("x"), .int(1), .date(Date(timeIntervalSinceReferenceDate: 0))] {
            let all = names.reduce(into: samples) { samples, name in
                if samples[name] == nil { samples[name] = .constant(fallback) }
            }
            trees.append(try tree.substituting(all))
            if samples.count == names.count { break }
        }
        return trees
    }

    private func collect(
        from node: PredicateTree.Node, _ entity: String, _ samples: inout [String: PredicateTree.Expression]
    ) {
        switch node {
        case .and(let members), .or(let members):
            for member in members { collect(from: member, entity, &samples) }
        case .not(let inner): collect(from: inner, entity, &samples)
        case .comparison(let lhs, let op, let rhs, _, _):
            note(rhs, against: lhs, op, entity, isRight: true, &samples)
            note(lhs, against: rhs, op, entity, isRight: false, &samples)
        default: break
        }
    }

    private func note(
        _ side: PredicateTree.Expression, against peer: PredicateTree.Expression,
        _ op: PredicateTree.Operator, _ entity: String, isRight: Bool,
        _ samples: inout [String: PredicateTree.Expression]
    ) {
        guard let value = sample(for: peer, entity) else { return }
        switch side {
        case .variable(let name):
            let isCollection = isRight ? op == .in || op == .between : op == .contains
            if op == .between, isRight {
                samples[name] = .collection([value, value])
            } else {
                samples[name] = isCollection ? .collection([value]) : .constant(value)
            }
        case .aggregate(let members):
            for case .variable(let name) in members { samples[name] = .constant(value) }
        default: break
        }
    }

    private func sample(for expression: PredicateTree.Expression, _ entity: String) -> Value? {
        switch expression {
        case .evaluatedObject: .reference(ObjectReference(key: 1, entity: entity))
        case .keyPath(let path): sample(at: path[...], entity)
        default: nil
        }
    }

    /// A value like those at the end of a key path.
    private func sample(at path: ArraySlice<String>, _ entity: String) -> Value? {
        guard let name = path.first else { return .reference(ObjectReference(key: 1, entity: entity)) }
        if name == PredicateTree.Expression.countKey { return .int(1) }
        switch model.property(named: name, of: entity)?.kind {
        case .relationship(let relationship): return sample(at: path.dropFirst(), relationship.destination)
        case .attribute(var attribute):
            for name in path.dropFirst() {
                if name == PredicateTree.Expression.countKey { return .int(1) }
                guard let element = attribute.type.composite?.elements.first(where: { $0.name == name })
                else { return nil }
                attribute = element
            }
            return attribute.sample
        case nil: return nil
        }
    }
}

extension AttributeDescription {
    /// A value that the attribute takes; the same each time.
    fileprivate var sample: Value? {
        if let value = allowedValues.first ?? defaultValue { return value }
        return (type.element ?? type).sample
    }
}

extension AttributeType {
    fileprivate var sample: Value? {
        switch self {
        case .integer16, .integer32, .integer64: .int(1)
        case .decimal: .decimal(1)
        case .double: .double(1)
        case .float: .float(1)
        case .boolean: .bool(true)
        case .date: .date(Date(timeIntervalSinceReferenceDate: 0))
        case .uuid: .uuid(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1)))
        case .uri: URL(string: "https://example.org").map(Value.uri)
        case .binary: .data(Data([1]))
        case .string: .string("x")
        default: nil
        }
    }
}
