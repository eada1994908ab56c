import Foundation
import HowdahModel
import HowdahModelFile
import Testing

struct EntityReadingTests {
    @Test func entitiesAreRead() throws {
        let model = try ModelText.model(
            """
            <entity name="Animal" representedClassName="NSManagedObject" isAbstract="YES" elementID="Creature"
                versionHashModifier="3" syncable="YES">
                <attribute name="name" optional="YES" attributeType="String" syncable="YES"/>
                <userInfo><entry key="howdah.table" value="animals"/><entry key="note" value=""/></userInfo>
            </entity>
            <entity name="Cat" representedClassName=".Cat" parentEntity="Animal" codeGenerationType="class"/>
            <entity name="Dog" representedClassName="Zoo.Dog" parentEntity="Animal" syncable="YES"/>
            <elements><element name="Animal" positionX="0" positionY="0" width="128" height="44"/></elements>
            """)
        let animal = EntityDescription(
            "Animal", abstract: true, properties: [.attribute("name", .string)],
            renamingIdentifier: "Creature", versionHashModifier: "3",
            userInfo: [MappingKey.table: "animals", "note": ""])
        #expect(model["Animal"] == animal)
        #expect(model["Cat"] == EntityDescription("Cat", className: "Cat", superentity: "Animal"))
        #expect(model["Dog"]?.className == "Zoo.Dog")
    }

    @Test func caseInsensitiveStringsAreRead() throws {
        func model(_ type: String, _ value: String) throws -> ManagedObjectModel {
            try ModelText.model(
                """
                <entity name="User">
                    <attribute name="name" optional="YES" attributeType="\(type)">
                        <userInfo><entry key="howdah.caseInsensitive" value="\(value)"/></userInfo>
                    </attribute>
                </entity>
                """)
        }
        let name = PropertyDescription.attribute("name", .string, caseInsensitive: true)
        let written = try ManagedObjectModel(entities: [EntityDescription("User", properties: [name])])
        let read = try model("String", "YES")
        #expect(read["User"]?.properties == [name])
        #expect(read.versionChecksum == written.versionChecksum)
        #expect(try model("String", "true").versionChecksum == written.versionChecksum)
        #expect(try model("String", "NO").versionChecksum != written.versionChecksum)
        #expect { try model("Integer 32", "YES") } throws: { error in
            "\(error)".contains("User.name: Only strings can be compared without regard to case. Remove")
        }
        #expect { try model("String", "yes please") } throws: { error in
            "\(error)".contains("User.name: howdah.caseInsensitive is neither \"YES\" nor \"NO\"")
        }
    }

    @Test func relationshipsAreRead() throws {
        let model = try ModelText.model(
            """
            <entity name="A">
                <relationship name="one" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="B"
                    inverseName="many" inverseEntity="B" indexed="YES" syncable="YES"/>
                <relationship name="must" minCount="1" maxCount="1" deletionRule="Deny" destinationEntity="B"/>
                <relationship name="few" toMany="YES" minCount="2" maxCount="20" deletionRule="No Action"
                    ordered="YES" destinationEntity="B" elementID="some" versionHashModifier="x"/>
                <relationship name="near" optional="YES" transient="YES" maxCount="1" deletionRule="Nullify"
                    destinationEntity="B"/>
            </entity>
            <entity name="B">
                <relationship name="many" toMany="YES" deletionRule="Cascade" destinationEntity="A" inverseName="one"
                    inverseEntity="A"/>
            </entity>
            """)
        #expect(
            model["A"]?.properties == [
                .relationship("one", to: "B", inverse: "many"),
                .relationship("must", to: "B", optional: false, deleteRule: .deny),
                .relationship(
                    "few", to: "B", toMany: true, ordered: true, optional: false, minCount: 2, maxCount: 20,
                    deleteRule: .noAction, renamingIdentifier: "some", versionHashModifier: "x"),
                .relationship("near", to: "B", transient: true),
            ])
        #expect(
            model["B"]?.properties == [
                .relationship(
                    "many", to: "A", inverse: "one", toMany: true, optional: false, deleteRule: .cascade)
            ])
    }

    @Test func compositesAreReadByNameToAnyDepth() throws {
        let model = try ModelText.model(
            """
            <entity name="Shop">
                <attribute name="address" optional="YES" attributeType="Composite" composite="Address"/>
            </entity>
            <composite name="Point">
                <attribute name="x" attributeType="Double" defaultValueString="0.0" usesScalarValueType="YES"/>
            </composite>
            <composite name="Address">
                <attribute name="street" optional="YES" attributeType="String"/>
                <attribute name="point" optional="YES" attributeType="Composite" composite="Point"/>
            </composite>
            """)
        let point = CompositeDescription("Point", [.init("x", .double, optional: false, default: 0)])
        let address = CompositeDescription(
            "Address", [.init("street", .string), .init("point", .composite(point))])
        #expect(model["Shop"]?.properties == [.attribute("address", .composite(address))])
    }

    @Test func uniquenessAndIndexesAreRead() throws {
        let model = try ModelText.model(
            """
            <entity name="A">
                <attribute name="a" attributeType="String" indexed="YES"/>
                <attribute name="b" attributeType="String"/>
                <attribute name="t" transient="YES" indexed="YES"/>
                <relationship name="next" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="A"
                    indexed="YES"/>
                <uniquenessConstraints>
                    <uniquenessConstraint><constraint value="a"/></uniquenessConstraint>
                    <uniquenessConstraint><constraint value="a"/><constraint value="b"/></uniquenessConstraint>
                </uniquenessConstraints>
                <fetchIndex name="byBoth">
                    <fetchIndexElement property="b" type="Binary" order="descending"/>
                    <fetchIndexElement property="next" type="Binary" order="ascending"/>
                </fetchIndex>
                <fetchIndex name="some" partialIndexPredicate="b != nil">
                    <fetchIndexElement property="b" type="Binary" order="ascending"/>
                </fetchIndex>
                <compoundIndexes>
                    <compoundIndex><index value="a"/><index value="b"/></compoundIndex>
                    <compoundIndex><index value="a, next"/></compoundIndex>
                </compoundIndexes>
            </entity>
            """)
        let entity = try #require(model["A"])
        #expect(entity.uniquenessConstraints == [["a"], ["a", "b"]])
        #expect(
            entity.fetchIndexes == [
                FetchIndexDescription(
                    "byBoth", elements: [FetchIndexElement("b", ascending: false), FetchIndexElement("next")]),
                FetchIndexDescription(
                    "some", elements: [FetchIndexElement("b")], partialIndexPredicate: "b != nil"),
                FetchIndexDescription("byA", on: "a"),
                FetchIndexDescription("byAAndB", on: "a", "b"),
                FetchIndexDescription("byAAndNext", on: "a", "next"),
            ])
    }

    @Test func foldedIndexesStandInUserInfo() throws {
        let model = try ModelText.model(
            """
            <entity name="A"><attribute name="a" optional="YES" attributeType="String">
                <userInfo><entry key="howdah.foldedIndex" value="cd"/></userInfo></attribute></entity>
            """)
        #expect(
            try #require(model["A"]).allFetchIndexes == [
                FetchIndexDescription("byAFolded", elements: [.folded("a")])
            ])
        let json = try JSONEncoder().encode(model)
        #expect(try JSONDecoder().decode(ManagedObjectModel.self, from: json) == model)
    }

    @Test func configurationsAndRequestsAreRead() throws {
        let model = try ModelText.model(
            """
            <entity name="A"><attribute name="name" optional="YES" attributeType="String"/>
                <fetchedProperty name="namesakes" optional="YES">
                    <fetchRequest name="fetchedPropertyFetchRequest" entity="A"
                        predicateString="name == $FETCH_SOURCE.name"/>
                </fetchedProperty>
            </entity>
            <configuration name="Cloud"><memberEntity name="A"/></configuration>
            <fetchRequest name="named" entity="A" predicateString="name == $NAME" fetchLimit="10" fetchBatchSize="5"
                resultType="2" includeSubentities="NO" includePropertyValues="YES" includesPendingChanges="NO"
                returnObjectsAsFaults="NO" returnDistinctResults="YES"/>
            """)
        #expect(model.configurations == ["Cloud": ["A"]])
        #expect(
            model["A"]?.fetchedProperties == [
                FetchedPropertyDescription(
                    "namesakes",
                    FetchRequestTemplate(entityName: "A", predicateFormat: "name == $FETCH_SOURCE.name"))
            ])
        var expected = FetchRequestTemplate(entityName: "A", predicateFormat: "name == $NAME")
        (expected.fetchLimit, expected.fetchBatchSize, expected.resultType) = (10, 5, .dictionaries)
        expected.includesSubentities = false
        expected.includesPendingChanges = false
        expected.returnsObjectsAsFaults = false
        expected.returnsDistinctResults = true
        #expect(model.fetchRequestTemplates == ["named": expected])
        let request: FetchRequest<Void> = try model.fetchRequest(
            fromTemplate: "named", substituting: ["NAME": "Ada"])
        #expect(request.predicate == .format("name == %@", "Ada"))
        #expect(request.fetchLimit == 10 && !request.includesSubentities)
        #expect(throws: PredicateTreeError.self) {
            let _: FetchRequest<Void> = try model.fetchRequest(fromTemplate: "named")
        }
        #expect(throws: PredicateTreeError.self) {
            let _: FetchRequest<Void> = try model.fetchRequest(fromTemplate: "other")
        }
    }

    /// What everything above becomes is kept by canonical JSON.
    @Test func theModelIsTheSameWrittenAndReadBack() throws {
        let model = try ModelText.model(
            """
            <entity name="A">
                <attribute name="a" attributeType="Date" derived="YES" derivationExpression="now()" optional="YES"/>
                <relationship name="next" toMany="YES" minCount="1" deletionRule="Deny" destinationEntity="A"
                    transient="YES"/>
                <fetchIndex name="i"><fetchIndexElement property="a" type="Binary" order="descending"/></fetchIndex>
                <fetchedProperty name="all"><fetchRequest entity="A" resultType="1"/></fetchedProperty>
            </entity>
            <configuration name="C"><memberEntity name="A"/></configuration>
            <fetchRequest name="r" entity="A" fetchLimit="1"/>
            """)
        let copy = try ManagedObjectModel(canonicalJSON: model.canonicalJSON)
        #expect(copy == model && copy.canonicalJSON == model.canonicalJSON)
        #expect(copy.versionChecksum == model.versionChecksum)
    }

    @Test func theSameModelInCodeHasTheSameChecksum() throws {
        let file = try ModelText.model(
            """
            <entity name="Pet" representedClassName="Pet">
                <attribute name="name" attributeType="String" defaultValueString="" />
                <relationship name="owner" minCount="1" maxCount="1" deletionRule="Nullify"
                    destinationEntity="Person" inverseName="pets" inverseEntity="Person"/>
            </entity>
            <entity name="Person">
                <relationship name="pets" toMany="YES" deletionRule="Cascade" destinationEntity="Pet"
                    inverseName="owner" inverseEntity="Pet"/>
            </entity>
            """)
        let code = try ManagedObjectModel(entities: [
            EntityDescription(
                "Person",
                properties: [
                    .relationship("pets", to: "Pet", inverse: "owner", toMany: true, deleteRule: .cascade)
                ]),
            EntityDescription(
                "Pet",
                properties: [
                    .attribute("name", .string, optional: false, default: ""),
                    .relationship("owner", to: "Person", inverse: "pets", optional: false),
                ]),
        ])
        #expect(file.versionChecksum == code.versionChecksum)
    }
}
