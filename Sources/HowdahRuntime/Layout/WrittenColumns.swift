import HowdahModel
import Synchronization

/// The columns that an update of some slots writes, and its text: the same for all rows of an entity.
final class WrittenColumns: Sendable {
    let slots: [Int]
    let columns: [LayoutColumn]
    /// The generated attributes that depend on these, which the statement returns.
    let generated: [Int]
    /// The statement for one row; nil if the table has no version, so that nothing can be written.
    let textForRow: String?
    /// The same with a token as the last parameter, which is written if the row is.
    let textWithToken: String?

    init(_ layout: EntityLayout, _ slots: [Int]) {
        self.slots = slots
        columns = layout.columnsWritten(for: slots)
        generated = layout.derived?.generated(from: slots) ?? []
        textForRow = try? Self.textForRow(
            layout.table, columns, returning: generated.isEmpty ? nil : layout.list(ofKeyAnd: generated),
            bumpsVersion: true)
        let place = Self.token(at: columns.count + 3)
        textWithToken = textForRow.map { Self.text($0, writing: place, to: layout.tokenTable) }
    }

    /// Returns the statement that updates one row: the values, then its key and the version that was read.
    ///
    /// - Parameter returning: The list for RETURNING; nil if nothing is returned.
    /// - Throws: `SaveError.readOnly` if the table has no version.
    static func textForRow(
        _ table: StoredTable, _ columns: [LayoutColumn], returning: String?, bumpsVersion: Bool
    ) throws -> String {
        let (key, version) = (table.key.name, try table.writtenVersion())
        var settings = columns.enumerated().map { "\($1.name) = $\($0 + 1)" }
        if bumpsVersion { settings.append("\(version) = \(version) + 1") }
        return "UPDATE \(table) SET \(settings.joined(separator: ", ")) "
            + "WHERE \(key) = $\(columns.count + 1) AND \(version) = $\(columns.count + 2)"
            + (returning.map { " RETURNING " + $0 } ?? "")
    }

    /// Returns a statement on one row that also writes a token, if it touches the row.
    static func text(_ statement: String, writing token: String, to table: String) -> String {
        "WITH saved AS (\(statement) RETURNING 1) INSERT INTO \(table) (token) SELECT \(token) FROM saved"
    }

    /// Returns the parameter of a token.
    static func token(at number: Int) -> String { "$\(number)::pg_catalog.uuid" }
}

/// The recent ``WrittenColumns`` of an entity.
final class WrittenColumnsCache: Sendable {
    /// The number that is kept. Programs write an entity in few ways, and a list is searched faster than a dictionary.
    private static let limit = 8

    private let recent = Mutex<[WrittenColumns]>([])

    /// Returns the columns for some slots of an entity.
    func columns(_ slots: [Int], of layout: EntityLayout) -> WrittenColumns {
        if let known = recent.withLock({ known in known.first { $0.slots == slots } }) { return known }
        let columns = WrittenColumns(layout, slots)
        recent.withLock { known in
            if known.count == Self.limit { known.removeFirst() }
            known.append(columns)
        }
        return columns
    }
}

extension EntityLayout {
    /// Returns the columns that an update of some slots writes.
    func written(_ slots: [Int]) -> WrittenColumns {
        recentlyWritten.columns(slots, of: self)
    }

    /// Returns the key and the columns of derived attributes, as a list for RETURNING or SELECT.
    func list(ofKeyAnd slots: [Int], _ alias: String? = nil) -> String {
        let prefix = alias.map { $0 + "." } ?? ""
        let names = slots.map { columns[self.slots[$0].columns.lowerBound].name }
        return ([table.key.name] + names).map { prefix + $0 }.joined(separator: ", ")
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
