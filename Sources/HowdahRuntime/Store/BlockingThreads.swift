import PQClient

/// Threads for a program's own closures, which may block them: that of a stream, or the calls of an observer.
///
/// A closure runs inside a task with this executor, so that task-local values and cancellation reach it. A thread
/// starts when it is needed. The threads end when the executor is released and the work has returned.
package final class BlockingThreads: TaskExecutor {
    private final class Job: PoolWork {
        let job: UnownedJob
        let threads: BlockingThreads

        init(_ job: UnownedJob, on threads: BlockingThreads) {
            self.job = job
            self.threads = threads
        }

        func run() { job.runSynchronously(on: threads.asUnownedTaskExecutor()) }
    }

    private let workers: WorkerPool

    init(_ maximumThreads: Int, name: String) {
        workers = WorkerPool(maximumThreads: maximumThreads, name: name)
    }

    /// Creates the thread of one stream.
    package static func ofStream() -> BlockingThreads { BlockingThreads(1, name: "howdah-stream") }

    package func enqueue(_ job: consuming ExecutorJob) { workers.enqueue(Job(UnownedJob(job), on: self)) }
}
