// expect: risks causing data races
import Howdah

func program(_ handle: BackgroundContext) throws {
    var kept: ManagedObjectContext?
    try handle.performAndWait { context in kept = context }
    print(kept?.hasChanges ?? false)
}
