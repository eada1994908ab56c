internal import HowdahModel

/// What becomes of one table: which old one it continues, and which of its columns stay where they are.
struct TableFlow {
    let new: StoreSchema.Table
    /// The table that it continues; nil where it is made.
    let old: StoreSchema.Table?
    /// Whether its rows are links.
    let isLinks: Bool
    /// The old name of each column that stays, by the new one.
    var kept: [String: String] = [:]
    /// The new names of columns that stay with another type.
    var converted: Set<String> = []
    /// Whether rows of other tables come in, or rows of its own leave.
    var movesRows = false
    /// Whether rows get another name of their entity, which foreign keys lead to.
    var renamesEntities = false
    /// Columns that are nullable, or have no rules yet, until all rows have their values.
    var relaxed: Set<String> = []
    /// Columns that lose values, so that the checks about them end first and are made again.
    var cleared: Set<String> = []
    /// Columns that get values of others or defaults, so that the uniqueness of them ends first and is made again.
    var filled: Set<String> = []
    /// Columns that get the default they were added with in all rows.
    var addedWithDefault: Set<String> = []
    /// Columns whose missing values are written after the transaction.
    var filledOnline: [String: String] = [:]
    /// Whether the table was made with its checks.
    var hasChecks = false

    /// The new name of an old column that stays unchanged; nil for others.
    func unchangedName(of column: String) -> String? {
        guard let name = kept.first(where: { $0.value == column })?.key, !converted.contains(name) else {
            return nil
        }
        return name
    }

    /// Whether every old column stays with its name and type.
    var keepsAllColumns: Bool {
        guard let old else { return false }
        return converted.isEmpty && old.columns.allSatisfy { kept[$0.name] == $0.name }
    }
}
