/// The progress of a batch: the sent statements, the missing answers, the received answers.
struct PipelineProgress {
    /// A command that the server answers, in the order sent.
    enum Step {
        case prepare(entry: Int, StatementCache.Key, name: String)
        case execute(entry: Int)
        case deallocate(name: String)
        case sync
    }

    /// The number of bytes after which answers are read before more is sent.
    static let unreadLimit = 32 << 10

    private(set) var owed = _FIFO<Step>()
    /// Indicates whether the first open step was answered, so that only its end is missing.
    var isAnswered = false
    var results: [QueryResult] = []
    /// The first failure; the server skips everything after it.
    var failure: PostgresError?
    /// A rough count of the bytes sent since answers were last read.
    var unreadBytes = 0

    mutating func expect(_ step: Step, bytes: Int) {
        owed.append(step)
        unreadBytes += bytes
    }

    mutating func completeFirst() {
        _ = owed.popFirst()
        isAnswered = false
    }
}
