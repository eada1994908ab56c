// expect: cannot exit main actor-isolated context
import Howdah

func program(_ container: PersistentContainer) async throws {
    let context = await container.viewContext
    print(context.hasChanges)
}
