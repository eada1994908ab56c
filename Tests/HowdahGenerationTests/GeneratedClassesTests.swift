import Foundation
import GeneratedModels
import Howdah
import HowdahTesting
import Testing

/// Generated classes on a real database behave as declared ones do.
@Suite struct GeneratedClassesTests {
    @Test func theModelIsTheOneGeneratedFrom() throws {
        let (model, original) = (try ManagedObjectModel.gallery, try Gallery.model())
        #expect(model.versionChecksum == original.versionChecksum)
        #expect(model.entities.map(\.name) == original.entities.map(\.name))
        // What no table depends on is kept as well.
        #expect(model["Work"]?.userInfo["kind"] == "hierarchy")
        #expect(model["Artist"]?.className == "GeneratedModels.Creator")
        // Nothing but the names of classes is another.
        let unnamed = [model, original].map { model in
            model.entities.map { entity in
                var entity = entity
                entity.className = nil
                return entity
            }
        }
        #expect(unnamed[0] == unnamed[1])
    }

    @Test func theClassesDescribeTheSameModel() throws {
        let classes = try ManagedObjectModel(
            Work.self, Painting.self, Sculpture.self, Creator.self, Label.self, Sample.self)
        #expect(classes == (try ManagedObjectModel.gallery))
        #expect(classes.versionChecksum == (try Gallery.model()).versionChecksum)
    }

    @Test func objectsComeBack() async throws {
        try await withTemporaryStore(.gallery) { container in
            try await container.perform { context in
                let artist = Creator(context: context)
                artist.name = "A"
                for (index, title) in ["Sea", "Sky", "Sun"].enumerated() {
                    let painting = Painting(context: context)
                    (painting.title, painting.year, painting.hash) = (
                        title, Int16(1900 + index), Int64(-index)
                    )
                    painting.size = Size(width: Double(index), height: 2)
                    painting.artist = artist
                }
                let sculpture = Sculpture(context: context)
                (sculpture.title, sculpture.weight, sculpture.default) = ("Stone", Decimal(7) / 2, false)
                sculpture.isMoved = true
                artist.works.insert(sculpture)
                try context.save()
            }
            try await container.perform { context in
                let works = try context.fetch(
                    Work.self, where: #Predicate { $0.artist?.name == "A" },
                    sortedBy: .descending(\.hash), .ascending(\.title))
                #expect(works.map(\.title) == ["Sea", "Stone", "Sky", "Sun"])
                #expect(works.map(\.year) == [1900, nil, 1901, 1902])
                #expect(works.map(\.default) == [true, false, true, true])
                let sculpture = try #require(works[1] as? Sculpture)
                #expect(sculpture.weight == Decimal(7) / 2)
                #expect(!sculpture.isMoved, "a transient value is not stored")
                #expect(
                    sculpture.value(forKey: "shape") == nil, "a property without a type is not the class's")
                let artist = try #require(sculpture.artist)
                #expect(Set(artist.works) == Set(works))
                #expect(works.allSatisfy { $0.artist === artist })
            }
        }
    }

    @Test func keyPathsOfSubclassesAndCompositesAreKnown() async throws {
        try await withTemporaryStore(.gallery) { container in
            try await container.perform { context in
                for (title, width) in [("b", 1.0), ("a", 2.0), ("c", 3.0)] {
                    let painting = Painting(context: context)
                    (painting.title, painting.size) = (title, Size(width: width, height: -width, depth: 0))
                    painting.origin = Origin(city: title, size: painting.size)
                }
                try context.save()
            }
            try await container.perform { context in
                let paintings = try context.fetch(
                    Painting.self, where: #Predicate { $0.size.width > 1 && $0.title != "x" },
                    sortedBy: .ascending(\.size, \.height), .ascending(\.title))
                #expect(paintings.map(\.title) == ["c", "a"])
                #expect(
                    paintings.first?.origin == Origin(city: "c", size: Size(width: 3, height: -3, depth: 0)))
                #expect(paintings.first?.origin?.since == nil)
                let found = try context.fetch(
                    Painting.self, where: #Predicate { $0.hash == 0 && $0.title == "a" })
                #expect(found.count == 1, "a property that is called otherwise is the model's")
            }
        }
    }

    @Test func fetchedPropertiesAreTyped() async throws {
        try await withTemporaryStore(.gallery) { container in
            try await container.perform { context in
                let artist = Creator(context: context)
                artist.name = "A"
                for (title, year) in [("Sun", 1901), ("Sea", 1902), ("Old", 1900)] {
                    let painting = Painting(context: context)
                    (painting.title, painting.year, painting.size) = (title, Int16(year), Size(width: 1))
                    painting.artist = artist
                }
                try context.save()
                let works: [Work] = artist.recent
                #expect(works.map(\.title) == ["Sea", "Sun"])
                let (one, two) = (Sculpture(context: context), Sculpture(context: context))
                one.beside = two
                #expect(two.beside == one, "a transient relationship")
            }
        }
    }

    @Test func relationshipsAreKeptOnBothSides() async throws {
        try await withTemporaryStore(.gallery) { container in
            try await container.perform { context in
                let (one, two) = (Painting(context: context), Painting(context: context))
                (one.title, two.title) = ("one", "two")
                (one.size, two.size) = (Size(width: 1), Size(width: 2))
                one.original = two
                #expect(two.copies.objects == [one])
                let label = Label(context: context)
                #expect(label.text == "a \"label\"\n\\(x)")
                label.works.insert(one)
                two.labels.insert(label)
                #expect(one.labels.objects == [label])
                try context.save()
            }
            try await container.perform { context in
                let label = try #require(try context.fetch(Label.self).first)
                #expect(Set(label.works.map(\.title)) == ["one", "two"])
                let one = try #require(
                    try context.fetch(Painting.self, where: #Predicate { $0.title == "one" }).first)
                #expect(one.original?.title == "two" && one.original?.copies.contains(one) ?? false)
                label.works.remove(one)
                one.original = nil
                #expect(one.changedPropertyNames == ["original"])
                try context.save()
            }
            try await container.perform { context in
                let label = try #require(try context.fetch(Label.self).first)
                #expect(label.works.map(\.title) == ["two"])
                #expect((label.works.objects.first as? Painting)?.copies.isEmpty ?? false)
            }
        }
    }

    @Test func valuesOfEveryTypeComeBack() async throws {
        try await withTemporaryStore(.gallery) { container in
            try await container.perform { context in
                let sample = Sample(context: context)
                sample.text = "t"
                sample.required = Date(timeIntervalSinceReferenceDate: 1)
                sample.picture = Data([7])
                sample.settings = Data("{\"a\": 1}".utf8)
                try context.save()
            }
            try await container.perform { context in
                let sample = try #require(try context.fetch(Sample.self).first)
                #expect(sample.small == -3 && sample.medium == 70_000 && sample.large == .min)
                #expect(
                    sample.exact == Decimal(string: "-0.125") && sample.double == 1e300
                        && sample.float == -0.1)
                #expect(sample.text == "t" && sample.flag == false && sample.bytes == Data([0, 255]))
                #expect(sample.date == Date(timeIntervalSinceReferenceDate: 0.25))
                #expect(sample.uuid?.uuidString == "8A9B3C1E-0000-4000-8000-000000000001")
                #expect(sample.link?.absoluteString == "https://example.org/a?b=c#d")
                #expect(sample.picture == Data([7]) && sample.settings == Data("{\"a\": 1}".utf8))
                #expect(sample.size == Size(width: 2, height: 3))
                #expect(sample.required == Date(timeIntervalSinceReferenceDate: 1))
                (sample.small, sample.size, sample.medium) = (9, nil, nil)
                try context.save()
            }
            try await container.perform { context in
                let sample = try #require(
                    try context.fetch(Sample.self, where: #Predicate { $0.small == 9 }).first)
                #expect(sample.size == nil && sample.medium == nil && sample.large == .min)
            }
        }
    }

    @Test func aRequiredValueThatWasNeverSetIsReported() async throws {
        try await withTemporaryStore(.gallery) { container in
            try await container.perform { context in
                let creator = Creator(context: context)
                #expect(creator.name.isEmpty)
                let error = #expect(throws: SaveError.self) { try context.save() }
                #expect("\(error, default: "")".contains("name"))
            }
        }
    }
}
