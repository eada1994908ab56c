import HowdahMigration
import HowdahModel
import TestSupport
import Testing

/// Links and values that go on under another name only in part, or not at all.
@Suite struct LinkLossTests {
    private static func losses(
        _ old: [EntityDescription], _ new: [EntityDescription]
    ) throws -> [String] {
        ModelLoss.all(
            from: try ManagedObjectModel(entities: old), to: try ManagedObjectModel(entities: new)
        ).map(\.place)
    }

    private static func pair(
        _ name: String, _ inverse: String, toMany: Bool = true
    ) -> [EntityDescription] {
        [
            entity("O", [.relationship(inverse, to: "Q", inverse: name, toMany: toMany)]),
            entity("Q", [.relationship(name, to: "O", inverse: inverse)]),
        ]
    }

    /// A to-one with another name, whose inverse stays as it is, begins without links.
    @Test func aRenamedToOneLosesItsLinks() throws {
        #expect(try Self.losses(Self.pair("a", "x"), Self.pair("b", "x")) == ["Q.a"])
        // Of a one-to-one, one side has the key.
        let old = Self.pair("a", "x", toMany: false)
        let sides = try [
            Self.losses(old, Self.pair("b", "x", toMany: false)),
            Self.losses(old, Self.pair("a", "y", toMany: false)),
        ]
        #expect(sides.filter(\.isEmpty).count == 1 && sides.flatMap(\.self).count == 1, "\(sides)")
    }

    @Test func aToOneThatMovesDownLosesThoseOfTheOthers() throws {
        let old = [
            entity("Base", [.relationship("owner", to: "Owner", inverse: "things")]),
            entity("Sub", [], super: "Base"), entity("Other", [], super: "Base"),
            entity("Owner", [.relationship("things", to: "Base", inverse: "owner", toMany: true)]),
        ]
        let new = [
            entity("Base"),
            entity("Sub", [.relationship("owner", to: "Owner", inverse: "things")], super: "Base"),
            entity("Other", [], super: "Base"),
            entity("Owner", [.relationship("things", to: "Sub", inverse: "owner", toMany: true)]),
        ]
        #expect(try Self.losses(old, new) == ["Base.owner"])
    }

    /// A table of links is filled from either end.
    @Test func linksThatGoOnFromTheOtherEndAreKept() throws {
        let new = [
            entity("O", [.relationship("x", to: "Q", inverse: "b", toMany: true)]),
            entity("Q", [.relationship("b", to: "O", inverse: "x", toMany: true)]),
        ]
        #expect(try Self.losses(Self.pair("a", "x"), new) == [])
    }

    @Test func whatIsComputedDoesNotKeepWhatWasThere() throws {
        let name = PropertyDescription.attribute("name", .string)
        let old = [entity("P", [name, .attribute("low", .string)])]
        let new = [entity("P", [name, .attribute("low", .string, derivation: "lowercase:(name)")])]
        #expect(try Self.losses(old, new) == ["P.low"])
        #expect(try Self.losses(new, [entity("P", [name])]) == [])
    }
}
