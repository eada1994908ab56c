import Howdah

/// The arguments of a job, stored as JSON.
struct JobPayload: AttributeJSON {
    /// The id of the issue that the job is about.
    var issue = ""
    var subject = ""
}
