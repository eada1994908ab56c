// expect: cannot be task-isolated at end of function
import Howdah
import Synchronization

func program(_ handle: BackgroundContext) async throws {
    let kept = Mutex<[ManagedObject]>([])
    try await handle.perform { context in
        let objects = try context.fetch(FetchRequest<ManagedObject>(entityName: "Employee"))
        kept.withLock { $0 = objects }
    }
}
