// expect: managed objects are confined to their context; return objectID or plain values instead
import Howdah

func program(_ handle: BackgroundContext) throws {
    let person = try handle.performAndWait { context in Person(context: context) }
    print(person.name)
}
