import Howdah
import HowdahTesting
import TestSupport
import Testing

@testable import HowdahRuntime

/// Fetched properties: their request runs once for each object, with the object in the place of its variables.
@Suite struct FetchedPropertyTests {
    private static func model(_ extra: [FetchedPropertyDescription] = []) throws -> ManagedObjectModel {
        func request(_ format: String, _ sort: String = "title") -> FetchRequestTemplate {
            var template = FetchRequestTemplate(entityName: "Song", predicateFormat: format)
            template.sortDescriptors = [.key(sort)]
            return template
        }
        var longest = request("artist == $FETCH_SOURCE")
        longest.sortDescriptors = [.key("seconds", ascending: false)]
        longest.fetchLimit = 1
        return try ManagedObjectModel(entities: [
            EntityDescription(
                "Artist",
                properties: [
                    .attribute("name", .string), .attribute("genres", .array(of: .string)),
                    .attribute("favourite", .integer32),
                    .relationship("songs", to: "Song", inverse: "artist", toMany: true),
                    .relationship("rival", to: "Artist"),
                ],
                fetchedProperties: [
                    .init("namesakes", request("title BEGINSWITH $FETCH_SOURCE.name")),
                    .init("longest", longest),
                    .init("styled", request("genre IN $FETCH_SOURCE.genres AND artist != $FETCH_SOURCE")),
                    .init("ofRival", request("artist == $FETCH_SOURCE.rival")),
                    .init("byRivalName", request("title CONTAINS $FETCH_SOURCE.rival.name")),
                    .init("others", request("NOT SELF IN $FETCH_SOURCE.songs")),
                    .init(
                        "noted",
                        request("title == $FETCHED_PROPERTY.userInfo.title OR genre == $FETCHED_PROPERTY"),
                        userInfo: ["title": "Blue"]),
                ] + extra),
            EntityDescription("Band", superentity: "Artist"),
            EntityDescription(
                "Song",
                properties: [
                    .attribute("title", .string), .attribute("genre", .string),
                    .attribute("seconds", .integer32),
                    .relationship("artist", to: "Artist", inverse: "songs"),
                ]),
        ])
    }

    private static func fill(_ context: ManagedObjectContext) throws {
        let (joni, band) = (context.insert("Artist"), context.insert("Band"))
        joni["name"] = "Joni"
        joni["genres"] = ["folk", "rock"]
        band["name"] = "Band"
        joni["rival"] = band
        for (title, genre, seconds, artist) in [
            ("Blue", "folk", 180, joni), ("Joni's Song", "pop", 200, band), ("Amelia", "jazz", 361, joni),
            ("Band Aid", "rock", 90, band), ("Noted", "noted", 10, band),
        ] {
            let song = context.insert("Song")
            song["title"] = title
            song["genre"] = genre
            song["seconds"] = seconds
            song["artist"] = artist
        }
        try context.save()
    }

    /// A child asks its parent, whose unsaved objects count as stored, and adds its own.
    @Test func aChildFindsWhatItsParentHas() async throws {
        try await withTestStore(Self.model()) { container in
            try await container.perform { context in
                try Self.fill(context)
                let joni = try #require(
                    try context.fetch("Artist", matching: .format("name == 'Joni'")).first)
                let song = context.insert("Song")
                for (key, value) in ["title": "Joni's Draft", "genre": "rock", "seconds": 999]
                    as [String: Any]
                {
                    song[key] = value
                }
                song["artist"] = joni
                let child = context.newChildContext()
                let there = try child.existingObject(with: joni.objectID)
                #expect(Self.titles(there, "longest") == ["Joni's Draft"])
                #expect(Self.titles(there, "namesakes") == ["Joni's Draft", "Joni's Song"])
                #expect(Self.titles(there, "ofRival") == ["Band Aid", "Joni's Song", "Noted"])
                #expect(
                    there.fetchedObjects(forKey: "longest").allSatisfy { $0.managedObjectContext === child })
                // What the child changed is what it asks with.
                there["name"] = "Bl"
                #expect(Self.titles(there, "namesakes") == ["Joni's Draft", "Joni's Song"], "kept")
                child.refresh(there)
                there["name"] = "Bl"
                #expect(Self.titles(there, "namesakes") == ["Blue"])
                let own = child.insert("Song")
                own["title"] = "Bland"
                child.refresh(there)
                there["name"] = "Bl"
                #expect(Self.titles(there, "namesakes") == ["Bland", "Blue"])
                try child.save()
                child.refresh(there)
                #expect(Self.titles(there, "namesakes") == ["Bland", "Blue"])
            }
        }
    }

    private static func titles(_ object: ManagedObject, _ key: String) -> [String] {
        (object.value(forKey: "\(key).title") as? [Any])?.compactMap { $0 as? String } ?? ["?"]
    }

    @Test func variablesStandForTheObject() async throws {
        try await withTestStore(Self.model()) { container in
            try await container.perform { try Self.fill($0) }
            try await container.perform { context in
                let joni = try #require(
                    try context.fetch("Artist", matching: PredicateTree(format: "name == 'Joni'")).first)
                #expect(Self.titles(joni, "namesakes") == ["Joni's Song"])
                #expect(Self.titles(joni, "longest") == ["Amelia"])
                #expect(Self.titles(joni, "styled") == ["Band Aid"])
                #expect(Self.titles(joni, "ofRival") == ["Band Aid", "Joni's Song", "Noted"])
                #expect(Self.titles(joni, "byRivalName") == ["Band Aid"])
                #expect(Self.titles(joni, "others") == ["Band Aid", "Joni's Song", "Noted"])
                #expect(Self.titles(joni, "noted") == ["Blue", "Noted"])
                let band = try #require(try context.fetch("Band").first)
                #expect(Self.titles(band, "longest") == ["Joni's Song"], "inherited")
                #expect(Self.titles(band, "ofRival") == [], "nothing leads to nil's songs")
                let songs: [ManagedObject] = band.fetchedObjects(forKey: "namesakes")
                #expect(songs.map { $0["title"] as? String } == ["Band Aid"])
                #expect(
                    try PredicateTree(format: "ANY longest.title == 'Amelia'").evaluate(with: joni))
            }
        }
    }

    @Test func theResultIsKeptUntilTheObjectIsRefreshed() async throws {
        try await withTestStore(Self.model()) { container in
            try await container.perform { try Self.fill($0) }
            try await container.perform { context in
                let band = try #require(try context.fetch("Band").first)
                container.statementLog.start()
                let before = Self.titles(band, "namesakes")
                #expect(Self.titles(band, "namesakes") == before && before == ["Band Aid"])
                #expect(container.statementLog.statements.count == 1)
                let song = context.insert("Song")
                song["title"] = "Band Two"
                try context.save()
                #expect(Self.titles(band, "namesakes") == before)
                context.refresh(band)
                #expect(Self.titles(band, "namesakes") == ["Band Aid", "Band Two"])
                context.reset()
                let again = try #require(try context.fetch("Band").first)
                #expect(Self.titles(again, "namesakes").count == 2)
                #expect(context.registry.fetchedObjects.count == 1)
                context.delete(again)
                try context.save()
                #expect(context.registry.fetchedObjects.isEmpty)
            }
        }
    }

    @Test func resultsGoWithTheirObject() async throws {
        try await withTestStore(Self.model()) { container in
            try await container.perform { try Self.fill($0) }
            try await container.perform { context in
                func look() throws {
                    let band = try #require(try context.fetch("Band").first)
                    #expect(Self.titles(band, "longest").count == 1)
                }
                try look()
                #expect(context.registry.fetchedObjects.isEmpty && context.registeredObjectCount == 0)
            }
        }
    }

    @Test func aFailedFetchIsToldAsFaultsAre() async throws {
        let wrong = [
            FetchedPropertyDescription(
                "wrong", .init(entityName: "Song", predicateFormat: "artist == $WHO")),
            FetchedPropertyDescription(
                "lost", .init(entityName: "Song", predicateFormat: "title == $FETCH_SOURCE.nme")),
        ]
        let model = try Self.model(wrong)
        #expect(model.warnings.contains { $0.propertyName == "wrong" && $0.message.contains("$WHO") })
        try await withTestStore(model) { container in
            try await container.perform { try Self.fill($0) }
            for name in ["wrong", "lost"] {
                let error = await #expect(throws: FetchError.self) {
                    try await container.perform { context in
                        let band = try #require(try context.fetch("Band").first)
                        #expect((band[name] as? [ManagedObject])?.isEmpty == true)
                    }
                }
                #expect(error?.code == .invalidRequest)
                #expect(error?.message.contains("Band.\(name)") == true)
                #expect(error?.objectURI != nil)
            }
        }
    }

    @Test func theDatabaseDoesNotKnowThem() async throws {
        try await withTestStore(Self.model()) { container in
            try await container.perform { context in
                let error = #expect(throws: PredicateTreeError.self) {
                    try context.fetch("Artist", matching: PredicateTree(format: "ANY longest.title == 'x'"))
                }
                #expect(error?.description.contains("fetched property") == true)
            }
        }
    }

    @Test func onlyFetchedPropertiesHaveKeyPathsOnVariables() {
        #expect((try? PredicateTree(format: "a == $x.name"))?.variables == ["x"])
        #expect(throws: PredicateTreeError.self) { try PredicateTree(format: "a == $FETCH_SOURCE.@count") }
        #expect(
            (try? PredicateTree(format: "a == $FETCH_SOURCE.b.c"))?.description == "a == $FETCH_SOURCE.b.c")
    }
}

/// The same, declared in Swift.
@Suite struct DeclaredFetchedPropertyTests {
    @Test func aDeclaredOneHasAPropertyOfItsOwn() async throws {
        try await withTestStore(ManagedObjectModel(Speaker.self, Talk.self)) { container in
            try await container.perform { context in
                let speaker = Speaker(context: context)
                speaker.name = "Ada"
                for title in ["On Ada", "Engines", "Ada again"] { Talk(context: context).title = title }
                try context.save()
                #expect(speaker.mentions.map(\.title) == ["Ada again", "On Ada"])
                let talk = try #require(speaker.mentions.first)
                talk.presenter = speaker
                #expect(speaker.presenting.objects == [talk], "a transient relationship")
                try context.save()
                #expect(speaker.version == 1 && talk.version == 1)
            }
        }
    }
}

@Entity(fetchedProperties: [
    FetchedPropertyDescription(
        "mentions",
        {
            var template = FetchRequestTemplate(
                entityName: "Talk", predicateFormat: "title CONTAINS $FETCH_SOURCE.name")
            template.sortDescriptors = [.key("title")]
            return template
        }())
])
final class Speaker: ManagedObject {
    var name: String
    @Relationship(.transient, inverse: "presenter") var presenting: ToMany<Talk>
    var mentions: [Talk] { fetchedObjects(forKey: "mentions") }
}

@Entity final class Talk: ManagedObject {
    var title: String
    @Relationship(.transient, inverse: "presenting") var presenter: Speaker?
}
