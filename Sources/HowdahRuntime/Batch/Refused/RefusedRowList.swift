import HowdahModel

/// The refused rows of a batch insertion that collects them.
struct RefusedRowList: Sendable {
    private let limit: Int
    private let entity: String
    private(set) var rows: [RefusedRow] = []
    /// The numbers of the rows.
    private(set) var numbers: Set<Int> = []

    /// Creates an empty list; nil if the insertion is to fail instead.
    ///
    /// - Throws: `FetchError.invalidRequest` for a negative limit.
    init?(_ policy: RefusedRowPolicy, of layout: EntityLayout) throws {
        guard case .collect(let limit) = policy else { return nil }
        guard limit >= 0 else {
            throw FetchError(
                .invalidRequest,
                "The limit of refusedRows is \(limit), which is negative. Set refusedRows to .collect(upTo:) "
                    + "with 0 or more.")
        }
        self.limit = limit
        entity = layout.name
    }

    /// Adds a row.
    ///
    /// - Throws: `SaveError.validation` with the issues of all rows, if there are more than the limit.
    mutating func add(_ number: Int, _ issues: [ValidationIssue]) throws {
        var issues = issues
        if issues.isEmpty {
            issues = [
                ValidationIssue(
                    nil, entity, nil, ValidationIssue.generic,
                    "is refused by a rule of the database. Correct the row.")
            ]
        }
        for index in issues.indices { issues[index].row = number }
        rows.append(RefusedRow(row: number, issues: issues))
        numbers.insert(number)
        guard rows.count > limit else { return }
        throw SaveError(
            .validation,
            "More than \(limit) rows were refused. Nothing was stored. Correct the rows that the issues name, or "
                + "set a greater limit for refusedRows.",
            issues: rows.sorted { $0.row < $1.row }.flatMap(\.issues))
    }
}
