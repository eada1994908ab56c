// expect: managed objects cannot leave their context. Return objectID or plain values instead
import Howdah

func program(_ handle: BackgroundContext) throws {
    let person = try handle.performAndWait { context in Person(context: context) }
    print(person.name)
}
