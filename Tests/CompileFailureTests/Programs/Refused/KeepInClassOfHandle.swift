// expect: non-Sendable type 'Box'
import Howdah

final class Box { var kept: [Person] = [] }

func program(_ handle: BackgroundContext) async throws {
    let box = Box()
    try await handle.perform { context in box.kept = try context.fetch(Person.self) }
}
