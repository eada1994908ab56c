import Foundation
import Howdah
import HowdahTesting
import TestSupport
import Testing

@Suite struct PageTests {
    /// Pages put together are the whole result, whatever the order and whatever is nil or equal.
    @Test func pagesAreTheWhole() async throws {
        let seed: UInt64 = 90
        try await withTestStore(ManagedObjectModel(Sample.self)) { container in
            try await container.perform { context in
                var random = RandomValues(seed: seed)
                let objects = (0..<80).map { _ in
                    let object = Sample(context: context)
                    object.fill(&random)
                    return object
                }
                for object in objects where random.generator.chance(60) {
                    object.owner = random.generator.pick(objects)
                }
                try context.save()
                let names =
                    Sample.attributeNames.filter { $0 != "box" && $0 != "place" } + [
                        "owner", "owner.oStr", "owner.i16",
                    ]
                for round in 0..<150 {
                    var request = FetchRequest<Sample>()
                    for _ in 0..<Int(random.generator.next() % 4) {
                        request.sortDescriptors.append(
                            .key(random.generator.pick(names), ascending: random.generator.chance(50)))
                    }
                    if random.generator.chance(30) { request.predicate = .format("i16 > 0 OR oFlag == YES") }
                    let whole = try context.fetch(request)
                    request.fetchLimit = 1 + Int(random.generator.next() % 30)
                    var (found, cursor): ([Sample], PageCursor?) = ([], nil)
                    repeat {
                        let page = try context.fetchPage(request, after: cursor)
                        #expect(page.objects.count <= request.fetchLimit)
                        found += page.objects
                        cursor = page.next.map { PageCursor($0.text) }
                    } while cursor != nil && found.count <= whole.count
                    #expect(
                        found == whole,
                        "seed \(seed), round \(round): \(request.sortDescriptors.map { "\($0.keyPath) \($0.isAscending)" })"
                    )
                    if found != whole { return }
                }
            }
        }
    }

    @Test func caseInsensitiveColumnsArePaged() async throws {
        let model = try ManagedObjectModel(entities: [
            EntityDescription(
                "Word",
                properties: [
                    .attribute("text", .string, caseInsensitive: true),
                    .attribute("long", .string),
                ],
                fetchIndexes: [
                    FetchIndexDescription("text", on: "text"), FetchIndexDescription("long", on: "long"),
                ])
        ])
        try await withTestStore(model) { container in
            try await container.perform { context in
                let long = String(repeating: "x", count: 3_000)
                for text in ["b", "A", "a", nil, "B", "ä", "Ä", "a", nil, "b", "İ", "ß"] {
                    let word = context.insert("Word")
                    word["text"] = text
                    word["long"] = text.map { long + $0 }
                }
                try context.save()
                for name in ["text", "long"] {
                    for isAscending in [true, false] {
                        var request = FetchRequest<ManagedObject>(entityName: "Word")
                        request.sortDescriptors = [.key(name, ascending: isAscending)]
                        let whole = try context.fetch(request)
                        request.fetchLimit = 1
                        var page = try context.fetchPage(request)
                        var found = page.objects
                        while let next = page.next, found.count <= whole.count {
                            page = try context.fetchPage(request, after: next)
                            found += page.objects
                        }
                        #expect(found == whole, "\(name) \(isAscending)")
                    }
                }
            }
        }
    }

    @Test func wrongCursorsAreRefused() async throws {
        try await withTestStore(Company.model()) { container in
            try await Company.fill(container, departments: 3, employees: 10)
            try await container.perform { context in
                var request = FetchRequest<Employee>()
                request.fetchLimit = 3
                request.sortDescriptors = [.ascending(\.firstName)]
                let cursor = try #require(try context.fetchPage(request).next)
                #expect(cursor.text.allSatisfy { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" })
                let sent = try JSONDecoder().decode(
                    PageCursor.self, from: JSONEncoder().encode(cursor))
                #expect(
                    try context.fetchPage(request, after: sent).objects.map(\.firstName) == [
                        "e003", "e004", "e005",
                    ])

                for text in [
                    "", "a", "%", "😀", String(cursor.text.dropLast()), cursor.text + "AAAA",
                    "A" + cursor.text,
                ] {
                    expect(.invalidCursor) { try context.fetchPage(request, after: PageCursor(text)) }
                }
                // Every single letter counts.
                for place in cursor.text.indices {
                    var text = cursor.text
                    text.replaceSubrange(place...place, with: text[place] == "A" ? "Q" : "A")
                    guard text != cursor.text else { continue }
                    #expect {
                        _ = try context.fetchPage(request, after: PageCursor(text))
                    } throws: { ($0 as? FetchError)?.code == .invalidCursor }
                }
                var other = request
                other.sortDescriptors = [.descending(\.firstName)]
                expect(.invalidCursor) { try context.fetchPage(other, after: cursor) }
                var departments = FetchRequest<Department>()
                departments.sortDescriptors = [.key("name")]
                departments.fetchLimit = 2
                expect(.invalidCursor) { try context.fetchPage(departments, after: cursor) }
                other.fetchLimit = 0
                expect(.invalidRequest) { try context.fetchPage(other) }
                #expect(context.failure == nil)
            }
        }
    }

    @Test func aPageIsOneStatementAndPrefetches() async throws {
        try await withTestStore(Company.model()) { container in
            try await Company.fill(container, departments: 3, employees: 20)
            try await container.perform { context in
                var request = FetchRequest<Employee>()
                request.fetchLimit = 10
                request.relationshipKeyPathsForPrefetching = ["department"]
                container.statementLog.start()
                let page = try context.fetchPage(request)
                #expect(page.objects.allSatisfy { $0.department?.name.hasPrefix("d") == true })
                #expect(container.statementLog.statements.count == 2)
                let second = try context.fetchPage(request, after: page.next)
                #expect(second.next == nil && second.objects.count == 10)
            }
        }
    }

    /// A page begins in the index instead of reading what lies before it.
    @Test func anIndexIsEnteredAtTheCursor() async throws {
        let model = try ManagedObjectModel(entities: [
            EntityDescription(
                "Book",
                properties: [
                    .attribute("year", .integer32, optional: false), .attribute("title", .string),
                ],
                fetchIndexes: [
                    FetchIndexDescription("year", on: "year"), FetchIndexDescription("title", on: "title"),
                ])
        ])
        try await withStore(model) { container, sql in
            try sql.rows("INSERT INTO book (year, title) SELECT i, 't' || i FROM generate_series(1, 5000) i")
            try sql.rows("ANALYZE book")
            try await container.perform { context in
                for (name, isAscending) in [("year", true), ("year", false), ("title", true)] {
                    var request = FetchRequest<ManagedObject>(entityName: "Book")
                    request.sortDescriptors = [.key(name, ascending: isAscending)]
                    request.fetchLimit = 20
                    let cursor = try context.fetchPage(request).next
                    let plan = try context.explain(request, after: cursor).plan.joined(separator: "\n")
                    #expect(plan.contains("Index") && plan.contains("Index Cond"), "\(plan)")
                    #expect(!plan.contains("Seq Scan"), "\(plan)")
                }
            }
        }
    }
}
