import Foundation
import Howdah
import Logging
import ServiceLifecycle

/// Works on jobs, each exactly once.
///
/// A job is saved with the change that causes it. A worker locks the job, does its work and deletes it in one
/// transaction. If the process ends before the commit, nothing has happened, and the next worker finds the job.
/// `SKIP LOCKED` lets any number of workers take different jobs.
struct JobWorker: Service {
    private static let pause = Duration.milliseconds(250)
    private let container: PersistentContainer
    private let count: Int
    private let logger = Logger(label: "tracker.jobs")

    init(_ container: PersistentContainer, count: Int) {
        self.container = container
        self.count = count
    }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await withTaskGroup { group in
                for _ in 0..<count { group.addTask { await work() } }
            }
        }
        if count == 0 { try await gracefulShutdown() }
    }

    private func work() async {
        var pause = Self.pause
        while !Task.isCancelled {
            do {
                let isDone = try await next()
                pause = Self.pause
                if isDone { continue }
            } catch let failure as JobFailure {
                logger.warning("\(failure.job.pathComponent) failed: \(failure.underlyingError)")
                do { try await postpone(failure.job) } catch { logger.error("\(error)") }
            } catch {
                // The database is away, for example.
                if !Task.isCancelled { logger.error("\(error)") }
                pause = min(pause * 2, .seconds(5))
            }
            try? await Task.sleep(for: pause)
        }
    }

    /// Does one job that is due.
    ///
    /// - Returns: False if there is none.
    private func next() async throws -> Bool {
        try await container.perform(isolation: .readCommitted) { context in
            let now = Date()
            var request = FetchRequest<Job>(where: #Predicate { $0.runAt <= now })
            request.sortDescriptors = [.ascending(\.runAt)]
            request.fetchLimit = 1
            request.rowLock = .update.skippingLocked
            guard let id = try context.fetchObjectIDs(request).first else { return false }
            // From here on, an error is the job's: also if this version of the program cannot read it.
            do {
                let job = try context.existingObject(with: id)
                try JobKind.run(job, in: context)
                context.delete(job)
                try context.save()
            } catch {
                throw JobFailure(job: id, underlyingError: error)
            }
            return true
        }
    }

    /// Tries a job again later, each time after twice the pause.
    private func postpone(_ id: ObjectID<Job>) async throws {
        try await container.perform { context in
            var request = FetchRequest<Job>(where: #Predicate { $0.objectID == id })
            request.propertiesToFetch = [.property(\.attempts)]
            guard let attempts = try context.fetch(request).first?.attempts else { return }
            let later = Date(timeIntervalSinceNow: pow(2, Double(min(attempts + 1, 12))))
            // Not by the object, which may have values that this version cannot read.
            try context.execute(
                BatchUpdateRequest(
                    Job.self, matching: .format("SELF == %@", id),
                    set: ["attempts": .value(attempts + 1), "runAt": .value(later)]))
        }
    }
}

/// The job that an error is about.
private struct JobFailure: Error {
    let job: ObjectID<Job>
    let underlyingError: any Error
}
