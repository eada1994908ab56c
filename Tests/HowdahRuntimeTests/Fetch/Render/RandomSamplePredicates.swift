import Foundation
import HowdahModel
import SeededRandom

/// Random predicates over ``Sample`` whose comparisons fit the types, with arguments that are often equal to values
/// that objects have.
struct RandomSamplePredicates {
    var random: RandomValues
    let objectIDs: [Value]

    private enum Kind { case number, text, date, flag, uuid, data, url, object, count }

    private typealias Node = PredicateTree.Node
    private typealias Operand = PredicateTree.Expression

    init(seed: UInt64, objectIDs: [Value]) {
        random = RandomValues(seed: seed)
        self.objectIDs = objectIDs
    }

    mutating func tree() -> PredicateTree {
        PredicateTree(node(depth: random.generator.pick([0, 1, 1, 2, 3])))
    }

    private mutating func node(depth: Int) -> Node {
        guard depth > 0 else {
            if random.generator.chance(40) { return computed(depth: random.generator.pick([0, 1, 1, 2, 3])) }
            return random.generator.chance(3) ? .constant(random.generator.chance(50)) : comparison()
        }
        let members = (0..<random.generator.pick([1, 2, 3])).map { _ in node(depth: depth - 1) }
        switch random.generator.pick([0, 0, 1, 1, 2]) {
        case 0: return .and(members)
        case 1: return .or(members)
        default: return .not(members[0])
        }
    }

    private mutating func path() -> (path: [String], kind: Kind, modifier: PredicateTree.Modifier) {
        let (name, kind) = property()
        let path = name.split(separator: ".").map(String.init)
        switch random.generator.pick([0, 0, 0, 1, 1, 2, 3, 4]) {
        case 0: return (path, kind, .direct)
        case 1: return (["owner"] + path, kind, .direct)
        case 2: return (["owned"] + path, kind, random.generator.pick([.any, .all, .none]))
        case 3: return (["owner", "owned"] + path, kind, random.generator.pick([.any, .all, .none]))
        default: return (["owned", "owner"] + path, kind, random.generator.pick([.any, .all, .none]))
        }
    }

    private mutating func property() -> (String, Kind) {
        random.generator.pick([
            ("i16", .number), ("oI32", .number), ("i64", .number), ("oI64", .number), ("dec", .number),
            ("oDec", .number),
            ("dbl", .number), ("oDbl", .number), ("flt", .number), ("oFlt", .number), ("box.width", .number),
            ("place.spot.x", .number), ("place.spot.y", .number), ("str", .text), ("oStr", .text),
            ("oStr", .text),
            ("place.name", .text), ("box.tag", .text), ("date", .date), ("oDate", .date),
            ("place.seenAt", .date),
            ("flag", .flag), ("oFlag", .flag), ("oUid", .uuid), ("uid", .uuid), ("oBin", .data),
            ("oUrl", .url),
            ("owner", .object), ("owned.@count", .count), ("owner", .object),
        ])
    }

    private mutating func comparison() -> Node {
        let (path, kind, modifier) = path()
        if random.generator.chance(5) { return membership() }
        var operators: [PredicateTree.Operator] = [.equal, .equal, .notEqual, .in]
        switch kind {
        case .number, .date, .flag, .count:
            operators += [.lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual, .between]
        case .text:
            operators += [
                .lessThan, .greaterThanOrEqual, .between, .contains, .beginsWith, .endsWith, .like, .in,
            ]
        case .uuid, .data: operators += [.lessThan, .greaterThan]
        case .object, .url: break
        }
        let op = random.generator.pick(operators)
        let isTextIn = op == .in && kind == .text && random.generator.chance(40)
        let right: Operand
        switch op {
        case .between: right = .collection([value(kind), value(kind)])
        case .in where !isTextIn:
            right = .collection((0..<random.generator.pick([0, 1, 2, 12])).map { _ in value(kind) })
        case .equal, .notEqual, .lessThan, .greaterThan:
            if modifier == .direct, random.generator.chance(25), let other = partner(of: kind) {
                right = .keyPath(other)
            } else {
                right = .constant(value(kind))
            }
        case .like: right = .constant(pattern())
        default: right = .constant(value(kind))
        }
        return .comparison(lhs: .keyPath(path), op: op, rhs: right, modifier: modifier)
    }

    /// SELF, and members of a to-many.
    private mutating func membership() -> Node {
        let id = random.generator.pick(objectIDs)
        switch random.generator.pick([0, 1, 2, 3]) {
        case 0:
            return .comparison(
                lhs: .evaluatedObject, op: random.generator.pick([.equal, .notEqual]), rhs: .constant(id))
        case 1:
            return .comparison(
                lhs: .evaluatedObject, op: .in, rhs: .collection([id, random.generator.pick(objectIDs)]))
        case 2: return .comparison(lhs: .keyPath(["owned"]), op: .contains, rhs: .constant(id))
        default: return .comparison(lhs: .constant(id), op: .in, rhs: .keyPath(["owner", "owned"]))
        }
    }

    private mutating func partner(of kind: Kind) -> [String]? {
        switch kind {
        case .number:
            random.generator.pick([
                ["oI64"], ["oDbl"], ["oDec"], ["owner", "flt"], ["i16"], ["oFlag"], ["owned", "@count"],
            ])
        case .text: random.generator.pick([["oStr"], ["owner", "str"], ["place", "name"]])
        case .date: ["oDate"]
        case .flag: random.generator.pick([["oFlag"], ["i16"]])
        case .uuid: ["owner", "uid"]
        case .object: random.generator.pick([["owner"], ["owner", "owner"]])
        default: nil
        }
    }

    private mutating func value(_ kind: Kind) -> Value {
        if random.generator.chance(12) { return .null }
        switch kind {
        case .number: return number()
        case .count: return .int(random.generator.pick([0, 1, 2]))
        case .text: return Value.string(random.string()).normalized
        case .date: return Value.date(random.date()).normalized
        case .flag:
            return random.generator.chance(60)
                ? .bool(random.generator.chance(50)) : .int(random.generator.pick([0, 1, 5]))
        case .uuid:
            return random.generator.chance(50) ? .uuid(random.uuid()) : .string(random.uuid().uuidString)
        case .data: return .data(random.data())
        case .url: return Value.uri(random.url()).normalized
        case .object: return random.generator.pick(objectIDs)
        }
    }

    private mutating func number() -> Value {
        switch random.generator.pick([0, 1, 2, 3, 4, 5]) {
        case 0: return .int(random.integer())
        case 1: return .int(random.generator.pick([0, 1, 5, -1, .max]))
        case 2: return .double(random.double())
        case 3: return .float(random.float())
        case 4: return .decimal(random.decimal())
        default: return .bool(random.generator.chance(50))
        }
    }

    private mutating func pattern() -> Value {
        let pieces = ["*", "?", "a", "\\*", "%", "_", "é", "z", "\\", "Ång", "👩"]
        let pattern = (0..<random.generator.pick([0, 1, 2, 3])).map { _ in random.generator.pick(pieces) }
            .joined()
        return random.generator.chance(20) ? .null : .string(pattern)
    }
}
