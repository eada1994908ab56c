// expect: capture of 'kept' with non-Sendable type '[Person]'
// expect: mutation of captured var 'kept' in concurrently-executing code
import Howdah

func program(_ handle: BackgroundContext) throws {
    var kept: [Person] = []
    try handle.performAndWait { context in kept += try context.fetch(Person.self) }
    print(kept.count)
}
