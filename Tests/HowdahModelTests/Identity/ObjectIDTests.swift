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

    @Test(arguments: names, [0, 1, 4_711, Int64.max])
    func permanentIDsSurviveTheirPathComponent(name: String, key: Int64) throws {
        let id = ObjectID<Never>(storeIdentifier: Self.store, entityName: name, key: key)
        let text = id.pathComponent
        #expect(text.utf8.allSatisfy { "-_~".utf8.contains($0) || (48...122).contains($0) && $0 != 64 })
        #expect(text.removingPercentEncoding == text && URL(string: "x:/\(text)")?.lastPathComponent == text)
        let read = try #require(ObjectID<Never>(pathComponent: text, storeIdentifier: Self.store))
        #expect(read == id && Array(read.entityName.utf8) == Array(name.utf8))
    }

    @Test(arguments: [
        "", "p", "-p1", "Person", "Person-1", "Person-t1", "Person-p", "Person-p-1", "Person-p+1",
        "Person-p01",
        "Person-p9223372036854775808", "Person-P1", "~50erson-p1", "Per~son-p1", "Person~4-p1", "~FF-p1",
        "a b-p1",
        "Person-p1 ", "Person-p1/", "Stra\u{DF}e-p1", "~c3~9F-p1",
    ])
    func otherTextsAreNoPathComponents(text: String) {
        #expect(ObjectID<Never>(pathComponent: text, storeIdentifier: Self.store) == nil)
    }

    @Test func versionsSurviveTheirTexts() throws {
        for version in [ObjectVersion(row: 1), ObjectVersion(row: .max), ObjectVersion(digestOf: [1, 2, 3])] {
            #expect(ObjectVersion(version.description) == version)
            #expect(ObjectVersion(entityTag: version.entityTag) == version)
            let json = try JSONEncoder().encode([version])
            #expect(try JSONDecoder().decode([ObjectVersion].self, from: json) == [version])
        }
        #expect(ObjectVersion(row: 12).entityTag == "\"r12\"" && ObjectVersion("r12")?.row == 12)
        for text in [
            "", "r", "r01", "r+1", "r1 ", "12", "x1", "d12", "d" + String(repeating: "A", count: 64), "*",
        ] {
            #expect(ObjectVersion(text) == nil, "\(text)")
        }
        for tag in ["r12", "W/\"r12\"", "*", "\"r1\", \"r2\"", "\"\"", "\"", ""] {
            #expect(ObjectVersion(entityTag: tag) == nil, "\(tag)")
        }
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([ObjectVersion].self, from: Data("[\"r0x\"]".utf8))
        }
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
