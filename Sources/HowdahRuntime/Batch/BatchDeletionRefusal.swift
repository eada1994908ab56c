import PQClient

/// The error of a batch deletion for which the role lacks a right, or whose changes a policy refuses.
struct BatchDeletionRefusal {
    private let cause: PostgresError
    private let need: NeededRight?

    /// - Parameter need: The right that the refused statement needs, if it is known.
    init(_ cause: PostgresError, _ need: NeededRight?) {
        self.cause = cause
        // Functions and triggers need other rights.
        self.need = cause.context == nil ? need : nil
    }

    /// The error; nil if the server refused the deletion for another reason.
    var error: SaveError? {
        guard cause.sqlState == SQLState.insufficientPrivilege else { return nil }
        return SaveError(.database, cause.isOfPolicy ? ofPolicy : ofRights, databaseError: cause)
    }

    private var ofPolicy: String {
        guard let need else {
            return
                "A row security policy refused a row that the batch deletion changes. Nothing was deleted. "
                + "Change the policy of the table in the cause, or exclude the objects with the predicate."
        }
        return "A row security policy of \(need.table) refused a row whose relationship to a deleted object "
            + "is cleared. Nothing was deleted. Set another object in that row first, or change the policy."
    }

    private var ofRights: String {
        guard let need else {
            return
                "The role lacks a right that the batch deletion needs. Nothing was deleted. Run howdah migrate "
                + "doctor --role as the store's owner, and grant the rights that it lists."
        }
        return "The role lacks a right on \(need.table): the batch deletion \(need.purpose). Nothing was "
            + "deleted. Grant \(need.right.rawValue) on \(need.table) to the role."
    }
}
