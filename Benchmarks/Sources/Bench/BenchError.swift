import Foundation

/// What kept the benchmark from running.
struct BenchError: LocalizedError {
    let errorDescription: String?

    init(_ message: String) { errorDescription = message }
}
