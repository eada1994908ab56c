import Foundation
import Howdah

/// A model with all that declarations and model files can both say.
enum Magazines {
    static func declared() throws -> ManagedObjectModel {
        try ManagedObjectModel(Magazine.self, SpecialIssue.self, Article.self)
    }

    /// The same as values.
    static func built() throws -> ManagedObjectModel {
        let place = CompositeDescription(
            "Elsewhere",
            [.init("shelf", .integer16, optional: false), .init("room", .string, maximumLength: 20)])
        return try ManagedObjectModel(entities: [
            EntityDescription(
                "Article",
                properties: [
                    .attribute("headline", .string, optional: false, default: ""),
                    .relationship("magazine", to: "Magazine", inverse: "articles", optional: false),
                ]),
            EntityDescription(
                "SpecialIssue", superentity: "Magazine", properties: [.attribute("occasion", .string)]),
            EntityDescription(
                "Magazine",
                properties: [
                    .attribute(
                        "title", .string, optional: false, default: "Untitled", minimumLength: 1,
                        maximumLength: 80,
                        regex: "[A-Z].*"),
                    .attribute("number", .integer32, optional: false, default: 1, minimum: 1, maximum: 999),
                    .attribute("printedAt", .date), .attribute("pages", .integer16),
                    .attribute("price", .decimal, optional: false, default: 0),
                    .attribute("weight", .float, optional: false, default: 0.5),
                    .attribute("cover", .binary), .attribute("homepage", .uri), .attribute("code", .uuid),
                    .attribute("size", .integer64, optional: false, derivation: "articles.@count"),
                    .attribute("titleKey", .string, optional: false, derivation: "canonical:(title)"),
                    .attribute("isOpen", .boolean, optional: false, default: false, transient: true),
                    .attribute("place", .composite(place)),
                    .relationship(
                        "articles", to: "Article", inverse: "magazine", toMany: true, ordered: true,
                        deleteRule: .cascade),
                ], uniquenessConstraints: [["title", "number"]],
                fetchIndexes: [
                    .init("byPrintedAt", on: "printedAt"),
                    .init("byPrintedAtAndPages", on: "printedAt", "pages"),
                    .init(
                        "thick", elements: [.init("pages", ascending: false)],
                        partialIndexPredicate: "pages > 10"),
                ], renamingIdentifier: "Journal", versionHashModifier: "2"),
        ])
    }

    /// The same as Xcode writes it.
    static let xml = """
        <entity name="Magazine" representedClassName="Magazine" elementID="Journal" versionHashModifier="2"
            syncable="YES" codeGenerationType="class">
            <attribute name="code" optional="YES" attributeType="UUID" usesScalarValueType="NO"/>
            <attribute name="cover" optional="YES" attributeType="Binary" allowsExternalBinaryDataStorage="YES"/>
            <attribute name="homepage" optional="YES" attributeType="URI"/>
            <attribute name="isOpen" transient="YES" attributeType="Boolean" defaultValueString="NO"/>
            <attribute name="number" attributeType="Integer 32" minValueString="1" maxValueString="999"
                defaultValueString="1" usesScalarValueType="YES"/>
            <attribute name="pages" optional="YES" attributeType="Integer 16"/>
            <attribute name="place" optional="YES" attributeType="Composite" composite="Place"/>
            <attribute name="price" attributeType="Decimal" defaultValueString="0"/>
            <attribute name="printedAt" optional="YES" attributeType="Date" usesScalarValueType="NO"/>
            <attribute name="size" attributeType="Integer 64" derived="YES" derivationExpression="articles.@count"
                usesScalarValueType="YES"/>
            <attribute name="title" attributeType="String" minValueString="1" maxValueString="80"
                defaultValueString="Untitled" regularExpressionString="[A-Z].*"/>
            <attribute name="titleKey" attributeType="String" derived="YES" derivationExpression="canonical:(title)"/>
            <attribute name="weight" attributeType="Float" defaultValueString="0.5" usesScalarValueType="YES"/>
            <relationship name="articles" optional="YES" toMany="YES" deletionRule="Cascade" ordered="YES"
                destinationEntity="Article" inverseName="magazine" inverseEntity="Article"/>
            <fetchIndex name="byPrintedAt">
                <fetchIndexElement property="printedAt" type="Binary" order="ascending"/>
            </fetchIndex>
            <fetchIndex name="byPrintedAtAndPages">
                <fetchIndexElement property="printedAt" type="Binary" order="ascending"/>
                <fetchIndexElement property="pages" type="Binary" order="ascending"/>
            </fetchIndex>
            <fetchIndex name="thick" partialIndexPredicate="pages &gt; 10">
                <fetchIndexElement property="pages" type="Binary" order="descending"/>
            </fetchIndex>
            <uniquenessConstraints>
                <uniquenessConstraint><constraint value="title"/><constraint value="number"/></uniquenessConstraint>
            </uniquenessConstraints>
        </entity>
        <entity name="Article" representedClassName="Article" syncable="YES">
            <attribute name="headline" attributeType="String" defaultValueString=""/>
            <relationship name="magazine" maxCount="1" deletionRule="Nullify" destinationEntity="Magazine"
                inverseName="articles" inverseEntity="Magazine"/>
        </entity>
        <entity name="SpecialIssue" representedClassName="SpecialIssue" parentEntity="Magazine" syncable="YES">
            <attribute name="occasion" optional="YES" attributeType="String"/>
        </entity>
        <composite name="Place">
            <attribute name="room" optional="YES" attributeType="String" maxValueString="20"/>
            <attribute name="shelf" attributeType="Integer 16" usesScalarValueType="YES"/>
        </composite>
        """
}

@Composite struct MagazinePlace {
    var shelf: Int16
    @Attribute(maximumLength: 20) var room: String?
}

@Entity(
    unique: [["title", "number"]],
    indexes: [
        ["printedAt", "pages"],
        FetchIndexDescription(
            "thick", elements: [FetchIndexElement("pages", ascending: false)],
            partialIndexPredicate: "pages > 10"),
    ], renamingIdentifier: "Journal", versionHashModifier: "2")
class Magazine: ManagedObject {
    @Attribute(minimumLength: 1, maximumLength: 80, regex: "[A-Z].*") var title: String = "Untitled"
    @Attribute(minimum: 1, maximum: 999) var number: Int32 = 1
    @Attribute(.indexed) var printedAt: Date?
    var pages: Int16?
    var price: Decimal = 0
    var weight: Float = 0.5
    @Attribute(.externalStorage) var cover: Data?
    var homepage: URL?
    var code: UUID?
    @Attribute(derived: "articles.@count") var size: Int
    @Attribute(derived: "canonical:(title)") var titleKey: String
    @Attribute(.transient) var isOpen: Bool = false
    var place: MagazinePlace?
    @Relationship(deleteRule: .cascade, inverse: "magazine") var articles: OrderedToMany<Article>
}

@Entity final class SpecialIssue: Magazine {
    var occasion: String?
}

@Entity final class Article: ManagedObject {
    var headline: String = ""
    @Relationship(.required, inverse: "articles") var magazine: Magazine?
}
