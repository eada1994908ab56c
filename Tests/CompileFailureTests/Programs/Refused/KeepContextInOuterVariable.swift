// expect: capture of 'kept' with non-Sendable type 'ManagedObjectContext?'
// expect: mutation of captured var 'kept' in concurrently-executing code
import Howdah

func program(_ handle: BackgroundContext) throws {
    var kept: ManagedObjectContext?
    try handle.performAndWait { context in kept = context }
    print(kept?.hasChanges ?? false)
}
