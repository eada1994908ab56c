import Foundation
import HowdahModel
import SeededRandom

/// Comparisons of computed operands: arithmetic, functions, conditions, aggregates, sub-queries and sets.
extension RandomSamplePredicates {
    /// What a number is computed as; mixing is for operators between two.
    enum Number: CaseIterable { case integer, decimal, double }

    mutating func computed(depth: Int, in members: [String] = []) -> PredicateTree.Node {
        let op = random.generator.pick(
            [.equal, .notEqual, .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual]
                as [PredicateTree.Operator])
        switch random.generator.pick([0, 0, 0, 1, 1, 2, 3, 3, 4, 5, 6, 7]) {
        case 0: return .comparison(lhs: number(depth, members), op: op, rhs: number(depth - 1, members))
        case 1:
            let options: PredicateTree.Options = random.generator.pick(
                [[], [], .caseInsensitive, [.caseInsensitive, .diacriticInsensitive]])
            let operators: [PredicateTree.Operator] = [op, op, .contains, .beginsWith, .endsWith, .in]
            return .comparison(
                lhs: text(depth, members), op: random.generator.pick(operators),
                rhs: text(depth - 1, members),
                options: options)
        case 2: return .comparison(lhs: date(depth, members), op: op, rhs: date(depth - 1, members))
        case 3 where members.count < 2:
            let count = PredicateTree.Expression.path(subquery(depth, members), ["@count"])
            return .comparison(lhs: count, op: op, rhs: .constant(.int(random.generator.pick([0, 1, 2]))))
        case 4:
            let modifier = random.generator.pick([.any, .all, .none] as [PredicateTree.Modifier])
            let kind = random.generator.pick(Number.allCases)
            let collection =
                members.count < 2 && random.generator.chance(40)
                ? PredicateTree.Expression.joined(subquery(depth, members), leaf(kind))
                : place(
                    random.generator.pick([["owned"], ["owner", "owned"], ["owned", "owned"]]) + leaf(kind),
                    members)
            return .comparison(lhs: collection, op: op, rhs: number(depth - 1, members), modifier: modifier)
        case 5:
            let bounds = PredicateTree.Expression.aggregate([
                number(depth - 1, members), number(depth - 1, members),
            ])
            return .comparison(
                lhs: number(depth - 1, members), op: random.generator.pick([.between, .in]), rhs: bounds)
        case 6: return sets(depth, members)
        default:
            return .comparison(
                lhs: object(depth, members), op: random.generator.pick([.equal, .notEqual]),
                rhs: object(depth, members))
        }
    }

    /// Names from the object or from the member that a sub-query looks at.
    private mutating func place(_ keys: [String], _ members: [String]) -> PredicateTree.Expression {
        if let variable = members.last, random.generator.chance(60) {
            return .joined(.variable(variable), keys)
        }
        return .keyPath(keys)
    }

    private mutating func leaf(_ kind: Number) -> [String] {
        switch kind {
        case .integer:
            [random.generator.pick(["i16", "i32", "i64", "oI16", "oI32", "oI64", "oFlag", "flag"])]
        case .decimal: [random.generator.pick(["dec", "oDec"])]
        case .double: random.generator.pick([["dbl"], ["oDbl"], ["flt"], ["oFlt"], ["place", "spot", "x"]])
        }
    }

    private mutating func constant(_ kind: Number) -> PredicateTree.Expression {
        switch kind {
        case .integer: .constant(.int(random.generator.pick([0, 1, 2, 3, -1, 63, 64, .max, .min])))
        case .decimal: .constant(.decimal(random.decimal()))
        case .double:
            .constant(.double(random.generator.pick([0, 1, -2.5, 0.1, 3, 1e160, 1e-160, 1e308, .infinity])))
        }
    }

    mutating func number(_ depth: Int, _ members: [String]) -> PredicateTree.Expression {
        number(depth, random.generator.pick(Number.allCases), members)
    }

    mutating func number(
        _ depth: Int, _ kind: Number, _ members: [String]
    ) -> PredicateTree.Expression {
        guard depth > 0 else {
            return random.generator.chance(30)
                ? constant(kind)
                : place((random.generator.chance(25) ? ["owner"] : []) + leaf(kind), members)
        }
        func inner(_ random: inout Self) -> PredicateTree.Expression {
            random.number(depth - 1, kind, members)
        }
        switch random.generator.pick([0, 0, 0, 1, 2, 3, 4, 5, 6]) {
        case 0:
            let function = random.generator.pick(
                [.add, .subtract, .multiply, .divide] as [PredicateTree.Function])
            return .function(function, [inner(&self), inner(&self)])
        case 1 where kind == .integer:
            let function = random.generator.pick(
                [.modulus, .bitwiseAnd, .bitwiseOr, .bitwiseXor, .leftShift, .rightShift]
                    as [PredicateTree.Function])
            return .function(function, [inner(&self), inner(&self)])
        case 1 where kind == .double:
            let function = random.generator.pick(
                [.squareRoot, .naturalLogarithm, .logarithm, .exponential, .power] as [PredicateTree.Function]
            )
            return .function(function, (0..<function.arity).map { _ in number(depth - 1, members) })
        case 2:
            let function = random.generator.pick(
                [.negate, .absolute, .floor, .ceiling, .truncate] as [PredicateTree.Function])
            return .function(function, [inner(&self)])
        case 3:
            return .conditional(computed(depth: depth - 1, in: members), inner(&self), inner(&self))
        case 4: return gathered(kind, depth, members)
        case 5 where kind == .double:
            return random.generator.chance(50)
                ? .function(.add, [number(depth - 1, members), inner(&self)])
                : .cast(date(depth - 1, members), .number)
        case 5 where kind == .decimal: return .cast(number(depth - 1, members), .decimal)
        case 5: return .function(.length, [text(depth - 1, members)])
        case 6:
            let list = PredicateTree.Expression.aggregate([
                inner(&self), inner(&self), place(leaf(kind), members),
            ])
            return .function(
                random.generator.pick(kind == .double ? [.min, .max] : [.sum, .min, .max]), [list])
        default: return inner(&self)
        }
    }

    /// An aggregate over members.
    private mutating func gathered(_ kind: Number, _ depth: Int, _ members: [String])
        -> PredicateTree.Expression
    {
        let path = random.generator.pick([["owned"], ["owner", "owned"]])
        let average: PredicateTree.KeyPathOperator = kind == .integer ? .max : .average
        let op = random.generator.pick([.sum, .min, .max, average] as [PredicateTree.KeyPathOperator])
        if kind == .integer, random.generator.chance(20) { return place(path + ["@count"], members) }
        if members.count < 2, random.generator.chance(30) {
            return .joined(subquery(depth - 1, members), [op.rawValue] + leaf(kind))
        }
        if random.generator.chance(40), let function = op.function {
            let deep = random.generator.chance(50) ? ["owned"] + path : path
            return .function(function, [place(deep + leaf(kind), members)])
        }
        return place(path + [op.rawValue] + leaf(kind), members)
    }

    mutating func subquery(_ depth: Int, _ members: [String]) -> PredicateTree.Expression {
        let path = random.generator.pick([["owned"], ["owned"], ["owner", "owned"], ["owned", "owned"]])
        let variable = "m\(members.count)"
        let inner = members + [variable]
        let collection = place(path, members)
        let conditions = (0..<random.generator.pick([1, 1, 2])).map { _ in
            computed(depth: max(0, depth - 1), in: inner)
        }
        return .subquery(
            collection, variable: variable, random.generator.chance(50) ? .all(conditions) : .any(conditions))
    }

    mutating func text(_ depth: Int, _ members: [String]) -> PredicateTree.Expression {
        guard depth > 0, random.generator.chance(70) else {
            return random.generator.chance(30)
                ? .constant(Value.string(random.string()).normalized)
                : place(
                    random.generator.pick([["str"], ["oStr"], ["owner", "oStr"], ["box", "tag"]]), members)
        }
        switch random.generator.pick([0, 0, 1, 2, 3]) {
        case 0:
            let function = random.generator.pick(
                [.uppercase, .lowercase, .canonical] as [PredicateTree.Function])
            return .function(function, [text(depth - 1, members)])
        case 1:
            return .conditional(
                computed(depth: depth - 1, in: members), text(depth - 1, members), text(depth - 1, members))
        case 2:
            return .cast(
                random.generator.chance(50) ? place(["oUid"], members) : place(["i64"], members), .string)
        default: return place(["owned", random.generator.pick(["@min", "@max"]), "oStr"], members)
        }
    }

    mutating func date(_ depth: Int, _ members: [String]) -> PredicateTree.Expression {
        guard depth > 0, random.generator.chance(70) else {
            return random.generator.chance(30)
                ? .constant(Value.date(random.date()).normalized)
                : place(random.generator.pick([["date"], ["oDate"], ["owner", "date"]]), members)
        }
        switch random.generator.pick([0, 0, 1, 2]) {
        case 0: return .cast(number(depth - 1, members), .date)
        case 1:
            return .conditional(
                computed(depth: depth - 1, in: members), date(depth - 1, members), date(depth - 1, members))
        default: return place(["owned", random.generator.pick(["@min", "@max"]), "oDate"], members)
        }
    }

    mutating func object(_ depth: Int, _ members: [String]) -> PredicateTree.Expression {
        switch random.generator.pick([0, 1, 2, depth > 0 ? 3 : 0]) {
        case 0: return place(["owner"], members)
        case 1: return members.last.map { .variable($0) } ?? .evaluatedObject
        case 2: return .evaluatedObject
        default:
            return .conditional(
                computed(depth: depth - 1, in: members), object(depth - 1, members),
                object(depth - 1, members))
        }
    }

    private mutating func sets(_ depth: Int, _ members: [String]) -> PredicateTree.Node {
        let set = PredicateTree.Expression.set(
            random.generator.pick(PredicateTree.SetOperator.allCases), place(["owned"], members),
            place(["owner", "owned"], members))
        if random.generator.chance(50) {
            return .comparison(lhs: object(0, members), op: .in, rhs: set)
        }
        return .comparison(
            lhs: .joined(set, random.generator.pick([["@count"], ["@max", "i16"]])), op: .greaterThan,
            rhs: number(0, .integer, members))
    }
}
