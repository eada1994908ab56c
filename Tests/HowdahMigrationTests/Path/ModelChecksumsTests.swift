import HowdahModel
import Testing

@testable import HowdahMigration

/// The checksums by which a plan finds the versions of a bundle.
@Suite struct ModelChecksumsTests {
    private func model(minimum: Int, isOptional: Bool) throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                "Team",
                properties: [
                    .relationship(
                        RelationshipDescription(
                            "members", to: "Person", inverse: "team", toMany: true, optional: isOptional,
                            minCount: minimum))
                ]),
            EntityDescription("Person", properties: [.relationship("team", to: "Team", inverse: "members")]),
        ])
    }

    @Test("A version is known by its checksum, and by the one from before an optional minimum counted")
    func versionsAreKnown() throws {
        let optional = try model(minimum: 1, isOptional: true)
        let required = try model(minimum: 1, isOptional: false)
        let earlier = try #require(optional.earlierChecksum)
        let checksums = ModelChecksums(optional)
        for checksum in [optional.versionChecksum, earlier, required.versionChecksum, "other"] {
            #expect(checksums.has(checksum) == optional.hasChecksum(checksum))
        }
        #expect(checksums.isVersion(checksums))
        #expect(earlier != optional.versionChecksum)
        let same =
            optional.hasChecksum(required.versionChecksum) || required.hasChecksum(optional.versionChecksum)
        #expect(checksums.isVersion(ModelChecksums(required)) == same)
        #expect(ModelChecksums(required).isVersion(checksums) == same)
    }
}
