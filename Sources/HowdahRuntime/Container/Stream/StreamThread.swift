import PQClient

/// A thread for the closure of one stream, which may block it.
///
/// The closure runs inside a task with this executor, so that task-local values and cancellation reach it.
/// The thread starts with the first piece of work. It ends when the executor is released and the work has
/// returned.
package final class StreamThread: TaskExecutor {
    private final class Job: PoolWork {
        let job: UnownedJob
        let thread: StreamThread

        init(_ job: UnownedJob, on thread: StreamThread) {
            self.job = job
            self.thread = thread
        }

        func run() { job.runSynchronously(on: thread.asUnownedTaskExecutor()) }
    }

    private let workers = WorkerPool(maximumThreads: 1, name: "howdah-stream")

    package init() {}

    package func enqueue(_ job: consuming ExecutorJob) { workers.enqueue(Job(UnownedJob(job), on: self)) }
}
