import HowdahModel
import PQClient

/// The history of the rows that the statement of a batch update or deletion writes.
///
/// It has the changes of these rows, and those of the owners at the other ends of their to-ones.
struct BatchTrace {
    let layout: EntityLayout
    let kind: StoredChanges.Kind
    /// The slots that the statement sets; none for a deletion.
    private let slots: Set<Int>
    let ends: [End]
    private let context: ManagedObjectContext

    /// The foreign key of a to-one with an inverse.
    struct End {
        let column: String
        /// The column with the destination's entity, in hierarchies.
        let entityColumn: String?
        let owner: EntityLayout
        /// The slot of the inverse in the owner.
        let inverse: Int

        /// The destination's entity in a row with an alias.
        func entity(of alias: String) -> String {
            entityColumn.map { "\(alias).\($0)" } ?? "\(SQLLiteral.string(owner.storedName))::pg_catalog.text"
        }
    }

    /// Creates the trace of rows with changed slots.
    init(updating slots: Set<Int>, of layout: EntityLayout, in context: ManagedObjectContext) {
        self.init(layout, .update, slots, Self.ends(of: [layout], context) { slots.contains($0) }, context)
    }

    /// Creates the trace of deleted rows.
    init(deleting layout: EntityLayout, in context: ManagedObjectContext) {
        let family = layout.family.map { context.layouts[$0] }
        self.init(layout, .deletion, [], Self.ends(of: family, context) { _ in true }, context)
    }

    private init(
        _ layout: EntityLayout, _ kind: StoredChanges.Kind, _ slots: Set<Int>, _ ends: [End],
        _ context: ManagedObjectContext
    ) {
        self.layout = layout
        self.kind = kind
        self.slots = slots
        self.ends = ends
        self.context = context
    }

    private static func ends(
        of family: [EntityLayout], _ context: ManagedObjectContext, where isMeant: (Int) -> Bool
    ) -> [End] {
        var known: Set<String> = []
        return family.flatMap { layout in
            layout.toOnesWithInverse.filter(isMeant).compactMap { slot -> End? in
                let relationship = layout.relationship(slot)
                guard case .foreignKey(let columns) = relationship.storage,
                    let inverse = relationship.inverse,
                    known.insert(columns.column).inserted
                else { return nil }
                return End(
                    column: columns.column, entityColumn: columns.entityColumn,
                    owner: context.layouts[relationship.destination], inverse: inverse)
            }
        }
    }

    /// A RETURNING clause, or the columns of a query, with the key, the entity and the foreign keys.
    func columns(_ alias: String) -> String {
        var columns = ["\(layout.table.key(alias)) AS id"]
        if let discriminator = layout.discriminator { columns.append("\(alias).\(discriminator) AS entity") }
        if let kept = tombstone(alias) { columns.append("\(kept) AS kept") }
        return (columns + endColumns(alias)).joined(separator: ", ")
    }

    /// The number of those columns.
    var columnCount: Int { ownColumnCount + ends.reduce(0) { $0 + ($1.entityColumn == nil ? 1 : 2) } }

    private func tombstone(_ alias: String) -> String? {
        kind == .deletion ? Tombstone.selection(of: layout, context.layouts, alias) : nil
    }

    /// The number of columns before the foreign keys.
    private var ownColumnCount: Int {
        1 + (layout.discriminator == nil ? 0 : 1) + (tombstone("t") == nil ? 0 : 1)
    }

    /// The foreign keys, each with the entity of its destination if that is stored.
    func endColumns(_ alias: String) -> [String] {
        ends.enumerated().flatMap { index, end in
            ["\(alias).\(end.column) AS e\(index)"]
                + (end.entityColumn.map { ["\(alias).\($0) AS n\(index)"] } ?? [])
        }
    }

    /// The former foreign keys of the row `t` that the statement changes, in the order of ``endColumns(_:)``; NULL for
    /// those that stay.
    var formerColumns: String {
        ends.flatMap { end in
            ([end.column] + (end.entityColumn.map { [$0] } ?? [])).map { column in
                "(SELECT o.\(column) FROM \(layout.table) o WHERE \(layout.table.key("o")) = \(layout.table.key("t")) "
                    + "AND o.\(end.column) IS DISTINCT FROM t.\(end.column))"
            }
        }
        .joined(separator: ", ")
    }

    // MARK: In the statement itself

    /// Returns a statement with its history, as a transaction by itself; see ``HistoryRows``.
    ///
    /// - Parameters:
    ///   - sql: The statement, which returns ``columns(_:)``.
    ///   - former: The query for the former foreign keys, which the statement has as `old`; nil if it returns them.
    ///   - returnsRows: Indicates whether the result has the keys and entities of the rows; else it has their number.
    func statement(
        _ sql: String, _ parameters: Parameters, former: String?, returnsRows: Bool
    ) throws -> SaveStatement {
        let subject = StatementSubject(
            kind == .update ? .update : .delete, layout.table.subject,
            returnsCount: !returnsRows && context.store.history != nil)
        guard let history = context.store.history else {
            return SaveStatement(sql, parameters, about: subject)
        }
        var parameters = parameters
        let shapes = [kind == .update ? names : nil] + ends.map { [$0.owner.storedNames[$0.inverse]] }
        var places: [String] = []
        for names in shapes {
            try parameters.append(names)
            places.append("$\(parameters.count)")
        }
        let start = parameters.count
        let signature = context.signature(.batch)
        parameters.append(signature.origin.rawValue)
        for text in [signature.author, signature.context, history.process] { try parameters.append(text) }
        let own =
            layout.discriminator == nil
            ? "\(SQLLiteral.string(layout.storedName))::pg_catalog.text" : "w.entity"
        let kept = tombstone("w") == nil ? "NULL::pg_catalog.jsonb" : "w.kept::pg_catalog.jsonb"
        let owners = ends.enumerated().flatMap { index, end in
            ["written"].map { source(index, end, $0) } + (former == nil ? [] : [source(index, end, "old")])
        }
        let changed =
            "SELECT 0 AS shape, \(own) AS entity, w.id, \(kept) AS kept FROM written w"
            + (owners.isEmpty ? "" : " UNION ALL (\(owners.joined(separator: " UNION ")))")
        if layout.discriminator == nil, owners.isEmpty, former == nil, tombstone("w") == nil {
            return SaveStatement(
                ofOneEntity(
                    sql, history, properties: places[0], origin: start + 1, returnsRows: returnsRows),
                parameters, about: subject)
        }
        let properties = places.enumerated().map { "WHEN \($0) THEN \($1)" }.joined(separator: " ")
        let rows =
            "SELECT \(history.slot), n.number, (pg_catalog.row_number() OVER "
            + "(ORDER BY g.shape, g.entity, g.chunk) - 1)::pg_catalog.int4, $\(start + 1)::pg_catalog.int2, g.entity, "
            + "CASE g.shape WHEN 0 THEN \(kind.rawValue) ELSE \(StoredChanges.Kind.update.rawValue) END, "
            + "CASE g.shape \(properties) END, g.ids, g.kept, $\(start + 2), $\(start + 3), $\(start + 4) "
            + "FROM number n, \(tombstone("w") == nil ? Self.groups : Self.groupsWithTombstones) g"
        let parts =
            (former.map { ["old AS MATERIALIZED (\($0))"] } ?? []) + [
                "written AS (\(sql))",
                "number AS MATERIALIZED (SELECT \(history.nextNumber) AS number FROM "
                    + "(SELECT pg_catalog.count(*) AS n FROM written) w WHERE w.n > 0)",
                "changed AS (\(changed))",
                "history AS (INSERT INTO \(history.table) (\(HistoryRows.columns)) \(rows))",
            ]
        let result =
            returnsRows
            ? "SELECT w.id\(layout.discriminator == nil ? "" : ", w.entity") FROM written w"
            : "SELECT pg_catalog.count(*) FROM written"
        return SaveStatement(
            "WITH \(parts.joined(separator: ", ")) \(result)", parameters, about: subject)
    }

    /// The statement if all changed rows are of one entity, and no other rows change: nothing has to be grouped.
    ///
    /// The array is made of all written rows before the number is drawn.
    private func ofOneEntity(
        _ sql: String, _ history: StoreHistory, properties: String, origin: Int, returnsRows: Bool
    ) -> String {
        let size = HistoryRows.idsPerRow
        let slice = "f.ids[s.chunk * \(size) + 1:(s.chunk + 1) * \(size)]"
        let result =
            returnsRows
            ? "SELECT w.id FROM written w"
            : "SELECT coalesce(pg_catalog.cardinality(f.ids), 0)::pg_catalog.int8 FROM f"
        return "WITH written AS (\(sql)), "
            + "f AS MATERIALIZED (SELECT pg_catalog.array_agg(w.id ORDER BY w.id) AS ids FROM written w), "
            + "number AS MATERIALIZED (SELECT \(history.nextNumber) AS number FROM f WHERE f.ids IS NOT NULL), "
            + "history AS (INSERT INTO \(history.table) (\(HistoryRows.columns)) SELECT \(history.slot), n.number, s.chunk, "
            + "$\(origin)::pg_catalog.int2, \(SQLLiteral.string(layout.storedName))::pg_catalog.text, \(kind.rawValue), "
            + "\(properties)::pg_catalog.text[], \(slice), NULL::pg_catalog.jsonb, $\(origin + 1), $\(origin + 2), "
            + "$\(origin + 3) FROM number n, f, "
            + "pg_catalog.generate_series(0, (pg_catalog.cardinality(f.ids) - 1) / \(size)) s(chunk)) \(result)"
    }

    /// The changed rows in groups of at most 1,000 ids: one sort, then slices.
    private static let groups =
        "(SELECT f.shape, f.entity, s.chunk, NULL::pg_catalog.jsonb AS kept, "
        + "f.ids[s.chunk * \(HistoryRows.idsPerRow) + 1:(s.chunk + 1) * \(HistoryRows.idsPerRow)] AS ids "
        + "FROM (SELECT c.shape, c.entity, pg_catalog.array_agg(c.id ORDER BY c.id) AS ids FROM changed c "
        + "GROUP BY c.shape, c.entity) f, pg_catalog.generate_series(0, "
        + "(pg_catalog.cardinality(f.ids) - 1) / \(HistoryRows.idsPerRow)) s(chunk))"

    /// The same with the preserved values, in the order of the ids.
    private static let groupsWithTombstones =
        "(SELECT f.shape, f.entity, f.chunk, pg_catalog.array_agg(f.id ORDER BY f.id) AS ids, "
        + "CASE WHEN pg_catalog.bool_or(f.kept IS NOT NULL) THEN pg_catalog.jsonb_agg(f.kept ORDER BY f.id) END AS kept "
        + "FROM (SELECT c.shape, c.entity, c.id, c.kept, (pg_catalog.row_number() OVER (PARTITION BY c.shape, c.entity "
        + "ORDER BY c.id) - 1) / \(HistoryRows.idsPerRow) AS chunk FROM changed c) f "
        + "GROUP BY f.shape, f.entity, f.chunk)"

    private func source(_ index: Int, _ end: End, _ table: String) -> String {
        let entity = end.entityColumn == nil ? end.entity(of: "o") : "o.n\(index)"
        // An owner that the statement deletes, too, is not changed.
        let stays =
            kind == .deletion && end.owner.root == layout.root
            ? " AND NOT EXISTS (SELECT FROM written w WHERE w.id = o.e\(index))" : ""
        return "SELECT \(index + 1), \(entity), o.e\(index), NULL::pg_catalog.jsonb FROM \(table) o "
            + "WHERE o.e\(index) IS NOT NULL\(stays)"
    }

    /// The stored names of the changed properties, with all that subentities derive from them.
    private var names: [String] {
        var known: Set<String> = []
        return layout.family.map { context.layouts[$0] }
            .flatMap { entity in entity.changedSlots(slots).slots.map { entity.storedNames[$0] } }
            .filter { known.insert($0).inserted }
    }

    // MARK: After the statement

    /// Adds rows that a statement returned with ``columns(_:)``.
    func note(_ result: QueryResult, in stored: inout StoredChanges) {
        var runs: [Int: KeyRuns] = [:]
        let directory = layout.directory
        let kept = tombstone("t") == nil ? nil : ownColumnCount - 1
        result.forEachRow { row in
            let found = layout.discriminator == nil ? nil : directory.index(ofStoredName: row[1].string())
            let entity = found ?? layout.index
            guard let kept, !row[kept].isNull else {
                return runs[entity, default: KeyRuns()].append(row[0].int64)
            }
            stored.add(
                .init(kind: kind, entity: entity, isExact: true, slots: nil, tombstone: row[kept].string()),
                of: .init(root: layout.root, key: row[0].int64))
        }
        for (entity, keys) in runs.sorted(by: { $0.key < $1.key }) {
            stored.add(
                .init(
                    entity: entity, kind: kind,
                    slots: kind == .update ? context.layouts[entity].changedSlots(slots) : nil, keys: keys))
        }
        noteEnds(of: result, in: &stored)
    }

    /// Adds the owners in rows with ``columns(_:)``.
    func noteEnds(of result: QueryResult, in stored: inout StoredChanges) {
        noteEnds(result, from: ownColumnCount, in: &stored)
    }

    /// Adds the owners in rows with ``endColumns(_:)``, which begin at a column.
    func noteEnds(_ result: QueryResult, from first: Int, in stored: inout StoredChanges) {
        if ends.isEmpty { return }
        result.forEachRow { row in
            var column = first
            for end in ends {
                defer { column += end.entityColumn == nil ? 1 : 2 }
                if row[column].isNull { continue }
                let entity = end.entityColumn.flatMap { _ in
                    end.owner.directory.index(ofStoredName: row[column + 1].string())
                }
                let owner = entity.map { context.layouts[$0] } ?? end.owner
                stored.add(
                    .init(
                        kind: .update, entity: owner.index, isExact: entity != nil || owner.isAlone,
                        slots: SlotSet([end.inverse])),
                    of: .init(root: owner.root, key: row[column].int64))
            }
        }
    }
}
