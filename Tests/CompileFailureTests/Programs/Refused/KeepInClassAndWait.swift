// expect: non-Sendable type 'Box'
import Howdah

final class Box { var kept: [Person] = [] }

func program(_ handle: BackgroundContext) throws {
    let box = Box()
    try handle.performAndWait { context in box.kept = try context.fetch(Person.self) }
}
