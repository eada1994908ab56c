// expect: nothing
import Foundation
import Howdah

@Entity class Person2: ManagedObject {
    var name: String
    @Relationship(inverse: "boss") var staff: ToMany<Person2>
    @Relationship(inverse: "staff") var boss: Person2?
    @Relationship(inverse: "list") var songs: OrderedToMany<Song>
}

@Entity final class Song: ManagedObject {
    @Relationship(inverse: "songs") var list: Person2?
}

@Entity final class Worker: Person2 {
    var grade: Int
}

func models(_ container: PersistentContainer, _ context: ManagedObjectContext) -> Bool {
    container.managedObjectModel == context.managedObjectModel
}

func ids(
    _ a: ObjectID<Person2>, _ b: ObjectID<Worker>, _ c: ObjectID<Worker>?, _ d: ObjectID<Person2>?,
    _ any: ManagedObject,
    _ worker: Worker
) -> [Bool] {
    [
        a == b, a != b, a == a, b == c, c == b, c == c, c == d, c != d, c == nil, nil != d, [a] == [a],
        [a, nil] == [d],
        any.objectID == a, worker.objectID == worker.objectID, [a].contains { $0 == b }, [a].contains(a),
        Set([a.typed(as: ManagedObject.self)]).contains(b.typed()),
        a.uriRepresentation() == b.uriRepresentation,
        ObjectID<Person2>(uriRepresentation: a.uriRepresentation()) == a,
        [a].map(\.uriRepresentation) == [b.uriRepresentation()],
    ]
}

func requests(_ context: ManagedObjectContext) throws -> [Worker] {
    let request = Worker.fetchRequest()
    var other: FetchRequest<Person2> = Person2.fetchRequest()
    other.predicate = try PredicateTree(format: "name == %@ AND grade > %d", "Ada", 3)
    other.predicate = try PredicateTree(format: "name == 'Ada'")
    other.predicate = try PredicateTree(format: "name == %@", nil)
    other.predicate = .format("name == 'Ada'")
    other.predicate = try PredicateTree(#Predicate<Person2> { $0.name == "Ada" })
    other.sortDescriptors = [.ascending(\.name)]
    other.sortDescriptors.append(.descending(\.boss, \.name))
    other.sortDescriptors = []
    if let predicate = other.predicate { other.predicate = .and([predicate, .true]) }
    other.predicate = nil
    _ = try context.fetch(other)
    return try context.fetch(request)
}

func members(_ person: Person2, _ song: Song, _ other: Person2) -> (Person2?, EntityDescription) {
    person.staff.insert(other)
    person.staff.removeAll { $0.name.isEmpty }
    person.staff.removeAll()
    person.songs.append(song)
    person.songs.removeAll { $0.list == nil }
    person.songs.removeAll()
    person.staff.replace(with: [other])
    person.staff.replace(with: [])
    _ = person.songs.first
    return (person.staff.first, person.entity)
}

func values(_ context: ManagedObjectContext) throws -> Bool {
    for value in try context.fetchRows(Int64.self, sql: "SELECT 1") where value > 2 { return false }
    for (a, b) in try context.fetchRows(Int64.self, String?.self, sql: "SELECT 1, 'a'") where a > 2 {
        return b == nil
    }
    _ = try context.fetchRows(sql: "UPDATE person SET name = 'x'")
    return try context.fetchRows(Int64.self, sql: "SELECT 1") == [1, 2]
        && Set(context.fetchRows(String?.self, sql: "SELECT 'a'")) == ["a", nil]
        && context.fetchRows(Int.self, sql: "SELECT 1").first == 1
}
