// expect: main actor-isolated property 'viewContext' can not be referenced from a nonisolated context
import Howdah

func program(_ container: PersistentContainer) throws {
    try container.viewContext.save()
}
