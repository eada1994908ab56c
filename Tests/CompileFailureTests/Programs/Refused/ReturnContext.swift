// expect: a context cannot leave perform. Pass its BackgroundContext handle or the container instead
import Howdah

func program(_ container: PersistentContainer) async throws {
    let context = try await container.perform { context in context }
    print(context.hasChanges)
}
