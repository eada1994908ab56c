import Foundation
import HowdahGeneration
import HowdahModel
import Testing

/// What classes, files and properties are called.
@Suite struct NamingTests {
    private func code(_ entities: EntityDescription..., name: String = "Shop") throws -> GeneratedCode {
        GeneratedCode(of: try ManagedObjectModel(entities: entities), named: name)
    }

    @Test(arguments: [
        (nil, "Order"), ("", "Order"), ("NSManagedObject", "Order"), ("CDOrder", "CDOrder"),
        (".CDOrder", "CDOrder"),
        ("Shop.CDOrder", "CDOrder"), ("Outer.Inner.CDOrder", "CDOrder"),
    ])
    func classesAreCalledWhatTheModelSays(_ className: String?, _ expected: String) throws {
        let code = try code(EntityDescription("Order", className: className))
        #expect(Set(code.files.keys) == ["\(expected).swift", "ShopModel.swift"])
        #expect(
            code.files["\(expected).swift"]?.contains("final class \(expected): Howdah.ManagedObject {")
                ?? false)
        #expect(code.files["\(expected).swift"]?.contains("_entityName: Swift.String { \"Order\" }") ?? false)
        #expect(code.warnings.isEmpty)
    }

    @Test func aClassOfSeveralEntitiesIsOnesOnly() throws {
        let code = try code(
            EntityDescription("Old", className: "Order"), EntityDescription("Order"),
            EntityDescription("Cart", className: "Basket"), EntityDescription("Crate", className: "Basket"))
        #expect(
            Set(code.files.keys) == [
                "Old.swift", "Order.swift", "Basket.swift", "Crate.swift", "ShopModel.swift",
            ])
        #expect(code.warnings.map(\.owner) == ["Old", "Crate"])
    }

    @Test func filesDifferInMoreThanCase() throws {
        let code = try code(
            EntityDescription("order"), EntityDescription("Order"), EntityDescription("ShopModel"))
        #expect(
            Set(code.files.keys) == ["order.swift", "Order_.swift", "ShopModel.swift", "ShopModel_.swift"])
        #expect(code.files["Order_.swift"]?.contains("class Order:") ?? false)
        #expect(code.warnings.isEmpty)
    }

    @Test(arguments: [
        ("Shop", "shop", "ShopModel"), ("ShopModel", "shopModel", "ShopModel"),
        ("HRData", "hrData", "HRDataModel"), ("DB", "db", "DBModel"),
        ("my model", "my_model", "my_modelModel"),
        ("2", "_2", "_2Model"), ("Default", "`default`", "DefaultModel"), ("Init", "init_", "InitModel"),
    ])
    func theModelIsAProperty(_ name: String, _ property: String, _ file: String) throws {
        let text = try code(EntityDescription("A"), name: name).files["\(file).swift"]
        #expect(
            text?.contains("static var \(property): Howdah.ManagedObjectModel {") ?? false,
            "\(text ?? "none")")
    }

    @Test func namesThatAreTakenGetAnUnderscore() throws {
        let names = [
            "hash", "hash_", "objectsID", "init", "_id", "a b", "a_b", "1st", "Order", "description",
            "isFault",
        ]
        let code = try code(
            EntityDescription("Order", properties: names.map { .attribute($0, .string) }),
            EntityDescription("Sub", superentity: "Order", properties: [.attribute("a-b", .string)]))
        let text = try #require(code.files["Order.swift"])
        let expected = [
            "hash", "hash_", "objectsID", "init_", "id_", "a_b", "a_b_", "n1st_", "Order_", "description",
            "isFault",
        ]
        for (name, property) in zip(names, expected) {
            #expect(text.contains("var \(property): Swift.String? {"))
            #expect(text.contains("_PropertyKeyPath(\\Root.\(property), \"\(name)\")"))
        }
        #expect(code.files["Sub.swift"]?.contains("var a_b__: Swift.String? {") ?? false)
        #expect(
            code.warnings.compactMap(\.property) == zip(names, expected).filter { $0 != $1 }.map(\.0) + [
                "a-b"
            ])
    }

    @Test func compositesOfOneNameAndTwoMeaningsAreTwo() throws {
        let one = CompositeDescription("Point", [AttributeDescription("x", .double)])
        let two = CompositeDescription("Point", [AttributeDescription("x", .float)])
        let code = try code(
            EntityDescription(
                "Order",
                properties: [
                    .attribute("a", .composite(one)), .attribute("b", .composite(two)),
                    .attribute("c", .composite(one)),
                ]))
        #expect(Set(code.files.keys) == ["Order.swift", "Point.swift", "Point_.swift", "ShopModel.swift"])
        let text = try #require(code.files["Order.swift"])
        #expect(
            text.contains("var a: Point? {") && text.contains("var b: Point_? {")
                && text.contains("var c: Point? {"))
        #expect(code.warnings.count == 1)
    }

    @Test func equalModelsGiveEqualText() throws {
        let (first, second) = (try EveryConstruct.model(), try EveryConstruct.model())
        #expect(GeneratedCode(of: first, named: "A").files == GeneratedCode(of: second, named: "A").files)
        #expect(
            GeneratedCode(of: first, named: "A").singleFile
                == GeneratedCode(of: second, named: "A").singleFile)
    }

    /// A property in the class itself would make models with an attribute of that name stop compiling; methods, and what is
    /// in protocol extensions, do not.
    @Test func managedObjectsDeclareNoPropertyThatAttributesCollideWith() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Sources/HowdahRuntime")
        var members: (ofClass: Set<String>, ofExtension: Set<String>) = ([], [])
        let files = try FileManager.default.subpathsOfDirectory(atPath: folder.path())
        for file in files where file.hasSuffix(".swift") {
            let text = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
            var place: Substring?
            for line in text.split(separator: "\n") {
                if line.hasPrefix("}") { place = nil }
                if let opening = line.firstMatch(
                    of: /^(?:nonisolated open class|extension) (ManagedObject(?:Identity)?)\b.*\{$/)
                {
                    place = opening.output.1
                }
                guard let place,
                    let match = line.firstMatch(
                        of: /^ {4}(?:@\w+(?:\(\w+\))? )*(?:public|open) (?:final )?var (\w+)/)
                else { continue }
                if place == "ManagedObject" {
                    members.ofClass.insert(String(match.output.1))
                } else {
                    members.ofExtension.insert(String(match.output.1))
                }
            }
        }
        #expect(
            members.ofExtension.isSuperset(of: ["objectID", "isFault", "managedObjectContext", "entity"]))
        #expect(members.ofClass.contains("_flags"))
        #expect(members.ofClass.filter { !$0.hasPrefix("_") }.isEmpty)
        let properties = members.ofExtension.filter { $0 != "objectID" }.sorted()
        let code = try code(EntityDescription("A", properties: properties.map { .attribute($0, .string) }))
        #expect(code.warnings.compactMap(\.property).isEmpty)
    }

    @Test func aTransformableHasTheTypeThatTheModelNames() throws {
        let code = try code(
            EntityDescription(
                "Picture",
                properties: [
                    .attribute("ink", .transformable, userInfo: [MappingKey.type: "Colour"]),
                    .attribute("ground", .transformable, optional: false, valueTransformerName: "T"),
                ]))
        let text = code.files["Picture.swift"] ?? ""
        #expect(text.contains("var ink: Colour?") && text.contains("var ground: Foundation.Data"))
        #expect(text.contains("which Core Data would read with \"T\""))
    }
}
