import HowdahModel
import Testing

/// The indexes that a model's fetch indexes become, without a server.
struct FetchIndexMappingTests {
    private static func table(
        _ indexes: [FetchIndexDescription], unique: [[String]] = [], sub: [FetchIndexDescription] = []
    ) throws -> StoreSchema.Table {
        let place = CompositeDescription(
            "Place", [.init("latitude", .double, optional: false), .init("name", .string)])
        let model = try ManagedObjectModel(entities: [
            EntityDescription(
                "Book",
                properties: [
                    .attribute("title", .string, optional: false),
                    .attribute("blurb", .string),
                    .attribute("isbn", .string, maximumLength: 13),
                    .attribute("genre", .string, allowedValues: ["fact", "fiction"]),
                    .attribute("year", .integer32),
                    .attribute("isLent", .boolean, optional: false, default: false),
                    .attribute("cover", .binary),
                    .attribute("place", .composite(place)),
                    .attribute("extra", .transformable, userInfo: [MappingKey.jsonb: "true"]),
                    .relationship("shelf", to: "Shelf", inverse: "books"),
                    .relationship("loan", to: "Loan", inverse: "book"),
                ], uniquenessConstraints: unique, fetchIndexes: indexes),
            EntityDescription(
                "Atlas", superentity: "Book", properties: [.attribute("scale", .integer32)], fetchIndexes: sub
            ),
            EntityDescription(
                "Shelf", properties: [.relationship("books", to: "Book", inverse: "shelf", toMany: true)]),
            EntityDescription(
                "Loan", properties: [.relationship("book", to: "Book", inverse: "loan", optional: false)]),
        ])
        let schema = try StoreSchema(model)
        return try #require(schema.table(named: "book"))
    }

    /// Without the index that the relationship to the shelf brings.
    private static func own(_ table: StoreSchema.Table) -> [StoreSchema.Index] {
        table.indexes.filter { $0.name != "book_shelf_idx" }
    }

    private static func issues(_ index: FetchIndexDescription) -> [ModelIssue] {
        do {
            _ = try table([index])
            return []
        } catch {
            return (error as? ModelError)?.issues ?? []
        }
    }

    @Test func orderAndColumnsAreThoseOfTheModel() throws {
        let index = FetchIndexDescription(
            "byYear", elements: [FetchIndexElement("year", ascending: false), FetchIndexElement("isbn")])
        let table = try Self.table([index])
        let made = try #require(Self.own(table).first)
        #expect(made.name == "book_by_year_idx")
        #expect(made.columns == ["year", "isbn"])
        #expect(made.elements.map(\.isAscending) == [false, true])
        #expect(made.elements.map(\.subject) == [.column("year"), .column("isbn")])
    }

    @Test func longTextsAreHeldInPartAndShortOnesInFull() throws {
        let table = try Self.table([
            FetchIndexDescription("a", on: "title"), FetchIndexDescription("b", on: "isbn"),
            FetchIndexDescription("c", on: "genre"), FetchIndexDescription("d", on: "cover"),
        ])
        #expect(
            Self.own(table).flatMap(\.elements).map(\.subject) == [
                .prefix("title", length: 600, type: .text), .column("isbn"), .column("genre"),
                .prefix("cover", length: 2_400, type: .bytea),
            ])
        #expect(table.column("title")?.indexPrefix == 600)
        #expect(table.column("isbn")?.indexPrefix == nil)
    }

    @Test func compoundIndexesShareTheRoomOfOneEntry() throws {
        let table = try Self.table([
            FetchIndexDescription("a", on: "title"),
            FetchIndexDescription("b", on: "title", "blurb", "year"),
        ])
        let lengths = Self.own(table).flatMap(\.elements).compactMap { element -> Int? in
            if case .prefix(_, let length, _, _) = element.subject { length } else { nil }
        }
        #expect(Set(lengths).count == 1 && lengths.count == 3, "all indexes hold as much of a column")
        #expect(lengths.allSatisfy { $0 * 4 * 2 < 2_650 && $0 > 200 })
    }

    @Test func hashIndexesTakeWholeValues() throws {
        let table = try Self.table([FetchIndexDescription("a", on: "title", method: .hash)])
        let made = try #require(Self.own(table).first)
        #expect(made.elements.map(\.subject) == [.column("title")] && made.elements[0].isAscending == nil)
        #expect(table.column("title")?.indexPrefix == nil)
    }

    @Test func equalIndexesAreMadeOnce() throws {
        let twice = try Self.table([
            FetchIndexDescription("a", on: "year"), FetchIndexDescription("b", on: "year"),
            FetchIndexDescription("c", elements: [FetchIndexElement("year", ascending: false)]),
        ])
        #expect(Self.own(twice).map(\.name) == ["book_a_idx"])
        let below = try Self.table(
            [FetchIndexDescription("a", on: "year")],
            sub: [FetchIndexDescription("z", on: "year"), FetchIndexDescription("s", on: "scale")])
        #expect(Self.own(below).map(\.name) == ["book_a_idx", "book_atlas_s_idx"])
        #expect(Self.own(below).allSatisfy { $0.filter == nil })
    }

    @Test func relationshipsAreIndexedAnyhow() throws {
        #expect(try Self.own(Self.table([FetchIndexDescription("a", on: "shelf")])).isEmpty)
        #expect(try Self.own(Self.table([FetchIndexDescription("a", on: "loan")])).isEmpty)
        let compound = try Self.table([FetchIndexDescription("a", on: "shelf", "year")])
        #expect(Self.own(compound).map(\.columns) == [["shelf", "year"]])
        let issues = Self.issues(FetchIndexDescription("a", on: "loan", "year"))
        #expect(issues.map(\.code) == [.invalidIndex] && issues[0].message.contains("loan"))
    }

    @Test func aUniquenessRuleTakesTheOrderOfItsFetchIndex() throws {
        let table = try Self.table(
            [FetchIndexDescription("a", on: "isbn"), FetchIndexDescription("b", on: "year", "isbn")],
            unique: [["isbn"], ["year", "title"]])
        #expect(Self.own(table).map(\.columns) == [["year", "isbn"]])
        let unique = try #require(table.uniques.first { $0.columns == ["isbn"] })
        #expect(unique.elements?.map(\.isAscending) == [true])
        let optional = try #require(table.uniques.first { $0.columns == ["year", "title"] })
        #expect(optional.elements?.map(\.isAscending) == [true, true], "in the order of sorts")
    }

    @Test func compositesAreIndexedByTheirElements() throws {
        let table = try Self.table([
            FetchIndexDescription("a", on: "place.latitude"), FetchIndexDescription("b", on: "place"),
        ])
        #expect(
            Self.own(table).map(\.columns) == [["place_latitude"], ["place_latitude", "place_name"]])
    }

    @Test func methodsThatTheServerWouldRefuseAreIssues() throws {
        let refused: [FetchIndexDescription] = [
            FetchIndexDescription("a", on: "year", "isbn", method: .hash),
            FetchIndexDescription("a", on: "isLent", method: .brin),
            FetchIndexDescription("a", on: "title", method: .gin),
            FetchIndexDescription("a", on: "extra"),
            FetchIndexDescription(
                "a", elements: [FetchIndexElement("year"), .expression("point(0, 0)")], method: .gist),
        ]
        for index in refused {
            let issues = Self.issues(index)
            #expect(issues.map(\.code) == [.invalidIndex], "\(index)")
            #expect(issues.allSatisfy { $0.entityName == "Book" && $0.message.contains("index a") })
        }
        let taken = try Self.table([
            FetchIndexDescription("g", on: "extra", method: .gin),
            FetchIndexDescription("b", on: "year", method: .brin),
            FetchIndexDescription("r", on: "place.latitude", method: .gist),
        ])
        #expect(Self.own(taken).map(\.method) == [.brin, .gin, .btree])
    }

    @Test func errorsOfIndexesComeAllAtOnceWithTheModel() {
        let error = #expect(throws: ModelError.self) {
            try ManagedObjectModel(entities: [
                EntityDescription(
                    "A", properties: [.attribute("text", .string), .attribute("flag", .boolean)],
                    fetchIndexes: [
                        FetchIndexDescription("a", on: "text", method: .gin),
                        FetchIndexDescription("b", on: "nothing"),
                        FetchIndexDescription("c", on: "text", "flag", method: .hash),
                        FetchIndexDescription("d", on: "flag", method: .brin),
                    ])
            ])
        }
        #expect(
            error?.issues.map(\.code) == [.invalidIndex, .unknownProperty, .invalidIndex, .invalidIndex])
    }

    /// Errors of an index over an expression name the properties whose columns are in it.
    @Test func anExpressionsPropertiesAreKnown() throws {
        let expression =
            "lower(Title) || 'isbn' || \"year\"::text || \"Blurb\" || place_name || 'genre' || 1e5"
        let table = try Self.table([
            FetchIndexDescription("e", elements: [.expression(expression), FetchIndexElement("genre")])
        ])
        let origin = try #require(Self.own(table).first?.origin)
        #expect(origin.properties == ["title", "year", "place.name", "genre"] && origin.fetchIndex == "e")
    }

    @Test func predicatesOfOneTableBecomeConditions() throws {
        let cases: [(String, StoreSchema.Condition)] = [
            ("isLent == YES", .compares(column: "is_lent", .equal, true)),
            ("isLent != 1", .compares(column: "is_lent", .notEqual, true)),
            ("year != 5", .compares(column: "year", .distinct, 5)),
            ("5 < year", .compares(column: "year", .greater, 5)),
            ("NOT year < 5", .isNotTrue(.compares(column: "year", .less, 5))),
            ("year == nil", .isNull(column: "year")), ("year != nil", .isNotNull(column: "year")),
            ("shelf == nil", .isNull(column: "shelf")),
            ("genre IN {'fact', 'fiction'}", .isIn(column: "genre", ["fact", "fiction"])),
            (
                "genre IN {'fact', nil}",
                .or([.isIn(column: "genre", ["fact"]), .isNull(column: "genre")])
            ),
            (
                "year BETWEEN {1, 2}", .and([.isAtLeast(column: "year", 1), .isAtMost(column: "year", 2)])
            ),
            (
                "NOT (isLent == YES OR place.latitude >= 1)",
                .and([
                    .compares(column: "is_lent", .notEqual, true),
                    .isNotTrue(.isAtLeast(column: "place_latitude", .double(1))),
                ])
            ),
            ("title == 'e\u{301}'", .compares(column: "title", .equal, "é")),
        ]
        for (format, condition) in cases {
            let index = FetchIndexDescription(
                "a", elements: [FetchIndexElement("year")], partialIndexPredicate: format)
            #expect(try Self.own(Self.table([index])).first?.filter == condition, "\(format)")
        }
    }

    @Test func otherPredicatesAreIssuesThatSayWhy() {
        let cases = [
            ("title BEGINSWITH 'a'", "BEGINSWITH"), ("title ==[c] 'a'", "[c]"), ("shelf.x == 1", "shelf.x"),
            ("year == isbn", "constant"), ("year == 'a'", "type"), ("year ==", "predicate:"),
            ("year == $y", "constant"), ("ANY shelf.books.year == 1", "ANY"),
        ]
        for (format, part) in cases {
            let issues = Self.issues(
                FetchIndexDescription(
                    "a", elements: [FetchIndexElement("year")], partialIndexPredicate: format))
            #expect(issues.map(\.code) == [.invalidIndex], "\(format)")
            #expect(issues.first?.message.contains(part) == true, "\(issues)")
        }
    }

    @Test func digestsAreForLongValuesOfUniquenessRules() throws {
        func model(_ type: AttributeType, unique: Bool = true, text: String = "true") throws -> StoreSchema {
            try StoreSchema(
                ManagedObjectModel(entities: [
                    EntityDescription(
                        "A",
                        properties: [
                            .attribute("x", type, userInfo: [MappingKey.digest: text]),
                            .attribute("y", .integer16),
                        ], uniquenessConstraints: unique ? [["y", "x"]] : [],
                        fetchIndexes: [FetchIndexDescription("i", on: "y", "x")])
                ]))
        }
        let table = try #require(try model(.string).table(named: "a"))
        #expect(
            table.uniques.first?.elements?.map(\.subject) == [.column("y"), .digest("x", type: .text)])
        #expect(table.column("x")?.hasDigestIndex == true && table.column("y")?.hasDigestIndex == false)
        #expect(table.indexes.map(\.columns) == [["y", "x"]], "a digest has no order")
        #expect(try model(.string, text: "false").table(named: "a")?.uniques.first?.hasDigest == false)
        for refused in [
            { try model(.integer16) }, { try model(.string, unique: false) },
            { try model(.binary, text: "yes") },
        ] {
            #expect { try refused() } throws: { error in
                (error as? ModelError)?.issues.map(\.code) == [.invalidMapping]
            }
        }
    }
}
