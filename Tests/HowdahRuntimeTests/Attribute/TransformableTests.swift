import Foundation
import Howdah
import HowdahTesting
import PQClient
import TestSupport
import Testing

@testable import HowdahRuntime

/// Values of Transformable attributes by way of transformers: typed, by name, and without any.
@Suite struct TransformableTests {
    @Test func theModelNamesTheTransformer() throws {
        let declared = try ManagedObjectModel(Picture.self)
        let attribute = try #require(declared["Picture"]?.properties.first { $0.name == "ink" }?.attribute)
        #expect(attribute.type == .transformable && attribute.valueTransformerName == "ColourTransformer")
        #expect(attribute.userInfo.isEmpty && attribute.isOptional)
        #expect(try ManagedObjectModel(canonicalJSON: declared.canonicalJSON) == declared)
        let plain = try ManagedObjectModel(entities: [
            EntityDescription(
                "Picture",
                properties: [
                    .attribute("title", .string, optional: false),
                    .attribute("ground", .transformable, optional: false),
                    .attribute("ink", .transformable),
                    .attribute("frame", .composite(Frame.compositeDescription)),
                ])
        ])
        #expect(plain.versionChecksum == declared.versionChecksum)
    }

    @Test func typedValuesComeBack() async throws {
        try await withStore(ManagedObjectModel(Picture.self)) { container, sql in
            try await container.perform { context in
                let picture = Picture(context: context)
                (picture.title, picture.ground, picture.ink) = ("a", Colour(1, 2), Colour(255, 0))
                picture.frame = Frame(width: 3, colour: Colour(4, 5))
                let other = Picture(context: context)
                (other.title, other.ground) = ("b", Colour())
                try context.save()
                context.reset()
                let pictures = try context.fetch(Picture.self, sortedBy: .ascending(\.title))
                #expect(pictures.map(\.ground) == [Colour(1, 2), Colour()])
                #expect(pictures.map(\.ink) == [Colour(255, 0), nil])
                #expect(pictures[0].frame == Frame(width: 3, colour: Colour(4, 5)))
                #expect(pictures[0]["ink"] as? Data == Data([255, 0]), "nothing is registered")
                pictures[1].ink = Colour(7, 7)
                try context.save()
                let found = try context.fetch(
                    Picture.self, matching: .format("ink == %@", Colour(7, 7).transformed()))
                #expect(found.map(\.title) == ["b"])
            }
            #expect(try sql.value("SELECT encode(ink, 'hex') FROM picture WHERE title = 'a'") == "ff00")
        }
    }

    @Test func objectsWithoutAClassHaveTheValuesByName() async throws {
        let options = Pictures.options
        try await withStore(Pictures.model(), options: options) { container, sql in
            try await container.perform { context in
                let picture = context.insert("Picture")
                (picture["title"], picture["ground"], picture["ink"]) = ("a", Colour(1, 2), Data([3, 4]))
                #expect(picture["ink"] as? Colour == Colour(3, 4), "bytes are taken as they are")
                try context.save()
                context.reset()
                let read = try #require(try context.fetch("Picture").first)
                #expect(read["ground"] as? Colour == Colour(1, 2))
                read["ink"] = Colour(5, 6)
                #expect(read.changedValues()["ink"] != nil)
                try context.save()
                read["ink"] = nil
                try context.save()
                #expect(read["ink"] == nil)
            }
            #expect(try sql.value("SELECT encode(ground, 'hex') FROM picture") == "0102")
        }
    }

    @Test func withoutATransformerTheValueIsData() async throws {
        try await withStore(Pictures.model()) { container, _ in
            try await container.perform { context in
                let picture = context.insert("Picture")
                (picture["title"], picture["ground"]) = ("a", Data([1]))
                try context.save()
                context.reset()
                #expect(try context.fetch("Picture").first?["ground"] as? Data == Data([1]))
            }
        }
    }

    /// The transformer's own error is in that of the save, with entity, property and object; typed or not.
    @Test func whatCannotBeTransformedFailsTheSave() async throws {
        let options = Pictures.options
        func check(_ context: ManagedObjectContext, _ object: ManagedObject, _ property: String) {
            let error = saveError { try context.save() }
            #expect(error?.code == .validation)
            #expect(
                error?.issues.map(\.propertyName) == [property]
                    && error?.issues.first?.entityName == "Picture")
            #expect(error?.issues.first?.objectID == object.objectID)
            let message = error?.issues.first?.message ?? ""
            #expect(message.contains("ColourTransformer") && message.contains("no colour"), "\(message)")
        }
        try await withStore(ManagedObjectModel(Picture.self)) { container, _ in
            try await container.perform { context in
                let picture = Picture(context: context)
                (picture.title, picture.ground) = ("a", Colour(1, 1_000))
                check(context, picture, "ground")
                picture.ground = Colour(1, 1)
                picture.frame = Frame(width: 1, colour: Colour(-1, 0))
                check(context, picture, "frame.colour")
                picture.frame = nil
                try context.save()
                picture.ink = Colour(1_000, 0)
                check(context, picture, "ink")
            }
        }
        try await withStore(Pictures.model(), options: options) { container, _ in
            try await container.perform { context in
                let picture = context.insert("Picture")
                (picture["title"], picture["ground"]) = ("a", Colour(1, 1_000))
                check(context, picture, "ground")
                #expect(throws: ValidationIssue.self) {
                    try picture.validateValue(Colour(-1, 0), forKey: "ink")
                }
                try picture.validateValue(Colour(1, 0), forKey: "ink")
            }
        }
    }

    @Test func bytesThatATransformerRefusesFailTheFetch() async throws {
        func check(_ container: PersistentContainer) async {
            let error = await #expect(throws: FetchError.self) {
                try await container.perform { _ = try $0.fetch("Picture") }
            }
            #expect(error?.code == .invalidValue && error?.objectURI?.contains("Picture") == true)
            let message = error?.message ?? ""
            #expect(
                message.contains("Picture.ink") && message.contains("ColourTransformer")
                    && message.contains("not two bytes"), "\(message)")
        }
        try await withStore(ManagedObjectModel(Picture.self)) { container, sql in
            try sql.rows("INSERT INTO picture (title, ground, ink) VALUES ('a', '\\x0101', '\\x01')")
            await check(container)
        }
        try await withStore(Pictures.model(), options: Pictures.options) { container, sql in
            try sql.rows("INSERT INTO picture (title, ground, ink) VALUES ('a', '\\x0101', '\\x01')")
            await check(container)
        }
    }

    /// A class generated from the model has the bytes; access by name has the value, and tells what it cannot read.
    @Test func accessByNameToAFieldOfDataTransforms() async throws {
        let model = try ManagedObjectModel(Sketch.self)
        try await withStore(model, options: Pictures.options) { container, sql in
            try await container.perform { context in
                let sketch = Sketch(context: context)
                sketch["ground"] = Colour(1, 2)
                #expect(sketch.ground == Data([1, 2]) && sketch["ground"] as? Colour == Colour(1, 2))
                try context.save()
            }
            try sql.rows("UPDATE sketch SET ground = '\\x01'")
            let error = await #expect(throws: FetchError.self) {
                try await container.perform { context in
                    let sketch = try #require(try context.fetch(Sketch.self).first)
                    #expect(sketch["ground"] == nil && context.failure != nil)
                }
            }
            #expect(error?.message.contains("Sketch.ground") == true)
        }
    }
}

@Entity final class Sketch: ManagedObject {
    @Attribute(valueTransformerName: "ColourTransformer") var ground: Data?
}
