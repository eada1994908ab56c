import Foundation
import HowdahModel
import HowdahModelFile
import Testing

struct AttributeReadingTests {
    @Test(arguments: [
        ("Integer 16", AttributeType.integer16), ("Integer 32", .integer32), ("Integer 64", .integer64),
        ("Decimal", .decimal), ("Double", .double), ("Float", .float), ("String", .string),
        ("Boolean", .boolean), ("Date", .date), ("Binary", .binary), ("UUID", .uuid), ("URI", .uri),
        ("Transformable", .transformable),
    ])
    func everyTypeIsRead(_ name: String, _ type: AttributeType) throws {
        let (attribute, warnings) = try ModelText.attribute("optional=\"YES\" attributeType=\"\(name)\"")
        #expect(attribute == AttributeDescription("x", type))
        #expect(warnings.isEmpty)
        let (required, _) = try ModelText.attribute("attributeType=\"\(name)\" syncable=\"YES\"")
        #expect(required == AttributeDescription("x", type, optional: false))
    }

    /// As the editor leaves them behind when the type of an attribute is changed.
    @Test(arguments: [
        ("Boolean", "YES", Value.bool(true)), ("Boolean", "NO", .bool(false)), ("Boolean", "0", .bool(false)),
        ("Boolean", "1", .bool(true)), ("Boolean", "0.0", .bool(false)), ("Integer 16", "-1", .int(-1)),
        ("Integer 32", "NO", .int(0)), ("Integer 32", "YES", .int(1)), ("Integer 64", "0.0", .int(0)),
        ("Integer 64", "9223372036854775807", .int(.max)), ("Decimal", "0.0", .decimal(0)),
        ("Decimal", "12.345678901234567890", .decimal(Decimal(string: "12.345678901234567890") ?? 0)),
        ("Double", "100", .double(100)), ("Double", "0.1", .double(0.1)), ("Float", "0.5", .float(0.5)),
        ("String", "", .string("")), ("String", "0", .string("0")),
    ])
    func defaultsAreRead(_ type: String, _ text: String, _ value: Value) throws {
        let (attribute, warnings) = try ModelText.attribute(
            "optional=\"YES\" attributeType=\"\(type)\" defaultValueString=\"\(text)\"")
        #expect(attribute.defaultValue == value)
        #expect(warnings.isEmpty)
    }

    @Test func defaultsOfOtherTypesAreRead() throws {
        let (date, _) = try ModelText.attribute(
            "attributeType=\"Date\" defaultDateTimeInterval=\"595886400\"")
        #expect(date.defaultValue == .date(Date(timeIntervalSinceReferenceDate: 595_886_400)))
        let id = UUID()
        let (uuid, _) = try ModelText.attribute("attributeType=\"UUID\" defaultValueString=\"\(id)\"")
        #expect(uuid.defaultValue == .uuid(id))
        let (uri, _) = try ModelText.attribute(
            "attributeType=\"URI\" defaultValueString=\"https://example.org/a\"")
        #expect(uri.defaultValue == URL(string: "https://example.org/a").map(Value.uri))
    }

    @Test(arguments: [
        ("UUID", "empy"), ("Integer 16", "40000"), ("Integer 32", "1.5"), ("Boolean", "2"),
        ("Decimal", "3 apples"), ("Double", "x"), ("Transformable", "x"),
    ])
    func defaultsThatAreNoneAreToldAndLeftOut(_ type: String, _ text: String) throws {
        let (attribute, warnings) = try ModelText.attribute(
            "attributeType=\"\(type)\" defaultValueString=\"\(text)\"")
        #expect(attribute.defaultValue == nil)
        #expect(warnings.count == 1)
        #expect(warnings.first?.contains("\"\(text)\"") == true)
    }

    @Test func rulesAreRead() throws {
        let (number, _) = try ModelText.attribute(
            "attributeType=\"Integer 32\" minValueString=\"0.0\" maxValueString=\"10\"")
        #expect(number.minimum == .int(0) && number.maximum == .int(10))
        let (text, _) = try ModelText.attribute(
            "attributeType=\"String\" minValueString=\"1\" maxValueString=\"64\" regularExpressionString=\"[a-z]+\""
        )
        #expect(text.minimumLength == 1 && text.maximumLength == 64 && text.regex == "[a-z]+")
        #expect(text.minimum == nil && text.maximum == nil)
        let (date, warnings) = try ModelText.attribute(
            "attributeType=\"Date\" minDateTimeInterval=\"0\" maxDateTimeInterval=\"86400\"")
        #expect(date.minimum == .date(Date(timeIntervalSinceReferenceDate: 0)))
        #expect(date.maximum == .date(Date(timeIntervalSinceReferenceDate: 86_400)))
        #expect(warnings.isEmpty)
    }

    @Test func flagsAndIdentifiersAreRead() throws {
        let (attribute, warnings) = try ModelText.attribute(
            """
            optional="YES" transient="YES" attributeType="Transformable" elementID="old" versionHashModifier="2" \
            valueTransformerName="Packer" customClassName="[String]" preserveAfterDeletion="YES" \
            allowsExternalBinaryDataStorage="YES" spotlightIndexingEnabled="YES" storedInTruthFile="YES" \
            usesScalarValueType="NO" allowsCloudEncryption="YES"
            """)
        #expect(
            attribute
                == AttributeDescription(
                    "x", .transformable, transient: true, renamingIdentifier: "old", versionHashModifier: "2",
                    valueTransformerName: "Packer", allowsExternalBinaryDataStorage: true,
                    valueClassName: "[String]", preservesValueInHistoryOnDeletion: true))
        #expect(warnings.isEmpty)
    }

    @Test func attributesWithoutATypeLiveInMemory() throws {
        let (transient, none) = try ModelText.attribute("optional=\"YES\" transient=\"YES\"")
        #expect(transient.type == .undefined && none.isEmpty)
        let (stored, warnings) = try ModelText.attribute("optional=\"YES\"")
        #expect(!stored.isStored && warnings.count == 1)
    }

    @Test func derivationsAreRead() throws {
        let (attribute, warnings) = try ModelText.attribute(
            "optional=\"YES\" attributeType=\"Date\" derived=\"YES\" derivationExpression=\"now()\"")
        #expect(attribute.derivationExpression == "now()" && warnings.isEmpty)
        let (half, told) = try ModelText.attribute("attributeType=\"Date\" derived=\"YES\"")
        #expect(half.derivationExpression == nil && told.count == 1)
    }

    @Test func unknownAttributesAndElementsAreTold() throws {
        let (_, warnings) = try ModelText.read(
            """
            <entity name="A" color="red"><attribute name="x" attributeType="String" fromTheFuture="YES"/>
            <hologram/></entity>
            """)
        #expect(warnings.map(\.message).count == 3)
        for word in ["color", "fromTheFuture", "<hologram>"] {
            #expect(warnings.contains { $0.message.contains(word) && $0.line != nil })
        }
    }

    @Test func anUnknownTypeIsAnError() {
        let error = ModelText.error(
            "<entity name=\"A\">\n<attribute name=\"x\" attributeType=\"Quaternion\"/></entity>")
        #expect(error?.code == .malformed && error?.line == 4)
        #expect(error?.message.contains("A.x") == true && error?.message.contains("Quaternion") == true)
    }
}
