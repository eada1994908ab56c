import PQClient

/// The executor of tasks that run on a container's threads.
///
/// Such a task and its units of work are on one thread. No other thread is woken to run a unit, or to continue
/// the task after it.
final class WorkerExecutor: TaskExecutor {
    private let workers: WorkerPool

    init(_ workers: WorkerPool) { self.workers = workers }

    func enqueue(_ job: consuming ExecutorJob) {
        let work = TaskJob(UnownedJob(job), self)
        if ThreadChain.current.follow(with: work, after: .context, on: workers) { return }
        workers.enqueue(work)
    }

    /// A part of a task between two suspensions.
    private final class TaskJob: ThreadWork {
        private let job: UnownedJob
        private let executor: WorkerExecutor

        init(_ job: UnownedJob, _ executor: WorkerExecutor) {
            self.job = job
            self.executor = executor
        }

        var stage: ThreadChain.Stage { .task }

        func run() { ThreadChain.current.run(self, on: executor.workers) }

        func runOnce(_ chain: ThreadChain) { job.runSynchronously(on: executor.asUnownedTaskExecutor()) }
    }
}
