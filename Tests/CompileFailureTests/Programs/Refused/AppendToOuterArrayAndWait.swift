// expect: risks causing data races
import Howdah

func program(_ handle: BackgroundContext) throws {
    var kept: [Person] = []
    try handle.performAndWait { context in kept += try context.fetch(Person.self) }
    print(kept.count)
}
