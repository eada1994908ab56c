internal import PQClient

/// The reason why the server refuses a step although its rows would do, and the remedy.
struct StepObstacle: CustomStringConvertible {
    /// The end of a sentence.
    let fault: String
    /// As sentences.
    let remedy: String

    /// The end of a sentence, and the remedy.
    var description: String { "\(fault). \(remedy)" }

    /// - Parameter command: The command of `migrate` that you run again when the problem is fixed.
    init(_ error: PostgresError, command: String) {
        let again = "run howdah migrate \(command) again"
        if let known = StepObstacle(known: error, again: again) {
            self = known
            return
        }
        let state = error.sqlState ?? ""
        // Of these classes the messages name objects of the database, and no values of rows.
        if ["2B", "42", "53", "54", "55"].contains(state.prefix(2)) {
            fault = "the server refused this step (\(Self.inOneLine(error.message)))"
            remedy = "Fix the problem, and \(again)."
        } else {
            fault = "the server refused this step with the error \(state)"
            remedy = "See the server's log, fix the problem, and \(again)."
        }
    }

    /// Creates an obstacle with a specific remedy; nil if there is none.
    ///
    /// - Parameter again: The end of the remedy, such as `try again`.
    init?(known error: PostgresError, again: String) {
        switch error.sqlState {
        case PostgresError.dependentObjects where error.detail == nil && error.hint != nil:
            // The library refused it, with a remedy as the hint.
            fault = Self.inOneLine(error.message)
            remedy = "\(error.hint ?? "") Then \(again)."
        case PostgresError.dependentObjects:
            fault =
                "other objects depend on an object that this step removes (\(Self.inOneLine(error.detail ?? error.message)))"
            remedy =
                "Drop these other objects, or create them again without the removed one. Then \(again)."
        case SQLState.insufficientPrivilege:
            fault = "the role has no permission for this step (\(error.message))"
            remedy = "Grant the permission, or \(again) as the owner of the tables."
        case SQLState.diskFull:
            fault = "the server's disk is full"
            remedy = "Free disk space, and \(again)."
        case "0A000":
            let message = [error.message, error.detail].compactMap(\.self).joined(separator: ": ")
            fault = "the server refused this step (\(Self.inOneLine(message)))"
            remedy = "Change or drop the object that it names, and \(again)."
        default: return nil
        }
    }

    private static let maximumLines = 5

    /// The lines as the inner part of a sentence. The server names up to a hundred objects, one in each.
    private static func inOneLine(_ text: String) -> String {
        let lines = text.split(separator: "\n")
        let rest = lines.count - maximumLines
        let all = lines.prefix(maximumLines).joined(separator: ", ") + (rest > 0 ? ", and \(rest) more" : "")
        return all.hasSuffix(".") ? String(all.dropLast()) : all
    }
}
