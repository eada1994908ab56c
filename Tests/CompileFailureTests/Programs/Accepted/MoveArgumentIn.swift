// expect: nothing
import Howdah

final class Form {
    var name = ""
}

func program(_ container: PersistentContainer) async throws {
    let form = Form()
    form.name = "moved in"
    try await container.perform { context in
        Person(context: context).name = form.name
        try context.save()
    }
}
