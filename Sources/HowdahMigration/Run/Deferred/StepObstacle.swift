internal import PQClient

/// Why the server refuses a step although its rows would do: what is in the way, and what to do about it.
struct StepObstacle: CustomStringConvertible {
    /// The end of a sentence, and the remedy.
    let description: String

    /// - Parameter command: what of `migrate` is run again once it is put right.
    init(_ error: PostgresError, command: String) {
        let state = error.sqlState ?? ""
        description =
            switch state {
            case "2BP01":
                "other objects depend on an object that this step removes (\(Self.inOneLine(error.detail ?? error.message))). Drop "
                    + "these other objects, or create them again without the removed one. Then run howdah migrate \(command) again."
            case SQLState.insufficientPrivilege:
                "the role has no permission for this step (\(error.message)). Run howdah migrate \(command) as the owner of the tables."
            case SQLState.diskFull:
                "the server's disk is full. Free disk space, and run howdah migrate \(command) again."
            // Of these classes the messages name objects of the database, and no values of rows.
            case _ where ["2B", "42", "53", "54", "55"].contains(state.prefix(2)):
                "the server refused this step (\(Self.inOneLine(error.message))). Fix the problem, and run howdah migrate \(command) again."
            default:
                "the server refused this step with the error \(state). See the server's log, fix the problem, and run howdah migrate \(command) again."
            }
    }

    private static func inOneLine(_ text: String) -> String {
        text.split(separator: "\n").joined(separator: ", ")
    }
}
