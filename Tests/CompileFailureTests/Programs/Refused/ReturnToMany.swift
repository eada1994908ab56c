// expect: type 'ToMany<Person>' does not conform to the 'Sendable' protocol
import Howdah

func program(_ container: PersistentContainer) async throws {
    let reports = try await container.perform { context in Person(context: context).reports }
    print(reports.count)
}
