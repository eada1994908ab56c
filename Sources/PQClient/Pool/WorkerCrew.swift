import Foundation

/// The threads of a ``WorkerPool`` and their shared state; threads keep it alive, the pool only ends it.
final class WorkerCrew: Sendable {
    private struct State {
        var queue = _FIFO<any PoolWork>()
        var threads = 0
        var sleeping = 0
        var isShutDown = false
    }

    private enum Step {
        case run(any PoolWork)
        case end
    }

    private let state = Monitor(State())
    private let maximumThreads: Int
    private let name: String
    /// The size of each stack. Predicates nest up to 256 levels and are walked by recursion; unused parts
    /// take no memory.
    private static let stackSize = 16 << 20

    init(maximumThreads: Int, name: String) {
        self.maximumThreads = maximumThreads
        self.name = name
    }

    func enqueue(_ work: any PoolWork) {
        let needsThread = state.signal { state in
            state.queue.append(work)
            guard state.queue.count > state.sleeping, state.threads < maximumThreads else { return false }
            state.threads += 1
            return true
        }
        if needsThread, !startThread() { runWithoutThread() }
    }

    var hasWork: Bool { state.withLock { !$0.queue.isEmpty } }

    func shutdown() { state.broadcast { $0.isShutDown = true } }

    private func runUntilTheEnd() {
        while case .run(let work) = nextStep() { work.run() }
    }

    private func nextStep() -> Step {
        var isSleeping = false
        let step: Step? = state.wait(until: nil) { state in
            let work = state.queue.popFirst()
            if work == nil, !state.isShutDown {
                if !isSleeping { state.sleeping += 1 }
                isSleeping = true
                return nil
            }
            if isSleeping { state.sleeping -= 1 }
            if let work { return .run(work) }
            state.threads -= 1
            return .end
        }
        return step ?? .end
    }

    /// Handles a refused thread: others take the work, or the caller if there are none.
    private func runWithoutThread() {
        let work = state.withLock { state -> (any PoolWork)? in
            state.threads -= 1
            return state.threads == 0 ? state.queue.popFirst() : nil
        }
        work?.run()
    }

    private func startThread() -> Bool {
        let attributes = UnsafeMutablePointer<pthread_attr_t>.allocate(capacity: 1)
        pthread_attr_init(attributes)
        defer {
            pthread_attr_destroy(attributes)
            attributes.deallocate()
        }
        pthread_attr_setdetachstate(attributes, Int32(PTHREAD_CREATE_DETACHED))
        pthread_attr_setstacksize(attributes, Self.stackSize)
        let context = Unmanaged.passRetained(self)
        #if canImport(Darwin)
        var thread: pthread_t?
        let status = pthread_create(
            &thread, attributes,
            { context in
                WorkerCrew.main(context)
                return nil
            }, context.toOpaque())
        #else
        var thread = pthread_t()
        let status = pthread_create(
            &thread, attributes,
            { context in
                if let context { WorkerCrew.main(context) }
                return nil
            }, context.toOpaque())
        #endif
        if status != 0 { context.release() }
        return status == 0
    }

    private static func main(_ context: UnsafeMutableRawPointer) {
        let crew = Unmanaged<WorkerCrew>.fromOpaque(context).takeRetainedValue()
        Thread.current.name = crew.name
        crew.runUntilTheEnd()
    }
}
