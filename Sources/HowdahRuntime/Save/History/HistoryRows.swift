import HowdahModel
import PQClient

/// The rows of history for the changes of one transaction, and the statements that write them.
///
/// The statements must be the last before COMMIT: the number that orders transactions is drawn when every changed row
/// is locked.
struct HistoryRows {
    /// The number of ids in one row.
    static let idsPerRow = 1_000
    /// The number of ids that one statement sends.
    private static let idsPerStatement = 200_000
    /// The number of bytes of preserved values in one row, unless one object has more.
    private static let bytesPerRow = 4 << 20
    /// The number of bytes of preserved values that one statement sends, unless one object has more.
    private static let bytesPerStatement = 64 << 20

    /// The origin of a change; the raw values are stored.
    enum Origin: Int64, Sendable { case save, batch }

    /// The values that all rows of a transaction share.
    struct Signature: Sendable {
        let origin: Origin
        let author: String?
        let context: String?
    }

    /// Rows with one change.
    struct Shape {
        let entity: Int
        let kind: StoredChanges.Kind
        let slots: SlotSet?
        /// The keys, ascending.
        var keys: [Int64]
        /// The preserved values by key.
        var tombstones: [Int64: String] = [:]
    }

    private let shapes: [Shape]
    /// Updated rows of which only the hierarchy is known.
    private let inexact: [Shape]
    private let found: [StoredChanges.Found]
    private let history: StoreHistory
    private let signature: Signature
    private let layouts: [EntityLayout]

    init(
        _ changes: StoredChanges, _ signature: Signature, in history: StoreHistory, _ layouts: [EntityLayout]
    ) {
        self.history = history
        self.signature = signature
        self.layouts = layouts
        var changes = changes
        changes.unite(layouts)
        (shapes, inexact) = Self.shapes(changes)
        found = changes.found
    }

    private struct Key: Hashable {
        let entity: Int
        let kind: StoredChanges.Kind
        let slots: SlotSet?
        let isExact: Bool
    }

    /// Groups the changes, insertions first, then updates, then deletions.
    private static func shapes(_ changes: StoredChanges) -> (exact: [Shape], inexact: [Shape]) {
        var indices: [Key: Int] = [:]
        var groups: [(key: Key, shape: Shape)] = []
        for place in changes.places {
            guard let change = changes.changes[place] else { continue }
            let key = Key(
                entity: change.entity, kind: change.kind, slots: change.kind == .update ? change.slots : nil,
                isExact: change.isExact || change.kind != .update)
            let index = indices[key] ?? groups.endIndex
            if index == groups.endIndex {
                indices[key] = index
                groups.append((key, Shape(entity: key.entity, kind: key.kind, slots: key.slots, keys: [])))
            }
            groups[index].shape.keys.append(place.key)
            if let tombstone = change.tombstone { groups[index].shape.tombstones[place.key] = tombstone }
        }
        for index in groups.indices { groups[index].shape.keys.sort() }
        let bulks = changes.bulks.map {
            (
                key: Key(entity: $0.entity, kind: $0.kind, slots: $0.slots, isExact: true),
                shape: Shape(entity: $0.entity, kind: $0.kind, slots: $0.slots, keys: $0.keys.ascending)
            )
        }
        let all = (groups + bulks).enumerated().sorted {
            ($0.element.key.kind.rawValue, $0.offset) < ($1.element.key.kind.rawValue, $1.offset)
        }
        .map(\.element)
        return (all.filter(\.key.isExact).map(\.shape), all.filter { !$0.key.isExact }.map(\.shape))
    }

    /// A Boolean value that indicates whether the server must find the entities or keys of rows.
    private var needsSearch: Bool { !found.isEmpty || !inexact.isEmpty }

    var isEmpty: Bool { shapes.isEmpty && !needsSearch }

    /// A Boolean value that indicates whether one statement writes all rows.
    var isOneStatement: Bool {
        if needsSearch { return false }
        guard shapes.allSatisfy(\.tombstones.isEmpty) else { return parts().count <= 1 }
        return shapes.reduce(0) { $0 + $1.keys.count } <= Self.idsPerStatement
    }

    // MARK: Statements

    /// Returns the statements, in their order.
    func statements() throws -> [SaveStatement] {
        if isEmpty { return [] }
        if !needsSearch, let only = onlyRow {
            var parameters = Parameters()
            let values = try row(only, history.nextNumber, &parameters)
            return [
                SaveStatement("\(insertion) SELECT \(values)", parameters, about: StatementSubject(.insert))
            ]
        }
        var statements: [SaveStatement] = []
        var part: Int64 = 0
        for rows in parts() {
            var parameters = Parameters()
            let source = try self.rows(rows, from: part, &parameters)
            let number = statements.isEmpty ? history.nextNumber : history.lastNumber
            statements.append(
                SaveStatement(
                    "\(StoreHistory.severalRows)\(number) AS number) \(insertion) \(source)", parameters,
                    about: StatementSubject(.insert)))
            part += Int64(rows.count)
        }
        guard needsSearch else { return statements }
        if statements.isEmpty {
            statements.append(SaveStatement("SELECT \(history.nextNumber)", about: StatementSubject(.select)))
        }
        return statements + [try search(from: part)]
    }

    /// Returns the parts of a WITH clause that write the rows if `saved` has a row.
    ///
    /// The number follows from all rows of `saved`, so that it is drawn when these are locked. If there is at most one
    /// row, it need not be counted.
    func parts(after parameters: inout Parameters, isOneRow: Bool) throws -> [String] {
        let condition =
            isOneRow ? "saved LIMIT 1" : "(SELECT pg_catalog.count(*) AS n FROM saved) s WHERE s.n > 0"
        if let only = onlyRow {
            let values = try row(only, history.nextNumber, &parameters)
            return ["history AS (\(insertion) SELECT \(values) FROM \(condition))"]
        }
        let rows = try rows(parts().flatMap(\.self), from: 0, &parameters)
        return [
            "number AS MATERIALIZED (SELECT \(history.nextNumber) AS number FROM \(condition))",
            "history AS (\(insertion) \(rows))",
        ]
    }

    static let columns =
        "slot, number, part, origin, entity, kind, properties, ids, tombstones, author, context, process"

    private var insertion: String { "INSERT INTO \(history.table) (\(Self.columns))" }

    /// The shape that is the only row; nil if there are more rows.
    private var onlyRow: Shape? {
        guard shapes.count == 1, shapes[0].keys.count <= Self.idsPerRow else { return nil }
        return Self.ranges(of: shapes[0]).count == 1 ? shapes[0] : nil
    }

    private func row(_ shape: Shape, _ number: String, _ parameters: inout Parameters) throws -> String {
        let first = parameters.count
        parameters.append(signature.origin.rawValue)
        try parameters.append(layouts[shape.entity].storedName)
        parameters.append(shape.kind.rawValue)
        try parameters.append(names(shape.slots, of: layouts[shape.entity]))
        parameters.append(shape.keys)
        try parameters.append(tombstones(shape, shape.keys[...]))
        try appendSignature(to: &parameters)
        let place = { "$\(first + $0)" }
        return "\(history.slot), \(number), 0, \(place(1))::pg_catalog.int2, \(place(2)), "
            + "\(place(3))::pg_catalog.int2, \(place(4)), \(place(5)), \(place(6))::pg_catalog.jsonb, "
            + "\(place(7)), \(place(8)), \(place(9))"
    }

    /// A row to write: a part of a shape.
    private struct Part {
        let shape: Shape
        let range: Range<Int>
    }

    /// Returns the keys of each row, and the number of bytes of their preserved values.
    private static func ranges(of shape: Shape) -> [(keys: Range<Int>, bytes: Int)] {
        var ranges: [(keys: Range<Int>, bytes: Int)] = []
        guard !shape.tombstones.isEmpty else {
            for start in stride(from: 0, to: shape.keys.count, by: idsPerRow) {
                ranges.append((start..<min(start + idsPerRow, shape.keys.count), 0))
            }
            return ranges
        }
        var (start, bytes) = (0, 0)
        for (index, key) in shape.keys.enumerated() {
            let size = shape.tombstones[key]?.utf8.count ?? 0
            if index > start, index - start == idsPerRow || bytes + size > bytesPerRow {
                ranges.append((start..<index, bytes))
                (start, bytes) = (index, 0)
            }
            bytes += size
        }
        if start < shape.keys.count { ranges.append((start..<shape.keys.count, bytes)) }
        return ranges
    }

    /// Returns the rows, in groups for one statement each.
    private func parts() -> [[Part]] {
        var groups: [[Part]] = []
        var (room, byteRoom) = (0, 0)
        for shape in shapes {
            for (range, bytes) in Self.ranges(of: shape) {
                if groups.isEmpty || room < range.count || byteRoom < bytes {
                    groups.append([])
                    (room, byteRoom) = (Self.idsPerStatement, Self.bytesPerStatement)
                }
                room -= range.count
                byteRoom -= bytes
                groups[groups.endIndex - 1].append(Part(shape: shape, range: range))
            }
        }
        return groups
    }

    /// Returns the query for rows, with the number of `number`. All ids and names travel in one array each.
    private func rows(_ parts: [Part], from first: Int64, _ parameters: inout Parameters) throws -> String {
        let start = parameters.count
        var (ids, names): ([Int64], [String]) = ([], [])
        var (idRanges, nameRanges): ([Range<Int>], [Range<Int>?]) = ([], [])
        var known: [Int: [SlotSet: Range<Int>]] = [:]
        for part in parts {
            idRanges.append(ids.count..<ids.count + part.range.count)
            ids += part.shape.keys[part.range]
            let entity = part.shape.entity
            guard let slots = part.shape.slots else {
                nameRanges.append(nil)
                continue
            }
            if known[entity]?[slots] == nil {
                let own = slots.slots.map { layouts[entity].storedNames[$0] }
                known[entity, default: [:]][slots] = names.count..<names.count + own.count
                names += own
            }
            nameRanges.append(known[entity]?[slots])
        }
        try parameters.append(parts.map { layouts[$0.shape.entity].storedName })
        parameters.append(parts.map(\.shape.kind.rawValue))
        parameters.append(optional: nameRanges.map { $0.map { Int64($0.lowerBound + 1) } })
        parameters.append(optional: nameRanges.map { $0.map { Int64($0.upperBound) } })
        parameters.append(idRanges.map { Int64($0.lowerBound + 1) })
        parameters.append(idRanges.map { Int64($0.upperBound) })
        try parameters.append(optional: parts.map { tombstones($0.shape, $0.shape.keys[$0.range]) })
        try parameters.append(names)
        parameters.append(ids)
        parameters.append(first)
        parameters.append(signature.origin.rawValue)
        try appendSignature(to: &parameters)
        let place = { "$\(start + $0)" }
        let slice = { (array: Int, low: String, high: String) in
            "(\(place(array)))[p.\(low)::pg_catalog.int4:p.\(high)::pg_catalog.int4]"
        }
        return "SELECT \(history.slot), n.number, (\(place(10)) + p.part - 1)::pg_catalog.int4, "
            + "\(place(11))::pg_catalog.int2, p.entity, p.kind::pg_catalog.int2, \(slice(8, "a", "b")), "
            + "\(slice(9, "c", "d")), p.tombstones::pg_catalog.jsonb, \(place(12)), \(place(13)), \(place(14)) "
            + "FROM number n, unnest(\((1...7).map(place).joined(separator: ", "))) "
            + "WITH ORDINALITY p(entity, kind, a, b, c, d, tombstones, part)"
    }

    /// Returns the statement that finds updated rows itself.
    private func search(from first: Int64) throws -> SaveStatement {
        var parameters = Parameters()
        var (queries, names): ([String], [String]) = ([], [])
        func add(_ query: String, _ slots: SlotSet?, of layout: EntityLayout) throws {
            let shape = queries.count
            queries.append("SELECT \(shape) AS shape, q.* FROM (\(query)) q(entity, id)")
            try parameters.append(self.names(slots, of: layout))
            names.append("WHEN \(shape) THEN $\(parameters.count)")
        }
        for rows in found {
            let query = DerivedStatements.rows(rows.group, rows.keys, &parameters)
            try add(query, rows.group.slots, of: rows.group.layout)
        }
        for shape in inexact {
            let layout = layouts[shape.entity]
            parameters.append(shape.keys)
            let entity = layout.discriminator.map { "t.\($0)" } ?? SQLLiteral.string(layout.storedName)
            let key = layout.table.key("t")
            let query =
                "SELECT \(entity), \(key) FROM \(layout.table) t WHERE \(key) = ANY($\(parameters.count))"
            try add(query, shape.slots, of: layout)
        }
        let start = parameters.count
        parameters.append(first)
        parameters.append(signature.origin.rawValue)
        try appendSignature(to: &parameters)
        let place = { "$\(start + $0)" }
        return SaveStatement(
            "\(insertion) SELECT \(history.slot), \(history.lastNumber), (\(place(1)) + pg_catalog.row_number() "
                + "OVER (ORDER BY g.shape, g.entity, g.chunk) - 1)::pg_catalog.int4, \(place(2))::pg_catalog.int2, "
                + "g.entity, \(StoredChanges.Kind.update.rawValue), CASE g.shape \(names.joined(separator: " ")) END, "
                + "g.ids, NULL, \(place(3)), \(place(4)), \(place(5)) "
                + "FROM \(Self.grouped(queries.joined(separator: " UNION ALL "))) g", parameters,
            about: StatementSubject(.insert))
    }

    /// Returns a table of rows with `shape`, `entity` and at most 1,000 `ids`, from a query for these with an `id`.
    private static func grouped(_ query: String) -> String {
        "(SELECT f.shape, f.entity, f.chunk, pg_catalog.array_agg(f.id ORDER BY f.id) AS ids FROM (SELECT w.*, "
            + "(pg_catalog.row_number() OVER (PARTITION BY w.shape, w.entity ORDER BY w.id) - 1) / \(idsPerRow) AS chunk "
            + "FROM (\(query)) w) f GROUP BY f.shape, f.entity, f.chunk)"
    }

    private func names(_ slots: SlotSet?, of layout: EntityLayout) -> [String]? {
        slots.map { $0.slots.map { layout.storedNames[$0] } }
    }

    private func tombstones(_ shape: Shape, _ keys: ArraySlice<Int64>) -> String? {
        if shape.tombstones.isEmpty { return nil }
        return "[\(keys.map { shape.tombstones[$0] ?? "{}" }.joined(separator: ","))]"
    }

    private func appendSignature(to parameters: inout Parameters) throws {
        try parameters.append(signature.author)
        try parameters.append(signature.context)
        try parameters.append(history.process)
    }
}

extension Parameters {
    /// Appends a `text`, or NULL.
    mutating func append(_ text: String?) throws {
        if let text { try append(text) } else { appendNull(.text) }
    }

    /// Appends a `text[]`, or NULL.
    mutating func append(_ texts: [String]?) throws {
        guard let texts else { return appendNull(.text.array ?? .text) }
        try append(optional: texts)
    }

    /// Appends a `text[]`.
    fileprivate mutating func append(optional texts: [String?]) throws {
        try appendArray(of: .text, count: texts.count) { cells in
            for text in texts { if let text { try cells.string(text) } else { cells.null() } }
        }
    }

    /// Appends a `bigint[]`.
    fileprivate mutating func append(optional numbers: [Int64?]) {
        appendArray(of: .int8, count: numbers.count) { cells in
            for number in numbers { if let number { cells.int64(number) } else { cells.null() } }
        }
    }
}
