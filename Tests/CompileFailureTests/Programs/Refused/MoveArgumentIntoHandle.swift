// expect: capture of 'form' with non-Sendable type 'Form'
import Howdah

final class Form {
    var name = ""
}

func program(_ handle: BackgroundContext) async throws {
    let form = Form()
    try await handle.perform { context in Person(context: context).name = form.name }
}
