import Synchronization

/// The query of readiness probes, one at a time, whose answer all callers share.
final class ReadinessProbes: Sendable {
    /// The answer to one query.
    struct Answer: Sendable {
        let readiness: Readiness
        /// Indicates whether the query was not cut short.
        let isFinal: Bool

        static func unreachable(_ reason: String) -> Answer {
            Answer(readiness: .unreachable(reason), isFinal: true)
        }
    }

    private let callers = Mutex<[SingleAnswer<Answer>]?>(nil)

    /// Adds a caller to the running query; true if it has to send one.
    func join(_ answer: SingleAnswer<Answer>) -> Bool {
        callers.withLock { callers in
            let asks = callers == nil
            callers = (callers ?? []) + [answer]
            return asks
        }
    }

    func finish(_ answer: Answer) {
        let answers = callers.withLock { callers in
            defer { callers = nil }
            return callers ?? []
        }
        for caller in answers { caller.give(answer) }
    }
}

/// A continuation that the first of several answers resumes.
final class SingleAnswer<Value: Sendable>: Sendable {
    private enum State {
        case open
        case listening(CheckedContinuation<Value, Never>)
        case given(Value)
        case done
    }

    private let state = Mutex(State.open)

    func listen(_ continuation: CheckedContinuation<Value, Never>) {
        let value = state.withLock { state -> Value? in
            guard case .given(let value) = state else {
                state = .listening(continuation)
                return nil
            }
            state = .done
            return value
        }
        if let value { continuation.resume(returning: value) }
    }

    func give(_ value: Value) {
        let continuation = state.withLock { state -> CheckedContinuation<Value, Never>? in
            switch state {
            case .open: state = .given(value)
            case .listening(let continuation):
                state = .done
                return continuation
            case .given, .done: break
            }
            return nil
        }
        continuation?.resume(returning: value)
    }
}
