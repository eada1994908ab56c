import Foundation
import Howdah

// HowdahBench PEER WORKLOAD URL N [count|metrics]: one workload in one process; prints one line of JSON.
// HowdahBench typed scaling-read|scaling-write URL UNITS TASKS POOL [own]: many tasks at once.
let arguments = CommandLine.arguments
guard arguments.count >= 5, let n = Int(arguments[4]) else {
    FileHandle.standardError.write(
        Data("usage: HowdahBench typed|dynamic WORKLOAD URL N [count|metrics]\n".utf8))
    exit(2)
}
let (peer, name, url) = (arguments[1], arguments[2], arguments[3])
let countsStatements = arguments.dropFirst(5).first == "count"
let sumsMetrics = arguments.dropFirst(5).first == "metrics"
let classes = try ManagedObjectModel(Department.self, Employee.self)
let plain = try ManagedObjectModel(
    entities: classes.entities.map { entity in
        var entity = entity
        entity.className = nil
        return entity
    })

do {
    print(try await measure())
} catch {
    FileHandle.standardError.write(Data("\(error)\n".utf8))
    exit(1)
}

nonisolated func measure() async throws -> String {
    if name.hasPrefix("migration-") {
        try await MigrationRun.run(String(name.dropFirst("migration-".count)), url: url)
        return ""
    }
    if name.hasPrefix("scaling-"), arguments.count >= 7, let tasks = Int(arguments[5]),
        let pool = Int(arguments[6]),
        let load = ScalingRun.Load(rawValue: String(name.dropFirst("scaling-".count)))
    {
        return try json(
            await ScalingRun(
                url, classes, load, units: n, tasks: tasks, pool: pool,
                isOwn: arguments.dropFirst(7).first == "own"))
    }
    if name == "triggers" { return try await TriggerRun.run(url: url, n) }
    if name == "opening" { return try await SingleRun.opening(url, n) }
    if name == "history" { return try await HistoryRun.run(url: url, n) }
    if name == "context" { return try json(await ContextRun(url, n)) }
    let start = ContinuousClock.now
    let sums = SummingMetrics()
    var options = StoreOptions()
    if sumsMetrics { options.observer = StoreTelemetry(metrics: sums, tracer: nil) }
    let container = try await PersistentContainer.open(
        url, model: peer == "typed" ? classes : plain, options: options)
    container.statementLog.stop()
    if name == "W9" {
        let count = try await container.perform { try $0.fetch("Employee", limit: 1).count }
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        return try json(Outcome(seconds: seconds, count: count))
    }
    if name == "make" { return "" }
    if name == "texts" { return try await SingleRun.texts(container, n) }
    if name == "growth" { return try json(await GrowthRun(container, n)) }
    if name.hasPrefix("guard-") { return try await GuardRun.run(name, container, n) }
    // The first use of a table fills the session's caches, which belongs to cold starts only.
    try await container.perform { context in
        _ = try context.fetch("Employee", matching: .format("salary < 0"), limit: 1)
        _ = try context.fetch("Department", matching: .format("name == ''"), limit: 1)
    }
    if countsStatements { container.statementLog.start() }
    let workload: any Workload = peer == "typed" ? TypedWorkload() : DynamicWorkload()
    guard var outcome = try await workload.run(name, container, n) else {
        throw CocoaError(.featureUnsupported)
    }
    if countsStatements { outcome.statements = container.statementLog.count }
    outcome.peak = Memory.peak
    if sumsMetrics { outcome.statements = sums.statements }
    return try json(outcome)
}

nonisolated func json(_ value: some Encodable) throws -> String {
    String(decoding: try JSONEncoder().encode(value), as: UTF8.self)
}
