// expect: capture of 'kept' with non-Sendable type '[Person]'
// expect: mutation of captured var 'kept' in concurrently-executing code
import Howdah

func program(_ handle: BackgroundContext) async throws {
    var kept: [Person] = []
    try await handle.perform { context in kept = try context.fetch(Person.self) }
}
