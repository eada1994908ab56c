// expect: cannot convert value of type 'String' to expected argument type 'StaticString'
import Howdah

func program(_ context: ManagedObjectContext, _ name: String) throws {
    let text = "SELECT _id FROM person WHERE name = '" + name + "'"
    _ = try context.fetch(Person.self, sql: SQLQuery(stringLiteral: text))
}
