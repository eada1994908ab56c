import Howdah
import HowdahTesting
import TestSupport
import Testing

/// Batch updates of to-one relationships that keep the entity of what they lead to beside its key.
@Suite struct BatchHierarchyTests {
    @Test func aPathLeadsToObjectsOfAllSubentities() async throws {
        try await withTestStore(Staff.model()) { container in
            try await container.perform { context in
                let (person, worker, boss) = (
                    Person(context: context), Worker(context: context), Boss(context: context)
                )
                (person.name, worker.name, boss.name) = ("p", "w", "b")
                worker.boss = boss
                let people = [person, worker, boss]
                func set(_ type: Person.Type, _ name: String, _ format: String) throws {
                    (person.friend, worker.friend, boss.friend) = (worker, boss, nil)
                    try context.save()
                    try context.execute(
                        BatchUpdateRequest(
                            FetchRequest<Person>(entityName: "\(type)"), set: [name: .expression(format)]))
                    try context.refreshAllObjects()
                }
                for (format, friends) in [
                    ("friend.friend", [boss, nil, nil]), ("SELF", people),
                    ("friend.friend.friend", [nil, nil, nil]), ("friend", [worker, boss, nil]),
                    ("TERNARY(name == 'p', friend.friend, SELF)", [boss, worker, boss]),
                ] as [(String, [Person?])] {
                    try set(Person.self, "friend", format)
                    #expect(people.map(\.friend) == friends, "\(format)")
                    // The other side is read by the key and the entity.
                    for (owner, friend) in zip(people, friends) {
                        #expect(friend == nil || friend?.admirers.contains(owner) == true, "\(format)")
                    }
                    let names = try context.fetch(
                        Person.self, matching: .format("friend.entity.lineage CONTAINS 'Worker'"),
                        sortedBy: .ascending(\.name))
                    let expected = people.filter { $0.friend is Worker }.map(\.name).sorted()
                    #expect(names.map(\.name) == expected, "\(format)")
                }
                try set(Worker.self, "friend", "boss")
                #expect(people.map(\.friend) == [worker, boss, nil])
                let error = #expect(throws: FetchError.self) { try set(Worker.self, "boss", "SELF") }
                #expect(error?.message.contains("refers to Boss, and SELF to Worker") == true)
            }
        }
    }
}
