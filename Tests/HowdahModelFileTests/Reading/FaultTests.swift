import Foundation
import HowdahModel
import Testing

@testable import HowdahModelFile

/// Files in which much is wrong are told about at once, and what is not quite wrong with them too.
struct FaultTests {
    private static let many = """
        <entity name="A" fromMars="YES">
            <attribute attributeType="String"/>
            <attribute name="x" attributeType="Strin"/>
            <attribute name="y" attributeType="Integer 16" optional="YES" defaultValueString="many"/>
            <relationship name="r" maxCount="1" deletionRule="Eat" destinationEntity="A"/>
            <relationship name="s" maxCount="1" deletionRule="Nullify"/>
            <relationship name="t" maxCount="1" deletionRule="Nullify" destinationEntity="A" inverseName="s"
                inverseEntity="A"/>
            <fetchIndex name="i"><fetchIndexElement property="x" type="Binary" order="ascending"/></fetchIndex>
        </entity>
        <entity name="B" parentEntity="Nobody"/>
        <fetchRequest name="f" entity="A"/><fetchRequest name="f" entity="B"/>
        """

    @Test func everythingIsToldAtOnceInTheOrderOfTheFile() throws {
        let error = try #require(ModelText.error(Self.many))
        #expect(error.code == .malformed && error.line == 4)
        #expect(error.defects.map(\.line) == [4, 5, 7, 8, 14])
        for (fault, words) in zip(
            error.defects,
            [
                "<attribute>", "\"Strin\"", "\"Eat\"", "A.s has no destination",
                "two fetch requests named \"f\"",
            ])
        {
            #expect(fault.message.contains(words), "\(fault)")
        }
        // That x cannot be indexed and t has no inverse follows from the faults; that B has no superentity does not.
        #expect(error.issues.map(\.code) == [.unknownEntity])
        #expect(error.warnings.map(\.line) == [3, 6])
        #expect(error.message.hasPrefix("The file has 6 faults:\n- line 4: "))
    }

    @Test func warningsStayWhereTheModelContradictsItself() throws {
        let error = try #require(
            ModelText.error("<entity name=\"A\" fromMars=\"YES\" parentEntity=\"B\"/>"))
        #expect(error.code == .invalidModel && error.defects.isEmpty && error.issues.count == 1)
        #expect(error.warnings.count == 1)
    }

    @Test func aFaultOfACompositeTypeIsToldOnce() throws {
        let attributes = (0..<3).map {
            "<attribute name=\"a\($0)\" optional=\"YES\" attributeType=\"Composite\" composite=\"C\"/>"
        }
        let error = try #require(
            ModelText.error(
                "<entity name=\"A\">\(attributes.joined())</entity>"
                    + "<composite name=\"C\"><attribute name=\"x\" attributeType=\"Odd\"/></composite>"))
        #expect(error.defects.count == 1)
    }

    @Test func manyFaultsMakeAMessageThatCanBeRead() throws {
        let error = try #require(ModelText.error(String(repeating: "<entity/>\n", count: 5_000)))
        #expect(error.defects.count == 5_000)
        #expect(error.message.hasSuffix("\n- and 4800 more"))
    }

    /// Xcode writes the default of a Date as an interval, which may be missing.
    @Test func aDefaultOfADateThatIsNoIntervalIsNamed() throws {
        func warnings(_ keys: String) throws -> [String] {
            try ModelText.read(
                "<entity name=\"A\"><attribute name=\"d\" attributeType=\"Date\" optional=\"YES\" \(keys)/></entity>"
            ).1.map(\.message)
        }
        #expect(try warnings("defaultValueString=\"2020-01-01\"").first?.contains("2020-01-01") == true)
        #expect(try warnings("defaultDateTimeInterval=\"0\" defaultValueString=\"x\"") == [])
        #expect(try warnings("defaultValueString=\"\"") == [])
    }

    @Test func textBetweenElementsIsTold() throws {
        let (_, warnings) = try ModelText.read(
            "hello <!-- a comment --> there\n<entity name=\"A\">\n<![CDATA[  data ]]></entity>")
        #expect(warnings.map(\.line) == [3, 5])
        #expect(warnings.map { $0.message.contains("has no effect") } == [true, true])
        #expect(warnings[0].message.contains("\"hello\" in <model>"))
        #expect(warnings[1].message.contains("\"data\" in <entity>"))
    }

    @Test(arguments: [
        ("hello", 5), ("<!-- a -->\nhello", 6), ("hello <!-- a -->", 5), ("<model/>", 5), ("a > b", 5),
        ("</model>", 5),
        ("<?pi x?>\n\n]]>", 7),
    ])
    func textBehindTheModelIsRefused(_ text: String, _ line: Int) throws {
        let data = ModelText.file("<entity name=\"A\"/>") + Data("\n\(text)\n".utf8)
        // Some of it is no XML, which the parser tells; the rest is a fault beside others.
        let found: (line: Int?, code: ModelFileError.Code)?
        do {
            var reader = ModelReader()
            _ = try reader.model(of: ModelElement(reading: data))
            found = nil
        } catch {
            found = (error.line, error.code)
        }
        #expect(found?.code == .malformed)
        #expect(found?.line == line || found?.line == nil, "\(String(describing: found))")
    }

    @Test func contradictionsAreToldBesideFaults() throws {
        let data =
            ModelText.file(
                """
                <entity name="A">
                    <attribute name="x" attributeType="Strin"/>
                    <attribute name="s" optional="YES" attributeType="String" minValueString="9" maxValueString="3"/>
                    <attribute name="t" optional="maybe" attributeType="String"/>
                    <uniquenessConstraints>
                        <uniquenessConstraint><constraint value="nope"/></uniquenessConstraint>
                        <uniquenessConstraint><constraint value="x"/></uniquenessConstraint>
                        <uniquenessConstraint/>
                    </uniquenessConstraints>
                </entity>
                <entity name="D"><attribute name="s" optional="YES" attributeType="String" regularExpressionString="(["/></entity>
                <configuration name="C"/><configuration name="C"/>
                """) + Data("\n<model/>".utf8)
        var reader = ModelReader()
        do {
            _ = try reader.model(of: ModelElement(reading: data))
            Issue.record("was read")
        } catch {
            let places = error.issues.map { "\($0.entityName ?? "").\($0.propertyName ?? "")" }
            #expect(Set(places) == ["A.nope"], "\(error)")
            #expect(
                error.defects.map(\.message).count { $0.contains("configurations") || $0.contains("end") }
                    == 2
            )
            #expect(error.defects.count == 3, "\(error)")
            let told = error.warnings.map(\.description).joined()
            #expect(told.contains("\"maybe\" is not a value of optional") && told.contains("no properties"))
            #expect(told.contains("A.s: The minimum length is greater") && told.contains("D.s: The pattern"))
        }
    }

    @Test func commentsBehindTheModelAreFine() throws {
        let file = ModelText.file("") + Data("\n<!-- </model> --> <?pi x?>\n<!-- b -->\n".utf8)
        #expect(try ModelElement(reading: file).name == "model")
        #expect(try ModelElement(reading: Data("<model/>  ".utf8)).name == "model")
        #expect(try ModelElement(reading: Data("<model></model >".utf8)).name == "model")
    }

    @Test(arguments: ["Integer 64", "Double"])
    func aDerivedAttributeLosesItsDefault(_ type: String) throws {
        let (model, warnings) = try ModelText.read(
            """
            <entity name="A">
                <attribute name="n" optional="YES" attributeType="\(type)" defaultValueString="0" derived="YES"
                    derivationExpression="as.@count" minValueString="0" usesScalarValueType="YES"/>
                <relationship name="as" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="A"
                    inverseName="a" inverseEntity="A"/>
                <relationship name="a" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="A"
                    inverseName="as" inverseEntity="A"/>
            </entity>
            """.replacing("as.@count", with: type == "Double" ? "now()" : "as.@count"))
        let attribute = try #require(model.property(named: "n", of: "A")?.attribute)
        #expect(attribute.derivationExpression != nil)
        #expect(attribute.defaultValue == nil && attribute.minimum == nil)
        #expect(
            warnings.map(\.message) == [
                "The attribute is derived, so its default and rules have no effect. Remove the default and rules."
            ])
    }

    @Test(arguments: [("Float", "1e39"), ("Float", "-4e38"), ("Double", "1e309"), ("Decimal", "1e999")])
    func numbersWithoutRoomAreTold(_ type: String, _ text: String) throws {
        let (attribute, warnings) = try ModelText.attribute(
            "optional=\"YES\" attributeType=\"\(type)\" defaultValueString=\"\(text)\"")
        #expect(attribute.defaultValue == nil)
        #expect(warnings.count == 1 && warnings.first?.contains(text) == true)
    }

    @Test func infinityIsANumber() throws {
        let (attribute, warnings) = try ModelText.attribute(
            "optional=\"YES\" attributeType=\"Float\" defaultValueString=\"inf\"")
        #expect(attribute.defaultValue == .float(.infinity) && warnings.isEmpty)
    }
}
