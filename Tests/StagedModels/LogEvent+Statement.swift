import Logging

extension LogEvent {
    /// Indicates whether the event is a statement that is in each run.
    ///
    /// After a lock that was not free within 20 ms, a run says how long the next one may take, and a slow machine has more
    /// of these.
    var isStatement: Bool {
        message.description == "statement"
            && metadata?["db.query.text"]?.description.hasPrefix("SET LOCAL lock_timeout") != true
    }
}
