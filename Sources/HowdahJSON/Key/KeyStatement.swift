import HowdahModel
import HowdahRuntime
import PQClient

/// The lookup of rows by natural keys; a value that you can print and test without a server.
struct KeyStatement {
    /// The maximum number of keys of one statement.
    static let limit = 1_000

    let sql: String
    let parameters: Parameters

    /// - Parameter keys: Members in the order of the key's slots, references as the keys of rows.
    init(_ key: NaturalKeys.Key, _ keys: [[Value]], _ layout: EntityLayout, _ selection: SelectList) throws {
        var parameters = Parameters()
        var conditions: [String] = []
        let folding = FoldingFunction(.caseInsensitive, in: layout.folding)
        for (place, slot) in key.slots.enumerated() {
            let column = layout.columns[layout.slots[slot].columns.lowerBound]
            try parameters.appendArray(of: column.sent, count: keys.count) { cells in
                for members in keys { try cells.write(members[place], as: column.type) }
            }
            let fold = column.isCaseInsensitive ? folding : nil
            let sides = [column.compared("t0"), "k.c\(place)"].map { fold?.sql($0) ?? $0 }
            conditions.append(sides.joined(separator: " = "))
            if column.hasDigestIndex {
                let digests = sides.map { column.type.digest(of: $0) }
                conditions.append(digests.joined(separator: " = "))
            }
        }
        let names = key.slots.indices.map { "c\($0)" }.joined(separator: ", ")
        if let discriminator = layout.discriminator, layout.index != layout.root {
            try parameters.appendArray(of: .text, count: layout.concreteStoredNames.count) { cells in
                for name in layout.concreteStoredNames { try cells.string(name) }
            }
            conditions.append("t0.\(discriminator) = ANY($\(parameters.count))")
        }
        sql =
            "SELECT \(selection.text(alias: "t0")) FROM \(SQLRows.unnesting(parameters.count)) AS k(\(names)) "
            + "JOIN \(layout.table) t0 ON \(conditions.joined(separator: " AND "))"
        self.parameters = parameters
    }
}
