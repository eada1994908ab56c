import HowdahModel
import PQClient

/// Collections: the members of key paths and sub-queries, and functions of them.
extension PredicateRenderer {
    /// Renders a key path with operators such as `@sum` in it.
    mutating func keyPath(
        _ path: ArraySlice<String>, in scope: SQLScope
    ) throws -> KeyPathResolver.Outcome {
        guard let place = path.firstIndex(where: { PredicateTree.KeyPathOperator(rawValue: $0) != nil }),
            let op = PredicateTree.KeyPathOperator(rawValue: path[place])
        else { return try resolver.resolve(path, in: scope) }
        let keys = Array(path[(place + 1)...])
        switch try resolver.resolve(path[..<place], in: scope) {
        case .members(.relationship(let relationship, let owner, let rest, let isNullable))
        where !rest.isEmpty:
            // It lies behind another to-many, and belongs to each of its members.
            return .members(
                .relationship(
                    relationship, of: owner, rest: (rest + path[place...]), isNullable: isNullable))
        case .members(let source): return try gathered(op, source, keys)
        case .operand(.column(let column)) where column.type.element != nil:
            guard keys.isEmpty else { break }
            return try gathered(op, .elements(column), keys)
        case .operand: break
        }
        throw PredicateTreeError(
            .invalidOperand,
            "\(op.rawValue) needs a to-many relationship or an array before it, and "
                + "\(path[..<place].joined(separator: ".")) is neither. Write \(op.rawValue) after a to-many "
                + "relationship or an array."
        )
    }

    /// Renders an operator of members and the keys after it.
    private mutating func gathered(
        _ op: PredicateTree.KeyPathOperator, _ source: MemberSource, _ keys: [String]
    ) throws -> KeyPathResolver.Outcome {
        let values = keys.isEmpty ? source : source.following(keys)
        guard let function = op.function else {
            return .members(op == .distinct ? .distinct(values) : values)
        }
        return .operand(try gathered(function, values, presence: source.presence))
    }

    /// Renders the keys after an operand.
    mutating func path(
        _ base: PredicateTree.Expression, _ keys: [String], in scope: SQLScope
    ) throws -> KeyPathResolver.Outcome {
        if case .variable(let name) = base, let member = members[name] {
            return try keyPath(keys[...], in: member)
        }
        if case .element(let collection, let position) = base {
            return .operand(try element(collection, position, keys, in: scope))
        }
        guard case .members(let source) = try outcome(base, in: scope) else {
            throw PredicateTreeError(
                .invalidOperand,
                "The key path .\(keys.joined(separator: ".")) follows \(base), which is not an object. Remove the "
                    + "key path, or write it after an object."
            )
        }
        guard let op = keys.first.flatMap(PredicateTree.KeyPathOperator.init(rawValue:)) else {
            return .members(.following(source, keys))
        }
        return try gathered(op, source, Array(keys.dropFirst()))
    }

    /// Returns the collection for a function or set operator.
    mutating func source(
        _ expression: PredicateTree.Expression, in scope: SQLScope
    ) throws -> MemberSource {
        switch try outcome(expression, in: scope) {
        case .members(let source): return source
        case .operand(.column(let column)) where column.type.element != nil: return .elements(column)
        case .operand(.list(let members)): return .list(members)
        case .operand(.collection(let values)): return .list(values.map { .constant($0) })
        case .operand:
            throw PredicateTreeError(
                .invalidOperand,
                "\(expression) is one value. Use a to-many key path, an array or {a, b}.")
        }
    }

    /// Returns members with their FROM clause.
    mutating func open(_ source: MemberSource) throws -> OpenMembers {
        switch source {
        case .relationship(let relationship, let owner, let rest, _):
            let scope = try owner.members(of: relationship)
            let correlation = owner.correlation(of: relationship, members: scope)
            var open = OpenMembers(
                scopes: [(scope, correlation.join)], conditions: [correlation.condition],
                value: .object(sql: scope.key, entity: scope.layout, isNullable: false), objects: scope,
                place: owner.place(of: relationship, members: scope))
            if !rest.isEmpty { try follow(rest, from: scope, &open) }
            return open
        case .following(let base, let keys):
            var open = try open(base)
            guard let scope = open.objects else {
                throw PredicateTreeError(
                    .invalidOperand,
                    "\(base) has values, which have no key paths. Remove the keys after \(base).")
            }
            try follow(keys[...], from: scope, &open)
            return open
        case .subquery(let members, let variable, let condition, let scope):
            var open = try open(members)
            guard let member = open.objects else {
                throw PredicateTreeError(
                    .invalidOperand,
                    "SUBQUERY needs the objects of a to-many relationship, and \(members) has values. Use a to-many "
                        + "relationship."
                )
            }
            if open.scopes.last?.scope !== member { open.conditions.append("\(member.key) IS NOT NULL") }
            let outer = self.members
            self.members[variable] = member
            defer { self.members = outer }
            open.conditions.append(try self.condition(condition, in: scope))
            open.value = .object(sql: member.key, entity: member.layout, isNullable: false)
            return open
        case .elements(let column):
            let element = ResolvedColumn(
                sql: "e.v", type: column.type.element ?? column.type, isNullable: false, name: column.name)
            return OpenMembers(items: ["pg_catalog.unnest(\(column.sql)) AS e(v)"], value: .column(element))
        case .list(let members): return try open(list: members)
        case .set(let op, let a, let b, let scope): return try open(op, a, b, scope)
        case .distinct(let inner):
            var open = try open(inner)
            let value = try single(open.value)
            let text = "SELECT DISTINCT \(value.sql)\(open.clause())"
            open = OpenMembers(items: ["(\(text)) AS d(v)"], value: value.at("d.v"))
            return open
        }
    }

    private mutating func follow(
        _ keys: ArraySlice<String>, from scope: SQLScope, _ open: inout OpenMembers
    ) throws {
        switch try keyPath(keys, in: scope) {
        case .members(let inner): open.add(try self.open(inner))
        case .operand(let operand):
            open.value = operand
            open.objects = nil
            if case .object = operand { open.objects = try resolver.objects(keys, in: scope) }
            open.place = nil
        }
    }

    private mutating func open(list members: [ResolvedOperand]) throws -> OpenMembers {
        let columns = try unified(members)
        guard let first = columns.first else {
            let none = ResolvedColumn(sql: "v.v", type: .int8, isNullable: true, name: "{}")
            return OpenMembers(
                items: ["(SELECT NULL::int8) AS v(v)"], conditions: ["FALSE"], value: .column(none))
        }
        let rows = columns.map { "(\($0.sql))" }.joined(separator: ", ")
        return OpenMembers(items: ["(VALUES \(rows)) AS v(v)"], value: first.at("v.v"))
    }

    private mutating func open(
        _ op: PredicateTree.SetOperator, _ a: MemberSource, _ b: MemberSource, _ scope: SQLScope
    ) throws -> OpenMembers {
        let (left, right) = (try open(a), try open(b))
        let (first, second) = (try single(left.value), try single(right.value))
        guard first.isAlike(second) else {
            throw PredicateTreeError(
                .invalidOperand,
                "\(op.rawValue) needs two collections of one type, and \(a) and \(b) differ in type. Use collections "
                    + "of one type."
            )
        }
        let word =
            switch op {
            case .union: "UNION"
            case .intersect: "INTERSECT"
            case .minus: "EXCEPT"
            }
        let text =
            "SELECT \(first.sql)\(left.clause()) \(word) SELECT \(second.sql)\(right.clause())"
        guard let entity = first.entity ?? second.entity else {
            return OpenMembers(items: ["(\(text)) AS s(v)"], value: first.at("s.v"))
        }
        let members = try scope.beside(entity)
        return OpenMembers(
            scopes: [(members, "")], conditions: ["\(members.key) IN (\(text))"],
            value: .object(sql: members.key, entity: entity, isNullable: false), objects: members)
    }

    /// Renders one member of an ordered collection, or the keys after it.
    mutating func element(
        _ base: PredicateTree.Expression, _ position: PredicateTree.Position, _ keys: [String],
        in scope: SQLScope
    ) throws -> ResolvedOperand {
        let source = try source(base, in: scope)
        if case .elements(let column) = source {
            guard keys.isEmpty else {
                throw PredicateTreeError(
                    .invalidOperand,
                    "An element of \(column.name) is a value, which has no key paths. Remove the keys after the index."
                )
            }
            let place =
                switch position {
                case .first: "1"
                case .last: "pg_catalog.cardinality(\(column.sql))"
                case .number(let number): "\(number + 1)"
                }
            return .column(
                ResolvedColumn(
                    sql: "(\(column.sql))[\(place)]", type: column.type.element ?? column.type,
                    isNullable: true, name: "\(column.name)[\(position)]"))
        }
        var open = try open(source)
        guard let place = open.place, let member = open.objects else {
            throw PredicateTreeError(
                .invalidOperand,
                "\(source) has no order, so that no member has the index \(position). Use an array or an ordered "
                    + "relationship."
            )
        }
        let order =
            position == .last
            ? "\(place) DESC NULLS LAST, \(member.key) DESC" : "\(place) NULLS FIRST, \(member.key)"
        let offset = if case .number(let number) = position, number > 0 { " OFFSET \(number)" } else { "" }
        if !keys.isEmpty {
            guard case .operand(let operand) = try keyPath(keys[...], in: member) else {
                throw PredicateTreeError(
                    .invalidOperand,
                    "\(source)[\(position)].\(keys.joined(separator: ".")) is to-many. Use a key path to one value "
                        + "after an index."
                )
            }
            open.value = operand
        }
        let value = try single(open.value)
        return value.at(
            "(SELECT \(value.sql)\(open.clause()) ORDER BY \(order)\(offset) LIMIT 1)", isNullable: true)
    }
}

extension MemberSource {
    fileprivate func following(_ keys: [String]) -> MemberSource {
        if case .relationship(let relationship, let owner, let rest, let isNullable) = self {
            return .relationship(relationship, of: owner, rest: rest + keys, isNullable: isNullable)
        }
        return .following(self, keys)
    }
}
