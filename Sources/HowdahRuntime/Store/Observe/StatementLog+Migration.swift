import PQClient

extension StatementLog {
    /// Runs a migration in its span, and reports it, if anything observes the store.
    ///
    /// - Parameters:
    ///   - stages: Returns the number of stages that ran.
    ///   - code: Returns the name of an error's code; nil if it has none.
    package func observingMigration<T>(
        _ work: StoreEvent.MigrationReport.Work, stages: (T) -> Int = { _ in 0 },
        code: (any Error) -> String?, _ body: () throws -> T
    ) throws -> T {
        guard listeners.isOn else { return try body() }
        let start = MonotonicTime.now
        let span = listeners.begin(.migration)
        func end(_ count: Int, _ error: (any Error)?) {
            let time = MonotonicTime.now.nanoseconds(since: start)
            let report = StoreEvent.MigrationReport(
                work: work, stageCount: count, duration: .nanoseconds(time), error: error,
                code: error.flatMap(code))
            span.run { listeners.emit(.migration(report)) }
            span?.end(error)
        }
        do {
            let result = try span.run(body)
            end(stages(result), nil)
            return result
        } catch {
            end(0, error)
            throw error
        }
    }
}
