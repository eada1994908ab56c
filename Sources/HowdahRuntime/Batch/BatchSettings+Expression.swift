import Foundation
package import HowdahModel
import PQClient

/// Values that the database computes from the row before the update.
extension BatchSettings {
    /// Sets an attribute to the value of an operand of predicates.
    ///
    /// - Throws: `PredicateTreeError` for an operand that does not fit the model, `FetchError.invalidRequest`
    ///   for a result of a type that the attribute does not accept.
    mutating func add(
        _ name: String, _ expression: PredicateTree.Expression, _ place: AttributePlace
    ) throws {
        let rows = scope.apart()
        switch try outcome(expression, in: rows) {
        case .operand(.constant(let value)):
            try add(name, .given(place.type.taking(value, of: expression)), place)
        case .operand(.column(let column)):
            guard place.columns.count == 1, let taken = place.type.taking(column, of: expression),
                let sql = place.columns[0].writing(taken)
            else { throw misfit(name, "\(expression)", place.type) }
            let whole = rows.alone(sql)
            try SQLArithmetic.checkDepth(of: whole)
            try set(place.columns[0], whole, name)
        case .operand:
            throw FetchError(
                .invalidRequest,
                "\(layout.name).\(name) needs one value, and \(expression) is not one value. Name an element, or copy "
                    + "a whole composite with .attribute(_:).")
        case .members(let source):
            throw FetchError(
                .invalidRequest,
                "\(layout.name).\(name) needs one value, and \(source) has many. Use @count, @sum or another operator."
            )
        }
    }

    /// Sets the columns of a to-one relationship to an operand's object.
    ///
    /// - Returns: An operand that is the same for all rows, for the caller to set.
    mutating func add(
        _ name: String, _ expression: PredicateTree.Expression, _ columns: [LayoutColumn],
        _ destination: EntityLayout
    ) throws -> Value? {
        let rows = scope.apart()
        switch try outcome(expression, in: rows) {
        case .operand(.constant(let value)): return value
        case .operand(.object(let sql, let entity, _)):
            guard Set(entity.concreteStoredNames).isSubset(of: destination.concreteStoredNames) else {
                throw FetchError(
                    .invalidRequest,
                    "\(layout.name).\(name) refers to \(destination.name), and \(expression) to \(entity.name). Use an "
                        + "expression whose value is \(destination.name.article) \(destination.name)."
                )
            }
            let key = rows.alone(sql)
            try SQLArithmetic.checkDepth(of: key)
            try set(columns[0], key, name)
            guard columns.count == 2 else { return nil }
            if entity.concreteStoredNames.count > 1, let discriminator = entity.discriminator {
                let found = try rows.beside(entity)
                try set(
                    columns[1],
                    "(SELECT \(found.alias).\(discriminator)\(found.from) WHERE \(found.key) = \(key))", name)
                return nil
            }
            try parameters.append(entity.concreteStoredNames[0])
            try set(
                columns[1], "CASE WHEN \(key) IS NOT NULL THEN $\(parameters.count)::text END", name)
            return nil
        default:
            throw FetchError(
                .invalidRequest,
                "\(layout.name).\(name) is a relationship, and the value of \(expression) is not an object. Use an "
                    + "expression whose value is an object."
            )
        }
    }

    private mutating func outcome(
        _ expression: PredicateTree.Expression, in rows: SQLScope
    ) throws -> KeyPathResolver.Outcome {
        var renderer = PredicateRenderer(
            resolver: KeyPathResolver(layouts: layouts.entities), parameters: parameters)
        let outcome = try renderer.outcome(expression, in: rows)
        parameters = renderer.parameters
        return outcome
    }

    private func misfit(_ name: String, _ expression: String, _ type: AttributeType) -> FetchError {
        let remedy =
            switch type.kind {
            case .integer16, .integer32, .integer64:
                "Use a whole number, or the result of floor:, ceiling: or trunc:"
            case .decimal: "Write CAST(…, 'NSDecimalNumber')"
            case .string: "Use a string, or write CAST(…, 'NSString')"
            case .date: "Use a date, or write CAST(…, 'NSDate')"
            default: "Compute the value first, and pass it"
            }
        return FetchError(
            .invalidRequest, "\(expression) does not have the type of \(layout.name).\(name). \(remedy).")
    }
}

extension LayoutColumn {
    /// Returns a computed value for a column of another program's table; nil if its type cannot be computed.
    fileprivate func writing(_ sql: String) -> String? {
        switch form?.reading {
        case nil, .plain: sql
        case .utc: "(\(sql) AT TIME ZONE 'UTC')"
        case .text: nil
        }
    }
}

extension AttributeType {
    /// Returns a computed column in the form that an attribute of this type stores; nil if it cannot.
    ///
    /// - Parameter anyWhole: Indicates whether an integer accepts any number, because all were found to be
    ///   whole.
    package func taking(
        _ column: ResolvedColumn, of expression: PredicateTree.Expression, anyWhole: Bool = false
    ) -> String? {
        guard column.type.element == nil else { return nil }
        switch (kind, column.numberRank) {
        case (.integer16, 0?), (.integer32, 0?), (.integer64, 0?), (.decimal, 0?), (.decimal, 1?):
            return column.asNumber.sql
        case (.integer16, .some), (.integer32, .some), (.integer64, .some):
            return anyWhole || expression.isRounded ? column.sql : nil
        case (.double, .some), (.float, .some): return column.number(2)
        case (.boolean, 0?): return column.type == .boolean ? column.sql : "(\(column.sql) <> 0)"
        case (.string, nil): return column.type == .text ? column.sql : nil
        case (.date, nil): return column.type == .timestamptz ? column.sql : nil
        case (.uuid, nil): return column.type == .uuid ? column.sql : nil
        case (.binary, nil): return column.type == .bytea ? column.sql : nil
        default: return nil
        }
    }
}

extension AttributeType {
    /// Returns a value that is the same for all rows, by the same rules.
    package func taking(
        _ value: Value, of expression: PredicateTree.Expression, anyWhole: Bool = false
    ) -> Value {
        switch (kind, value) {
        case (.boolean, .int(let number)): .bool(number != 0)
        case (.integer16, .bool(let flag)), (.integer32, .bool(let flag)), (.integer64, .bool(let flag)):
            .int(flag ? 1 : 0)
        case (.decimal, .bool(let flag)): .decimal(flag ? 1 : 0)
        case (.double, .bool(let flag)): .double(flag ? 1 : 0)
        case (.double, .decimal(let number)), (.float, .decimal(let number)):
            coerced(.double(Double("\(number)") ?? .nan))
        case (.integer16, .double(let number)), (.integer32, .double(let number)),
            (.integer64, .double(let number)):
            anyWhole || expression.isRounded ? Int64(exactly: number).map(Value.int) ?? value : value
        case (.integer16, .decimal(let number)), (.integer32, .decimal(let number)),
            (.integer64, .decimal(let number)):
            anyWhole || expression.isRounded ? Int64("\(number)").map(Value.int) ?? value : value
        default: value
        }
    }
}

extension PredicateTree.Expression {
    /// A Boolean value that indicates whether its value is always whole.
    package var isRounded: Bool {
        switch self {
        case .function(.floor, _), .function(.ceiling, _), .function(.truncate, _): true
        case .function(.negate, let operands), .function(.absolute, let operands):
            operands.allSatisfy(\.isRounded)
        case .conditional(_, let a, let b): a.isRounded && b.isRounded
        default: false
        }
    }
}
