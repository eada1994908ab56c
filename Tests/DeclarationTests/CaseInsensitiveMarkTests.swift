import Howdah
import Testing

@Composite struct FullName {
    @Attribute(.caseInsensitive) var first: String?
    var last: String?
}

@Entity final class Account: ManagedObject {
    @Attribute(.unique, .indexed, .caseInsensitive, maximumLength: 40) var name: String
    @Attribute(.caseInsensitive) var note: String?
    var fullName: FullName?
}

/// The mark in a declaration is the `userInfo` that a model file has.
@Suite struct CaseInsensitiveMarkTests {
    @Test func theMarkIsThatOfAModelFile() throws {
        let entity = try #require(Account.entity)
        let name = try #require(entity.properties.first?.attribute)
        #expect(name.isCaseInsensitive && name.userInfo == [MappingKey.caseInsensitive: "YES"])
        #expect(entity.properties[1].attribute?.isCaseInsensitive == true)
        let elements = FullName.compositeDescription.elements
        #expect(elements.map(\.isCaseInsensitive) == [true, false])
        let written = EntityDescription(
            "Account",
            properties: [
                .attribute(
                    "name", .string, optional: false, maximumLength: 40,
                    userInfo: ["howdah.caseInsensitive": "YES"]),
                .attribute("note", .string, caseInsensitive: true),
                .attribute("fullName", .composite(FullName.compositeDescription)),
            ], uniquenessConstraints: [["name"]], fetchIndexes: [["name"]])
        let declared = try ManagedObjectModel(Account.self)
        #expect(try declared.versionChecksum == ManagedObjectModel(entities: [written]).versionChecksum)
    }
}
