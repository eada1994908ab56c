// expect: mutation of captured var 'count' in concurrently-executing code
import Howdah

func program(_ handle: BackgroundContext) throws -> Int {
    var count = 0
    try handle.performAndWait { context in count = try context.count(Person.self) }
    return count
}
