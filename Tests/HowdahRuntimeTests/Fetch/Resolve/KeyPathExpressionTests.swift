import Foundation
import Howdah
import HowdahModel
import HowdahTesting
import TestSupport
import Testing

/// What the typed expressions say is what formats say, in the database and in memory.
@Suite struct KeyPathExpressionTests {
    private typealias Case = (typed: PredicateTree, format: PredicateTree)

    private static func cases(_ volumes: [Volume], _ library: Library) throws -> [Case] {
        let volume = KeyPathExpression(Volume.self)
        let house = KeyPathExpression(Library.self)
        let ids = volumes.prefix(2).map(\.objectID)
        let both: PredicateTree.Options = [.caseInsensitive, .diacriticInsensitive]
        let (early, late) = (
            Date(timeIntervalSinceReferenceDate: 0), Date(timeIntervalSinceReferenceDate: 86_400)
        )
        let texts: [Case] = [
            (volume.title == "b", .format("title == 'b'")),
            (volume.subtitle == nil, .format("subtitle == NULL")),
            (volume.subtitle != nil, .format("subtitle != NULL")),
            (volume.title.isEqual(to: "ÉMILE", options: both), .format("title ==[cd] 'ÉMILE'")),
            (
                volume.title.isNotEqual(to: "emile", options: .caseInsensitive),
                .format("title !=[c] 'emile'")
            ),
            (volume.title.isLess(than: "F", options: .caseInsensitive), .format("title <[c] 'F'")),
            (volume.title.isGreater(than: "e", options: both), .format("title >[cd] 'e'")),
            (volume.title.isEqual(to: "b", options: .normalized), .format("title ==[n] 'b'")),
            (
                volume.title.isIn(["EMILE", "x"], options: both),
                .format("title IN[cd] %@", ["EMILE", "x"])
            ),
            (
                volume.title.isBetween("A", and: "C", options: .caseInsensitive),
                .format("title BETWEEN[c] {'A', 'C'}")
            ),
            (volume.title.beginsWith("EM", options: both), .format("title BEGINSWITH[cd] 'EM'")),
            (volume.title.endsWith("ile"), .format("title ENDSWITH 'ile'")),
            (volume.title.contains("MI", options: .caseInsensitive), .format("title CONTAINS[c] 'MI'")),
            (volume.title.like("?m*"), .format("title LIKE '?m*'")),
            (volume.title.like("?M*", options: both), .format("title LIKE[cd] '?M*'")),
            (volume.title.matches("[a-c]+"), .format("title MATCHES '[a-c]+'")),
            (
                volume.title.matches("É.*", options: .caseInsensitive), .format("title MATCHES[c] 'É.*'")
            ),
            (volume.subtitle.like("*"), .format("subtitle LIKE '*'")),
            (volume.title == volume.subtitle, .format("title == subtitle")),
            (volume.house.name.beginsWith("L"), .format("house.name BEGINSWITH 'L'")),
        ]
        let values: [Case] = [
            (volume.pages > 100, .format("pages > 100")), (volume.pages <= 100, .format("pages <= 100")),
            (volume.pages < volume.stock, .format("pages < stock")),
            (volume.pages.isIn([10, 300]), .format("pages IN {10, 300}")),
            (volume.pages.isBetween(100, and: 250), .format("pages BETWEEN {100, 250}")),
            (volume.price >= 2.5, .format("price >= %@", Decimal(string: "2.5"))),
            (volume.boughtAt < late, .format("boughtAt < %@", late)),
            (volume.boughtAt.isBetween(early, and: late), .format("boughtAt BETWEEN %@", [early, late])),
            (volume.kind == .novel, .format("kind == 'novel'")),
            (volume.kind.isIn([.novel, .atlas]), .format("kind IN {'novel', 'atlas'}")),
            (volume.shelf.row == 2, .format("shelf.row == 2")),
            (volume.shelf.row != volume.stock, .format("shelf.row != stock")),
            (volume.isLent == true, .format("isLent == YES")),
            (volume.tags.contains("new"), .format("tags CONTAINS 'new'")),
            (volume.tags == ["a", "b"], .format("tags == %@", ["a", "b"])),
        ]
        let objects: [Case] = [
            (volume.isIn(ids), .format("SELF IN %@", Array(ids))),
            (volume == ids[0], .format("SELF == %@", ids[0])),
            (volume.house == library.objectID, .format("house == %@", library.objectID)),
            (volume.house != nil, .format("house != NULL")),
            (volume.house.isIn([library.objectID]), .format("house IN %@", [library.objectID])),
            (volume.house.volumes.count > 2, .format("house.volumes.@count > 2")),
            (volume.house.volumes.pages.any == 10, .format("ANY house.volumes.pages == 10")),
        ]
        let members: [Case] = [
            (house.volumes.count > 2, .format("volumes.@count > 2")),
            (house.volumes.count == 0, .format("volumes.@count == 0")),
            (house.volumes.pages.sum > 400, .format("volumes.@sum.pages > 400")),
            (house.volumes.price.sum >= 1, .format("volumes.@sum.price >= %@", Decimal(1))),
            (house.volumes.pages.minimum < 50, .format("volumes.@min.pages < 50")),
            (house.volumes.boughtAt.maximum > early, .format("volumes.@max.boughtAt > %@", early)),
            (house.volumes.pages.average > 150, .format("volumes.@avg.pages > %@", 150.0)),
            (house.volumes.pages.any > 250, .format("ANY volumes.pages > 250")),
            (house.volumes.pages.all > 5, .format("ALL volumes.pages > 5")),
            (house.volumes.pages.none > 250, .format("NONE volumes.pages > 250")),
            (
                house.volumes.title.any.isEqual(to: "emile", options: both),
                .format("ANY volumes.title ==[cd] 'emile'")
            ),
            (house.volumes.title.all.matches("[a-zé]+"), .format("ALL volumes.title MATCHES '[a-zé]+'")),
            (house.volumes.title.none.like("z*"), .format("NONE volumes.title LIKE 'z*'")),
            (house.volumes.kind.any.isIn([.atlas]), .format("ANY volumes.kind IN {'atlas'}")),
            (house.volumes.contains(ids[0]), .format("ANY volumes == %@", ids[0])),
            (house.volumes.any.isIn(ids), .format("ANY volumes IN %@", Array(ids))),
            (house.branches.volumes.pages.any > 250, .format("ANY branches.volumes.pages > 250")),
            (house.branches.volumes.pages.sum > 100, .format("sum:(branches.volumes.pages) > 100")),
            (house.branches.volumes.shelf.row.maximum == 2, .format("max:(branches.volumes.shelf.row) == 2")),
        ]
        return texts + values + objects + members
    }

    private static func fill(_ context: ManagedObjectContext) throws -> ([Volume], [Library]) {
        let libraries = ["Lyon", "Lille", "Metz"].map { name in
            let library = Library(context: context)
            library.name = name
            return library
        }
        libraries[2].mother = libraries[0]
        libraries[1].mother = libraries[2]
        let titles = ["Émile", "emile", "b", "abc", "É", "Emil", "x", "zz"]
        let volumes = titles.enumerated().map { number, title in
            let volume = Volume(context: context)
            volume.title = title
            volume.subtitle = [nil, "b", ""][number % 3]
            volume.pages = [10, nil, 100, 300][number % 4]
            volume.stock = number * 40
            volume.price = Decimal(number) / 2
            volume.boughtAt = Date(timeIntervalSinceReferenceDate: Double(number) * 40_000)
            volume.kind = [.novel, .atlas, .other][number % 3]
            volume.isLent = number % 2 == 0
            volume.tags = [["a", "b"], [], ["new"]][number % 3]
            volume.shelf = number % 4 == 0 ? nil : Rack(row: number % 4)
            volume.house = number == 7 ? nil : libraries[number % 2 * 2]
            return volume
        }
        try context.save()
        return (volumes, libraries)
    }

    @Test func theTreesAreThoseOfFormatsAndRunEverywhere() async throws {
        try await withTestStore(ManagedObjectModel(Library.self, Volume.self)) { container in
            try await container.perform { context in
                let (volumes, libraries) = try Self.fill(context)
                var decided = 0
                let cases = try Self.cases(volumes, libraries[0])
                for (place, (typed, format)) in cases.enumerated() {
                    #expect(typed.error == nil && typed == format, "\(typed) is not \(format)")
                    let isOfLibraries = place >= cases.count - 19
                    if isOfLibraries {
                        let found = try context.fetch(Library.self, matching: typed)
                        let here = try libraries.filter { try typed.evaluate(with: $0) }
                        #expect(Set(found) == Set(here), "\(typed)")
                        decided += found.isEmpty || found.count == 3 ? 0 : 1
                    } else {
                        let found = try context.fetch(Volume.self, matching: typed)
                        let here = try volumes.filter { try typed.evaluate(with: $0) }
                        #expect(Set(found) == Set(here), "\(typed)")
                        decided += found.isEmpty || found.count == 8 ? 0 : 1
                    }
                }
                #expect(decided > cases.count * 8 / 10, "\(decided) of \(cases.count) tell objects apart")
            }
        }
    }

    @Test func theyCombineAsAllTreesDo() throws {
        let volume = KeyPathExpression(Volume.self)
        let tree = PredicateTree.and([
            volume.title.beginsWith("a"), .or([volume.pages > 3, .not(volume.isLent == true)]),
        ])
        #expect(tree.description == "title BEGINSWITH 'a' AND (pages > 3 OR NOT isLent == TRUE)")
    }

    @Test func whatHasNoNameOrNoPlaceIsAClearError() throws {
        let volume = KeyPathExpression(Volume.self)
        func refuses(_ tree: PredicateTree, _ part: String) {
            #expect(tree.error?.message.contains(part) == true, "\(tree)")
        }
        refuses(volume.shout == "x", "not a property that its class lists")
        refuses(volume.house.shout.beginsWith("x"), "not a property that its class lists")
        refuses(volume.shelf == Rack(row: 1), "cannot be compared as a whole")
        refuses(volume.pages == volume.house.volumes.pages.any, "Exchange the two sides")
        refuses(.not(volume.shout == "x"), "not a property that its class lists")
    }
}

private enum Kind: String, AttributeEnum { case novel, atlas, other }

@Composite private struct Rack {
    var row: Int
}

@Entity private final class Library: ManagedObject {
    var name: String
    @Relationship(inverse: "house") var volumes: ToMany<Volume>
    @Relationship(inverse: "branches") var mother: Library?
    @Relationship(inverse: "mother") var branches: ToMany<Library>
    var shout: String { name.uppercased() }
}

@Entity private final class Volume: ManagedObject {
    var title: String
    var subtitle: String?
    var pages: Int?
    var stock: Int
    var price: Decimal
    var boughtAt: Date?
    var kind: Kind = .other
    var isLent: Bool = false
    var tags: [String] = []
    var shelf: Rack?
    @Relationship(inverse: "volumes") var house: Library?
    var shout: String { title.uppercased() }
}
