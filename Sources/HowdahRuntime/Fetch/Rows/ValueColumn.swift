import HowdahModel
import PQClient

/// A column of a fetch of values: its SQL, and the conversion of its cells to values.
struct ValueColumn {
    /// The way in which cells are read.
    enum Form {
        /// The columns of an attribute, or of a part of a composite, from `start` on in those of `layout`.
        case attribute(EntityLayout, start: Int, AttributeType)
        /// A key, followed by the entity's stored name if there are several.
        case object(EntityLayout)
        case count
        /// A numeric; an integer if possible.
        case integer
        case decimal
        case double
    }

    let name: String
    let path: String
    let isAggregate: Bool
    /// The selected expressions.
    let selected: [String]
    /// The expressions for GROUP BY.
    let grouped: [String]
    let form: Form
    /// The operand of a condition on groups; nil if the column is not one scalar.
    let compared: ResolvedColumn?
}

extension ValueColumn {
    /// Resolves a column in the model.
    ///
    /// - Throws: `PredicateTreeError` for an unknown name; `FetchError.invalidRequest` if it has no value per
    ///   row.
    init<Object>(_ column: ResultColumn<Object>, in scope: SQLScope, _ resolver: KeyPathResolver) throws {
        if let complaint = column.complaint { throw FetchError(.invalidRequest, complaint) }
        name = column.name
        path = column.keyPath
        isAggregate = column.aggregate != nil
        if let aggregate = column.aggregate {
            let made = try Self.aggregate(aggregate, of: column, in: scope, resolver)
            (selected, grouped, form) = ([made.sql], [], made.form)
            compared = ResolvedColumn(
                sql: made.sql, type: made.type, isNullable: aggregate != .count, name: column.name)
            return
        }
        let end = try PathEnd(column.keyPath, in: scope, resolver)
        switch end.target {
        case .object(let layout, let columns):
            (selected, grouped, form) = (columns, columns, .object(layout))
            compared = nil
        case .attribute(let place, let type):
            let columns = place.layout.columns[place.columns]
            let alias = place.alias
            selected = columns.map { $0.selected(alias) }
            grouped = columns.map { $0.compared(alias) }
            form = .attribute(place.layout, start: place.columns.lowerBound, type)
            compared = end.column
        }
    }

    private static func aggregate<Object>(
        _ aggregate: ResultColumn<Object>.Aggregate, of column: ResultColumn<Object>, in scope: SQLScope,
        _ resolver: KeyPathResolver
    ) throws -> (sql: String, form: Form, type: StoreSchema.ColumnType) {
        if aggregate == .count, column.keyPath.isEmpty { return ("pg_catalog.count(*)", .count, .int8) }
        let end = try PathEnd(column.keyPath, in: scope, resolver)
        if aggregate == .count, case .object(_, let columns) = end.target {
            return ("pg_catalog.count(\(columns[0]))", .count, .int8)
        }
        guard case .attribute(let place, let type) = end.target, let found = end.column else {
            throw unsuitable(aggregate, column)
        }
        if aggregate == .count { return ("pg_catalog.count(\(found.sql))", .count, .int8) }
        let isSum = aggregate == .sum || aggregate == .avg
        switch (found.type, isSum) {
        case (.int2, true), (.int4, true), (.int8, true):
            let sql = "pg_catalog.\(aggregate.rawValue)(\(found.sql))::pg_catalog.numeric"
            return (sql, aggregate == .sum ? .integer : .decimal, .numeric)
        case (.numeric, true): return ("pg_catalog.\(aggregate.rawValue)(\(found.sql))", .decimal, .numeric)
        case (.float4, true), (.float8, true):
            return ("pg_catalog.\(aggregate.rawValue)(\(found.sql)::pg_catalog.float8)", .double, .float8)
        case (.int2, false), (.int4, false), (.int8, false), (.numeric, false), (.float4, false),
            (.float8, false), (.text, false), (.timestamptz, false):
            let form = Form.attribute(place.layout, start: place.columns.lowerBound, type)
            return ("pg_catalog.\(aggregate.rawValue)(\(found.ordered.sql))", form, found.type)
        default: throw unsuitable(aggregate, column)
        }
    }

    private static func unsuitable<Object>(
        _ aggregate: ResultColumn<Object>.Aggregate, _ column: ResultColumn<Object>
    ) -> FetchError {
        let wanted =
            switch aggregate {
            case .count: "a stored attribute or a to-one relationship"
            case .sum, .avg: "an attribute with numbers"
            case .min, .max: "an attribute with numbers, strings or dates"
            }
        return FetchError(
            .invalidRequest,
            "'\(column.keyPath)' does not suit the aggregate \(aggregate.rawValue). Name \(wanted).")
    }
}
