import Foundation
import HowdahModel
import Testing

struct ObjectIDTests {
    private static let store = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
    private static let names = [
        "Person", "was Person", "a/b", "..", ".", "a%2Fb", "Straße", "日本", "🐘", "e\u{301}", "a?b#c",
        "it's \"q\"", "p1",
    ]

    @Test func uriLooksLikeThis() {
        let id = ObjectID<Never>(storeIdentifier: Self.store, entityName: "a/b é", key: 42)
        #expect(
            id.uriRepresentation.absoluteString
                == "x-howdah://01020304-0506-0708-090A-0B0C0D0E0F10/a%2Fb%20%C3%A9/p42")
    }

    @Test(arguments: names, [0, 1, 4_711, Int64.max])
    func permanentIDsSurviveTheirURIAndJSON(name: String, key: Int64) throws {
        let id = ObjectID<Never>(storeIdentifier: Self.store, entityName: name, key: key)
        let read = try #require(ObjectID<Never>(uriRepresentation: id.uriRepresentation))
        #expect(read == id)
        #expect(Array(read.entityName.utf8) == Array(name.utf8))
        let json = try JSONEncoder().encode([id])
        #expect(try JSONDecoder().decode([ObjectID<Never>].self, from: json) == [id])
        #expect(try JSONDecoder().decode([URL].self, from: json) == [id.uriRepresentation])
    }

    @Test func idsOfDifferentClassesCompareByWhatTheyIdentify() {
        struct Person {}
        struct Employee {}
        let person = ObjectID<Person>(storeIdentifier: Self.store, entityName: "Employee", key: 7)
        let employee = ObjectID<Employee>(storeIdentifier: Self.store, entityName: "Employee", key: 7)
        let others = [
            ObjectID<Employee>(storeIdentifier: Self.store, entityName: "Employee", key: 8),
            ObjectID<Employee>(storeIdentifier: Self.store, entityName: "Person", key: 7),
            ObjectID<Employee>(storeIdentifier: UUID(), entityName: "Employee", key: 7),
        ]
        #expect(person == employee && !(person != employee) && employee == person)
        for other in others { #expect(person != other && !(person == other) && person.typed() != other) }
        let (some, none): (ObjectID<Employee>?, ObjectID<Employee>?) = (employee, nil)
        let nobody: ObjectID<Person>? = nil
        #expect(person == some && person != none && none == nobody && some != nobody && some == some)
        #expect(Set([person.typed(as: Never.self)]).contains(employee.typed()))
        #expect(person.uriRepresentation() == employee.uriRepresentation)
    }

    @Test(arguments: [-1, -4_711, Int64.min])
    func temporaryIDsAreNotAcceptedBack(key: Int64) {
        let id = ObjectID<Never>(storeIdentifier: Self.store, entityName: "Person", key: key)
        #expect(id.uriRepresentation.absoluteString.hasSuffix("/Person/t\(key.magnitude)"))
        #expect(ObjectID<Never>(uriRepresentation: id.uriRepresentation) == nil)
        #expect(throws: EncodingError.self) { try JSONEncoder().encode([id]) }
    }

    @Test(arguments: [
        "https://01020304-0506-0708-090A-0B0C0D0E0F10/Person/p1", "x-howdah://Person/p1",
        "x-howdah://01020304-0506-0708-090A-0B0C0D0E0F10/Person", "x-howdah://nonsense/Person/p1",
        "x-howdah://01020304-0506-0708-090A-0B0C0D0E0F10/Person/p", "x-howdah:",
        "x-howdah://01020304-0506-0708-090A-0B0C0D0E0F10/Person/p-1",
        "x-howdah://01020304-0506-0708-090A-0B0C0D0E0F10/Person/p+1",
        "x-howdah://01020304-0506-0708-090A-0B0C0D0E0F10/Person/p01",
        "x-howdah://01020304-0506-0708-090A-0B0C0D0E0F10/Person/q1",
        "x-howdah://01020304-0506-0708-090A-0B0C0D0E0F10/Person/p1/",
        "x-howdah://01020304-0506-0708-090A-0B0C0D0E0F10/Person/p1?x",
        "x-howdah://01020304-0506-0708-090A-0B0C0D0E0F10/Person/p9223372036854775808",
        "x-howdah://01020304-0506-0708-090A-0B0C0D0E0F10//p1",
        "x-howdah://01020304-0506-0708-090A-0B0C0D0E0F10/%FF/p1",
    ])
    func otherURIsAreRefused(text: String) throws {
        let url = try #require(URL(string: text))
        #expect(ObjectID<Never>(uriRepresentation: url) == nil)
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([ObjectID<Never>].self, from: JSONEncoder().encode([text]))
        }
    }
}
