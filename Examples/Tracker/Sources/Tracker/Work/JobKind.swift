import Foundation
import Howdah

/// The kinds of jobs.
enum JobKind: String {
    case notifyWatchers

    /// Adds a job to the changes of the context. The save that stores the changes stores the job.
    func add(_ payload: JobPayload, to context: ManagedObjectContext) {
        let job = Job(context: context)
        (job.kind, job.payload, job.runAt) = (rawValue, payload, .now)
    }

    static func run(_ job: Job, in context: ManagedObjectContext) throws {
        switch JobKind(rawValue: job.kind) {
        case .notifyWatchers: try NotifyWatchers.run(job.payload, in: context)
        case nil: throw UnknownJob(kind: job.kind)
        }
    }
}

/// A job of a newer version of the program, which waits for it.
struct UnknownJob: Error {
    let kind: String
}

/// Writes a mail to each watcher of an issue.
enum NotifyWatchers {
    static func run(_ payload: JobPayload, in context: ManagedObjectContext) throws {
        guard let id = context.objectID(Issue.self, pathComponent: payload.issue),
            let issue = try context.fetch(Issue.self, where: #Predicate { $0.objectID == id }).first
        else { return }  // deleted since
        for watcher in issue.watchers {
            let mail = Mail(context: context)
            (mail.recipient, mail.subject, mail.createdAt) = (watcher, payload.subject, .now)
        }
    }
}
