import HowdahModel

/// Finds unique values that pass from one updated object to another in the same save, and parks them.
///
/// The database compares row by row. So the first row must release its value before.
struct UniqueParking {
    let layouts: StoreLayout

    /// Returns the updates with temporary values for rows whose present value another row is about to take.
    ///
    /// - Throws: `SaveError.uniqueness` naming both objects if the type has no temporary value.
    func parkings(for updates: [ChangeSet.Update]) throws -> [SavePlan.RowUpdate] {
        if updates.count < 2 { return [] }
        var parkings: [Place: SavePlan.RowUpdate] = [:]
        for (root, members) in Dictionary(grouping: updates, by: { $0.object.layout.root })
        where members.count > 1 {
            guard let table = layouts.schema.entities[layouts.entities[root].name]?.table else { continue }
            for unique in layouts.schema.table(named: table)?.uniques ?? [] {
                try park(members, unique, &parkings)
            }
        }
        return parkings.values.map { parking in
            var parking = parking
            parking.rows.sort { $0.key < $1.key }
            return parking
        }
        .sorted { ($0.table, $0.entity, $0.columns[0].name) < ($1.table, $1.entity, $1.columns[0].name) }
    }

    private struct Place: Hashable {
        let entity: Int
        let column: Int
    }

    private func park(
        _ members: [ChangeSet.Update], _ unique: StoreSchema.Unique,
        _ parkings: inout [Place: SavePlan.RowUpdate]
    ) throws {
        var takers: [[Value]: ManagedObject] = [:]
        var givers: [(values: [Value], columns: [UniqueColumn], update: ChangeSet.Update)] = []
        for update in members {
            guard let columns = UniqueColumn.columns(unique, in: update.object.layout),
                columns.contains(where: { update.slots.contains($0.slot) })
            else { continue }
            let (old, new) = (
                columns.map { $0.held($0.stored(in: update.object)) },
                columns.map { $0.held($0.present(in: update.object)) }
            )
            guard old != new else { continue }
            if !new.contains(.null) { takers[new] = update.object }
            if !old.contains(.null) { givers.append((old, columns, update)) }
        }
        for giver in givers {
            guard let taker = takers[giver.values] else { continue }
            let object = giver.update.object
            let changing = giver.columns.filter { giver.update.slots.contains($0.slot) && $0.isKey }
            // Not lazily: a lazy sequence may ask twice, and the answers are random.
            var place: (column: UniqueColumn, value: Value)?
            for column in changing where place == nil {
                place = column.passingValue(insteadOf: column.stored(in: object)).map { (column, $0) }
            }
            guard let (column, value) = place else { throw stuck(object, taker, giver.columns) }
            let layout = object.layout
            parkings[
                Place(entity: layout.index, column: column.position),
                default: .init(
                    table: layout.table, entity: layout.name, columns: [layout.columns[column.position]],
                    rows: [],
                    bumpsVersion: false)
            ].rows.append(SavePlan.Row(key: object.key, version: object.version, values: [value]))
        }
    }

    private func stuck(_ giver: ManagedObject, _ taker: ManagedObject, _ columns: [UniqueColumn]) -> SaveError
    {
        let names = Set(columns.map { giver.layout.slots[$0.slot].name }).sorted()
        let remedy = "Save the object that has the value now with a temporary value first."
        let sentences = [
            "gives its present value to another object in the same save. \(remedy)",
            "takes the present value of another object in the same save. \(remedy)",
        ]
        return SaveError(
            .uniqueness,
            "An object cannot take another object's value of \(names.joined(separator: ", ")) in one save. "
                + "Nothing was saved. Save the object that has the value now with a temporary value first.",
            issues: zip([giver, taker], sentences).map { object, sentence in
                ValidationIssue(
                    object.objectID, object.layout.name, names, ValidationIssue.uniqueness, sentence)
            })
    }
}
