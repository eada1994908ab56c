import Foundation
import HowdahJSON
import HowdahModel
import HowdahRuntime
import HowdahTesting
import TestSupport
import Testing

/// Documents by key paths, and back.
@Suite struct GraphDocumentTests {
    private func withAtlas(_ body: @escaping @Sendable (ManagedObjectContext) throws -> Void) async throws {
        try await withTestStore(try Atlas.model()) { container in
            try await container.importLines(Atlas.lines)
            try await container.perform(body)
        }
    }

    @Test func idsAndVersionsAreWrittenIfAsked() async throws {
        try await withAtlas { context in
            let people = try context.fetch("Person", sortedBy: .key("name"))
            func text(_ contents: GraphContents, _ keyPaths: [String] = ["name"]) throws -> [String] {
                let json = try context.encodeGraph(of: people, keyPaths: keyPaths, including: contents)
                return String(decoding: json, as: UTF8.self).split(separator: "\n").map(String.init)
            }
            let (ada, cy) = (people[0], people[2])
            let (id, version) = (ada.objectID.pathComponent, try #require(ada.version).description)
            #expect(
                try text([.entity, .objectID, .version])[1]
                    == "{\"@entity\":\"Adult\",\"@objectID\":\"\(id)\",\"@version\":\"\(version)\",\"name\":\"Ada\"},"
            )
            // The program knows no class of these objects, so each names its entity.
            #expect(try text([])[1] == "{\"@entity\":\"Adult\",\"name\":\"Ada\"},")
            #expect(try text([.objectID])[3].contains("\"@objectID\":\"\(cy.objectID.pathComponent)\""))
            // Objects in full have them at each depth, references do not.
            let nested = try text([.version], ["name", "city.name", "friends"]).joined()
            #expect(
                nested.ranges(of: "@version").count == people.count
                    + Set(people.compactMap { ($0["city"] as? ManagedObject)?.objectID }).count)
            // An object that was never saved has neither.
            let new = context.insert("Tag")
            new["word"] = "new"
            let json = try context.encodeGraph(
                of: [new], keyPaths: ["word"], including: [.objectID, .version])
            #expect(String(decoding: json, as: UTF8.self) == "[\n{\"@entity\":\"Tag\",\"word\":\"new\"}\n]\n")
        }
    }

    @Test func objectsAreWrittenOnce() async throws {
        try await withAtlas { context in
            let people = try context.fetch("Person", sortedBy: .key("name"))
            let json = try context.encodeGraph(
                of: people, keyPaths: ["name", "friends.name", "city.country.name", "tags"])
            #expect(
                String(decoding: json, as: UTF8.self) == """
                    [
                    {"@entity":"Adult","@id":"Adult/1","city":{"country":{"code":"DE","name":"Germany"},"name":"Ulm"},\
                    "friends":[{"@entity":"Adult","@ref":"Adult/2"},{"@entity":"Child","@ref":"Child/1"}],"name":"Ada",\
                    "tags":[{"@ref":{"word":"b"}},{"@ref":{"word":"a"}}]},
                    {"@entity":"Adult","@id":"Adult/2","city":null,"friends":[{"@entity":"Adult","@ref":"Adult/1"}],\
                    "name":"Bo","tags":[]},
                    {"@entity":"Child","@id":"Child/1","city":{"country":{"code":"FR","name":null},"name":"Paris"},\
                    "friends":[{"@entity":"Adult","@ref":"Adult/1"}],"name":"Cy","tags":[{"@ref":{"word":"a"}}]}
                    ]

                    """)
            let empty = try context.encodeGraph(of: [ManagedObject]())
            #expect(String(decoding: empty, as: UTF8.self) == "[]\n")
        }
    }

    /// A child writes what is stored, with its parent's changes and its own.
    @Test func aChildWritesWhatItHas() async throws {
        try await withAtlas { context in
            let paths = ["name", "friends.name", "city.country.name", "tags.word"]
            let people = try context.fetch("Person", sortedBy: .key("name"))
            people[0]["name"] = "Ada L."
            let child = context.newChildContext()
            let drafts = try child.fetch("Person", sortedBy: .key("name"))
            let before = try context.encodeGraph(of: people, keyPaths: paths)
            #expect(try child.encodeGraph(of: drafts, keyPaths: paths) == before)
            drafts[1]["name"] = "Bob"
            drafts[2].members(forKey: "friends").insert(drafts[1])
            let draft = try child.encodeGraph(of: drafts, keyPaths: paths)
            let text = String(decoding: draft, as: UTF8.self)
            #expect(text.contains("Bob") && text.contains("Ada L.") && draft != before)
            #expect(try context.encodeGraph(of: people, keyPaths: paths) == before)
            try child.save()
            #expect(try context.encodeGraph(of: people, keyPaths: paths) == draft)
            try context.save()
            #expect(try child.encodeGraph(of: drafts, keyPaths: paths) == draft)
        }
    }

    @Test func aDocumentIsTheGraphAgain() async throws {
        try await withTestStore(try Atlas.model()) { container in
            try await container.importLines(Atlas.lines)
            let paths = ["*", "friends.*", "city.*", "city.country.*", "tags.*"]
            let json = try await container.perform { context in
                try context.encodeGraph(
                    of: try context.fetch("Person", sortedBy: .key("name")), keyPaths: paths)
            }
            try await withTestStore(try Atlas.model()) { other in
                let copied = try await other.perform { context in
                    let people = try context.importGraph(json)
                    try context.save()
                    #expect(people.map { $0["name"] as? String } == ["Ada", "Bo", "Cy"])
                    return try context.encodeGraph(of: people, keyPaths: paths)
                }
                #expect(copied == json)
            }
        }
    }

    @Test func statementsFollowFromTheKeyPaths() async throws {
        try await withTestStore(try Atlas.model()) { container in
            try await container.perform { context in
                for number in 0..<120 {
                    let country = context.insert("Country")
                    country["code"] = "C\(number)"
                    let city = context.insert("City")
                    city["name"] = "N"
                    city["country"] = country
                    let person = context.insert(number % 2 == 0 ? "Adult" : "Child")
                    person["name"] = "P"
                    person["city"] = city
                }
                try context.save()
            }
            for limit in [3, 120] {
                container.statementLog.start()
                try await container.perform { context in
                    var request = FetchRequest<ManagedObject>(entityName: "Country")
                    request.fetchLimit = limit
                    _ = try context.encodeGraph(
                        of: try context.fetch(request), keyPaths: ["*", "cities.*", "cities.people.name"])
                }
                // The countries, their cities, and their people.
                #expect(container.statementLog.count == 3, "\(container.statementLog.count)")
            }
        }
    }

    /// What contradicts itself is found before anything is inserted or changed.
    @Test(arguments: [
        "[{\"code\":\"DE\",\"size\":7},{\"code\":\"J3\",\"size\":1},{\"code\":\"J3\",\"size\":2}]",
        "[{\"code\":\"J3\",\"cities\":[{\"name\":\"a\",\"area\":1},{\"name\":\"a\",\"area\":2}]}]",
        "[{\"code\":\"DE\",\"size\":7},{\"code\":\"DE\",\"size\":8}]",
    ]) func aContradictionChangesNothing(json: String) async throws {
        try await withAtlas { context in
            let error = #expect(throws: GraphError.self) {
                try context.importGraph(Data(json.utf8), as: "Country")
            }
            #expect(error?.code == .duplicateObject)
            #expect(!context.hasChanges && context.insertedObjects.isEmpty)
        }
    }

    @Test func whatIsThereIsChanged() async throws {
        try await withAtlas { context in
            let countries = try context.importGraph(
                Data(
                    """
                    {"code":"DE","size":9,"cities":[{"name":"Ulm","area":"1.50"},{"name":"Bonn"}]}
                    """.utf8), as: "Country")
            #expect(context.insertedObjects.count == 1 && context.updatedObjects.count == 2)
            #expect(countries.map { $0["name"] as? String } == ["Germany"])
            try context.save()
            let cities = try context.fetch(
                "City", matching: .format("country.code == 'DE'"), sortedBy: .key("name"))
            #expect(cities.map { $0["name"] as? String } == ["Bonn", "Ulm"])
            #expect(cities.map { $0["area"] as? Decimal } == [nil, 1.5])
            // The same again is nothing.
            try context.importGraph(Data("{\"code\":\"DE\",\"size\":9}".utf8), as: "Country")
            #expect(!context.hasChanges)
            // What is not saved yet is found as well.
            let new = try context.importGraph(Data("[{\"code\":\"XX\"}]".utf8), as: "Country")
            let same = try context.importGraph(Data("[{\"code\":\"XX\",\"name\":\"x\"}]".utf8), as: "Country")
            #expect(new.first === same.first)
        }
    }

    /// One object may come several times, as an API's clients write it, unless it contradicts itself.
    @Test func oneKeyIsOneObject() async throws {
        try await withAtlas { context in
            let people = try context.importGraph(
                Data(
                    """
                    [{"@entity":"Child","name":"D","tags":[{"word":"a"},{"word":"new"}]},
                     {"@entity":"Child","name":"E","tags":[{"word":"new"}]}]
                    """.utf8))
            #expect(context.insertedObjects.count == 3)
            try context.save()
            #expect(people.map { $0.members(forKey: "tags").count } == [2, 1])
            #expect(throws: GraphError.self) {
                try context.importGraph(
                    Data("[{\"code\":\"Y\",\"size\":1},{\"code\":\"Y\",\"size\":2}]".utf8), as: "Country")
            }
        }
    }

    /// Both ends of one relationship, and what one says the other denies.
    @Test(arguments: [
        (
            """
            {"@entity":"Child","@id":"c","name":"C","city":{"@ref":{"country":{"@ref":{"code":"DE"}},"name":"Ulm"}}}
            {"@entity":"City","name":"Ulm","country":{"@ref":{"code":"DE"}},"people":[]}
            """, "Child.city", 1
        ),
        (
            """
            {"@entity":"Child","@id":"c","name":"C","city":null}
            {"@entity":"City","name":"Ulm","country":{"@ref":{"code":"DE"}},"people":[{"@entity":"Child","@ref":"c"}]}
            """, "City.people", 2
        ),
        (
            """
            {"@entity":"Child","@id":"c","name":"C"}
            {"@entity":"City","name":"Ulm","country":{"@ref":{"code":"DE"}},"people":[{"@entity":"Child","@ref":"c"}]}
            {"@entity":"City","name":"Rom","country":{"@ref":{"code":"DE"}},"people":[{"@entity":"Child","@ref":"c"}]}
            """, "City.people", 3
        ),
        (
            """
            {"@entity":"Child","@id":"c","name":"C","friends":[{"@entity":"Child","@ref":"d"}]}
            {"@entity":"Child","@id":"d","name":"D","friends":[]}
            """, "Person.friends", 1
        ),
        (
            """
            {"@entity":"Child","@id":"c","name":"C","friends":[{"@entity":"Child","@ref":"d"}]}
            {"@entity":"Child","@id":"d","name":"D","friends":[{"@entity":"Child","@ref":"c"}]}
            """, nil, 0
        ),
    ])
    func endsThatContradictEachOtherAreAnError(text: String, property: String?, line: Int) async throws {
        try await withTestStore(try Atlas.model()) { container in
            try await container.importLines(Atlas.lines)
            guard let property else {
                _ = try await container.importLines(text)
                return
            }
            let error = await #expect(throws: GraphError.self) { try await container.importLines(text) }
            #expect(error?.code == .contradiction && error?.line == line)
            #expect(
                error?.propertyName == property.split(separator: ".").last.map(String.init),
                "\(String(describing: error))")
            let document = "[\(text.split(separator: "\n").joined(separator: ","))]"
            try await container.perform { context in
                let error = #expect(throws: GraphError.self) { try context.importGraph(Data(document.utf8)) }
                #expect(error?.code == .contradiction && error?.path.hasPrefix("[\(line - 1)]") == true)
                #expect(!context.hasChanges)
            }
        }
    }

    @Test(arguments: [
        "+491701234567", "hunter2", "0123456789", "4711.", "12 345", "'secret'", "NaN", "tru3", "\"a\"secret",
    ])
    func messagesHaveNothingOfTheDocument(_ value: String) async throws {
        try await withAtlas { context in
            let error = #expect(throws: GraphError.self) {
                try context.importGraph(Data("{\"code\": \(value)}".utf8), as: "Country")
            }
            let words = value.split { !$0.isLetter && !$0.isNumber }.filter { $0.count > 2 }
            #expect(words.allSatisfy { error?.message.contains($0) == false }, "\(String(describing: error))")
            context.rollback()
        }
    }

    @Test(arguments: [
        ("", "invalidJSON", ""), ("[1]", "invalidJSON", "[0]"),
        ("{\"code\":1,\"code\":2}", "invalidJSON", ""),
        ("{\"code\":\"\\ud800\"}", "invalidJSON", ""), ("{\"code\":\"a\"} x", "invalidJSON", ""),
        ("{\"code\":01}", "invalidJSON", ""), ("{\"code\":\"a\u{1}\"}", "invalidJSON", ""),
        ("{\"@entity\":\"Nobody\"}", "invalidEntity", "@entity"),
        ("{\"@entity\":\"Tag\"}", "invalidEntity", "@entity"),
        ("{\"kode\":\"a\"}", "unknownProperty", "kode"), ("{\"code\":1}", "invalidValue", "code"),
        ("{\"code\":null}", "missingValue", "code"), ("{\"name\":\"a\"}", "missingValue", ""),
        ("{\"code\":\"a\",\"size\":1.0}", "invalidValue", "size"),
        ("{\"code\":\"a\",\"size\":2147483648}", "invalidValue", "size"),
        ("{\"code\":\"a\",\"size\":-1}", "invalidValue", "size"),
        ("{\"code\":\"\\u0000\"}", "invalidValue", "code"),
        ("{\"code\":\"a\",\"cities\":{}}", "invalidJSON", "cities"),
        (
            "{\"code\":\"a\",\"cities\":[{\"name\":\"x\",\"people\":[{\"name\":\"y\"}]}]}", "invalidEntity",
            "cities[0].people[0]"
        ),
        ("{\"code\":\"a\",\"cities\":[{\"@ref\":\"x\"}]}", "unknownReference", "cities[0]"),
        ("{\"code\":\"a\",\"cities\":[{\"@ref\":{\"name\":\"x\"}}]}", "unknownReference", "cities[0].@ref"),
        ("{\"code\":\"a\",\"cities\":[{\"@ref\":\"x\",\"name\":\"x\"}]}", "invalidJSON", "cities[0].name"),
        ("{\"@id\":\"t\",\"code\":\"a\",\"cities\":[{\"@ref\":\"t\"}]}", "invalidEntity", "cities[0]"),
        ("[{\"@id\":\"t\",\"code\":\"a\"},{\"@id\":\"t\",\"code\":\"b\"}]", "duplicateObject", "[1]"),
        ("{\"@id\":7,\"code\":\"a\"}", "invalidJSON", "@id"), ("{\"@ref\":\"a\"}", "invalidJSON", "@ref"),
        (String(repeating: "[", count: 100_000), "tooLarge", ""),
        ("[" + String(repeating: "{\"code\":\"a\"},", count: 20) + "{}]", "tooLarge", "[20]"),
        (String(repeating: " ", count: 2_000_000), "tooLarge", ""),
    ]) func hostileJSONIsOneClearError(json: String, code: String, path: String) async throws {
        try await withAtlas { context in
            var limits = GraphImportLimits()
            limits.maximumBytes = 1_000_000
            limits.maximumObjects = 20
            do {
                try context.importGraph(Data(json.utf8), as: "Country", limits: limits)
                Issue.record("\(json.prefix(100)) was taken")
            } catch let error as GraphError {
                #expect(error.code.description == code && error.path == path, "\(error)")
                #expect(!error.message.isEmpty && (!path.hasSuffix("code") || error.propertyName == "code"))
            }
            #expect(code == "missingValue" || !context.hasChanges)
        }
    }

    @Test func wrongKeyPathsAreErrors() async throws {
        try await withAtlas { context in
            let people = try context.fetch("Person")
            for (path, text) in [
                ("nmae", "Did you mean name?"), ("name.x", "continues after the attribute name"),
                ("city.x", "no property"),
                ("", "no property"), ("city..name", "no property"),
            ] {
                #expect {
                    try context.encodeGraph(of: people, keyPaths: [path])
                } throws: { error in
                    let error = error as? GraphError
                    return error?.code == .invalidKeyPath && error?.message.contains(text) == true
                }
            }
            let city = try context.fetch("City")
            #expect(throws: GraphError.self) { try context.encodeGraph(of: city, keyPaths: ["people"]) }
        }
    }
}
