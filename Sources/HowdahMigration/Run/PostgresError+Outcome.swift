internal import PQClient

extension PostgresError {
    /// The end of a sentence about work that failed with the error, the state of the store, and the remedy.
    ///
    /// - Parameter aftermath: The state of the store, as a sentence without its end.
    func outcome(_ aftermath: String) -> String {
        if code == .cancelled { return "was cancelled. \(aftermath). Run the migration again to continue." }
        if isOfSession {
            return
                "was interrupted, because the database session ended. \(aftermath). Run the migration again to continue."
        }
        if let obstacle = StepObstacle(known: self, again: "try again") {
            return "failed, because \(obstacle.fault). \(aftermath). \(obstacle.remedy)"
        }
        return "failed. \(aftermath). \(localeComplaint ?? Self.remedy)"
    }

    /// The same without the server's advice, if following it would drop more than the step does.
    var withoutCascade: PostgresError {
        var error = self
        if sqlState == Self.dependentObjects { error.hint = nil }
        return error
    }
}
