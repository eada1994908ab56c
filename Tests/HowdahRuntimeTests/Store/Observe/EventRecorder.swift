import Howdah
import Synchronization

/// Keeps the events of a container, for tests that look at them.
final class EventRecorder: StoreObserver {
    private let recorded = Mutex<[StoreEvent]>([])

    var events: [StoreEvent] { recorded.withLock { $0 } }

    /// The name of each event, with what tells it from others of its kind. The pool opens connections at any time,
    /// so these events are left out.
    var summaries: [String] {
        events.compactMap { event in
            switch event {
            case .statement(let statement): statement.summary
            case .unitOfWork(let unit): "unit of work: \(unit.runs) runs"
            case .save(let save):
                "save: +\(save.insertedCount) ~\(save.updatedCount) -\(save.deletedCount) in \(save.attempts)"
            case .conflict(let conflict):
                "\(conflict.code) of \(conflict.count) \(conflict.entityName ?? "?"), "
                    + (conflict.isResolved ? "resolved" : "thrown")
            case .retry(let retry): "retry of \(retry.work.rawValue): \(retry.attempt)"
            case .poolWait: "wait"
            case .connectionOpened, .history, .changesNotFollowed: nil
            case .migration(let migration): "migration: \(migration.stageCount) \(migration.work.rawValue)"
            case .connectionUse: "use"
            case .cohortStep(let step):
                "step of \(step.count): \(step.entityName).\(step.relationshipName ?? "-")"
            }
        }
    }

    func clear() { recorded.withLock { $0 = [] } }

    func observe(_ event: StoreEvent) { recorded.withLock { $0.append(event) } }
}

/// Three employees in two departments.
func makeCompany(in container: PersistentContainer) async throws {
    try await container.perform { context in
        let departments = ["Research", "Sales"].map { name in
            let department = Department(context: context)
            department.name = name
            return department
        }
        for (index, name) in ["Ada", "Grace", "Mary"].enumerated() {
            let employee = Employee(context: context)
            employee.firstName = name
            employee.department = departments[index % 2]
        }
        try context.save()
    }
}
