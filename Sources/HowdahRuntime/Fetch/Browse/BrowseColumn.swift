import HowdahModel
import PQClient

/// A column of a ``BrowseQuery``: its SQL, and the reading of its cells.
struct BrowseColumn {
    /// The selected expressions.
    let selected: [String]
    /// The expressions that are equal for equal values.
    let grouped: [String]
    private let form: Form

    private enum Form {
        case object(EntityLayout, hasName: Bool)
        case scalar(Scalar)
        case composite([(name: String, scalar: Scalar)])
    }

    private enum Scalar {
        case short
        case long
        case data

        init(_ type: StoreSchema.ColumnType) {
            switch type {
            // A number has up to 131,072 digits before its point, and 16,383 after it.
            case .text, .jsonb, .array, .numeric: self = .long
            case .bytea: self = .data
            default: self = .short
            }
        }
    }

    /// - Throws: The errors of a fetch of values for a key path that has no single value.
    init(_ path: String, cut: Int, in scope: SQLScope, _ resolver: KeyPathResolver) throws {
        let end = try PathEnd(path, in: scope, resolver)
        switch end.target {
        case .object(let layout, let columns):
            (selected, grouped) = (columns, columns)
            form = .object(layout, hasName: columns.count > 1)
        case .attribute(let place, let type):
            let columns = place.layout.columns[place.columns]
            selected = columns.flatMap { Self.selected($0, place.alias, cut: cut) }
            grouped = columns.map { $0.compared(place.alias) }
            guard case .composite(let composite) = type.kind else {
                form = columns.first.map { .scalar(Scalar($0.type)) } ?? .composite([])
                return
            }
            let names = Self.names(of: composite, prefix: "")
            form = .composite(zip(names, columns).map { ($0, Scalar($1.type)) })
        }
    }

    /// The names of the stored elements, one for each column.
    private static func names(of composite: CompositeDescription, prefix: String) -> [String] {
        composite.elements.filter(\.isStored).flatMap { element -> [String] in
            if case .composite(let inner) = element.type.kind {
                return names(of: inner, prefix: "\(prefix)\(element.name).")
            }
            return element.type.columnCount > 0 ? [prefix + element.name] : []
        }
    }

    /// The beginning of a value as text or bytes, and the size of all of it if it can be long.
    private static func selected(_ column: LayoutColumn, _ alias: String, cut: Int) -> [String] {
        let sql = column.compared(alias)
        switch Scalar(column.type) {
        case .short: return ["(\(sql))::pg_catalog.text"]
        case .long where column.type == .text:
            return ["pg_catalog.left(\(sql), \(cut))", "pg_catalog.octet_length(\(sql))"]
        case .long:
            let text = "(\(sql))::pg_catalog.text"
            return ["pg_catalog.left(\(text), \(cut))", "pg_catalog.octet_length(\(text))"]
        case .data:
            return ["pg_catalog.substr(\(sql), 1, 64)", "pg_catalog.octet_length(\(sql))"]
        }
    }

    /// Returns the value in a row whose cells of this column begin at `first`.
    func cell(in row: Row, at first: Int, layouts: StoreLayout) throws -> BrowseCell {
        switch form {
        case .object(let layout, let hasName):
            if row[first].isNull { return .null }
            let name = hasName ? layouts.layout(storedName: row[first + 1].string())?.name : layout.name
            return .object(key: row[first].int64, entityName: name ?? layout.name)
        case .scalar(let scalar): return Self.cell(scalar, in: row, at: first)
        case .composite(let parts):
            var place = first
            let found = parts.map { name, scalar in
                defer { place += scalar == .short ? 1 : 2 }
                return BrowseCell.Part(name: name, cell: Self.cell(scalar, in: row, at: place))
            }
            return found.allSatisfy { $0.cell == .null } ? .null : .parts(found)
        }
    }

    private static func cell(_ scalar: Scalar, in row: Row, at place: Int) -> BrowseCell {
        if row[place].isNull { return .null }
        switch scalar {
        case .short: return .text(row[place].string(), size: nil)
        case .long:
            let text = row[place].string()
            let size = Int(row[place + 1].int32)
            return .text(text, size: size > text.utf8.count ? size : nil)
        case .data: return .data(Array(row[place].bytes), size: Int(row[place + 1].int32))
        }
    }
}
