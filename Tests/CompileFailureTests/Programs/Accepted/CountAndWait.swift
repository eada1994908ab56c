// expect: nothing
import Howdah

func program(_ handle: BackgroundContext) throws -> Int {
    try handle.performAndWait { context in try context.count(Person.self) }
}
