import HowdahModel
import Synchronization

/// What an update of some slots writes: the same for all rows of an entity.
final class WrittenColumns: Sendable {
    let slots: [Int]
    let columns: [LayoutColumn]
    let readBack: ReadBack?
    /// The statement for one row; nil if the table has no version, so that nothing can be written.
    let textForRow: String?

    init(_ layout: EntityLayout, _ slots: [Int]) {
        self.slots = slots
        columns = layout.columnsWritten(for: slots)
        readBack = layout.derived.flatMap { ReadBack(layout, $0.generated(from: slots)) }
        textForRow = try? Self.textForRow(layout.table, columns, readBack, bumpsVersion: true)
    }

    /// Returns the statement that updates one row: the values, then its key and the version that was read.
    ///
    /// - Throws: `SaveError.readOnly` if the table has no version.
    static func textForRow(
        _ table: StoredTable, _ columns: [LayoutColumn], _ readBack: ReadBack?, bumpsVersion: Bool
    ) throws -> String {
        let (key, version) = (table.key.name, try table.writtenVersion())
        var settings = columns.enumerated().map { "\($1.name) = $\($0 + 1)" }
        if bumpsVersion { settings.append("\(version) = \(version) + 1") }
        let returning = readBack.map { " RETURNING " + $0.list() } ?? ""
        return "UPDATE \(table) SET \(settings.joined(separator: ", ")) "
            + "WHERE \(key) = $\(columns.count + 1) AND \(version) = $\(columns.count + 2)" + returning
    }
}

/// The recent ``WrittenColumns`` of an entity.
final class WrittenColumnsCache: Sendable {
    /// The number that is kept. Programs write an entity in few ways, and a list is searched faster than a dictionary.
    private static let limit = 8

    private let recent = Mutex<[WrittenColumns]>([])

    /// Returns the columns for some slots, which `make` creates if they are not known.
    func columns(_ slots: [Int], _ make: () -> WrittenColumns) -> WrittenColumns {
        if let known = recent.withLock({ known in known.first { $0.slots == slots } }) { return known }
        let made = make()
        recent.withLock { known in
            if known.count == Self.limit { known.removeFirst() }
            known.append(made)
        }
        return made
    }
}

extension EntityLayout {
    /// Returns what an update of some slots writes.
    func written(_ slots: [Int]) -> WrittenColumns {
        recentlyWritten.columns(slots) { WrittenColumns(self, slots) }
    }

    /// Returns the columns that are written for slots; a place in an ordered list is written with its foreign key.
    func columnsWritten(for slots: some Sequence<Int>) -> [LayoutColumn] {
        slots.flatMap { slot -> [LayoutColumn] in
            if derived?.isGenerated(slot) == true { return [] }
            let columns = self.slots[slot].columns.map { self.columns[$0] }
            guard placedSlots.contains(slot),
                case .foreignKey(let key) = relationship(slot).storage, let order = key.orderColumn
            else { return columns }
            return columns + [LayoutColumn(quoted: order, .int8)]
        }
    }
}
