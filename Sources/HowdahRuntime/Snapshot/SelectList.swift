import HowdahModel
import PQClient

/// The columns that a query for an entity brings, and where each concrete entity finds its own among them.
///
/// Column 0 is `_id`, column 1 `_version`, column 2 `_entity` in hierarchies.
final class SelectList: Sendable {
    /// The quoted columns.
    let columns: [String]
    let discriminatorPosition: Int?
    /// For each entity of the family, the positions of its own columns; nil for other entities.
    private let positions: [[Int32]?]

    init(_ layout: EntityLayout, in all: [EntityLayout], identitiesOnly: Bool = false) {
        var columns = ["_id", "_version"].map(SQLIdentifier.quoted)
        discriminatorPosition = layout.discriminator.map {
            columns.append($0)
            return columns.count - 1
        }
        var places: [String: Int32] = [:]
        var positions: [[Int32]?] = Array(repeating: nil, count: all.count)
        for member in layout.family where !identitiesOnly {
            positions[member] = all[member].columns.map { column in
                if let place = places[column.name] { return place }
                let place = Int32(columns.count)
                places[column.name] = place
                columns.append(column.name)
                return place
            }
        }
        self.columns = columns
        self.positions = positions
    }

    /// The columns of one alias, ready to stand behind SELECT.
    func text(alias: String) -> String { columns.map { "\(alias).\($0)" }.joined(separator: ", ") }

    func positions(of entity: Int) -> [Int32] { positions[entity] ?? [] }
}
