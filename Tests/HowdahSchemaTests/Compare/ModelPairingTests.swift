import HowdahModel
import HowdahSchema
import Testing

/// Which property continues which one, if names and renaming identifiers could say two things.
@Suite struct ModelPairingTests {
    private static func model(
        _ parent: [(String, String?)], _ child: [(String, String?)] = []
    ) throws -> ManagedObjectModel {
        func properties(_ names: [(String, String?)]) -> [PropertyDescription] {
            names.map { .attribute($0.0, .string, renamingIdentifier: $0.1) }
        }
        return try ManagedObjectModel(entities: [
            EntityDescription("P", properties: properties(parent)),
            EntityDescription("S", superentity: "P", properties: properties(child)),
        ])
    }

    private static func sources(
        _ pairing: ModelPairing, of entity: String, _ names: String...
    ) -> [String?] {
        names.map { pairing.source(of: $0, in: entity)?.name }
    }

    /// As if the rename had been a version of its own.
    @Test func aRenameWinsOverANewPropertyOfTheFormerName() throws {
        let old = try Self.model([("x", nil)])
        let taken = ModelPairing(from: old, to: try Self.model([("x", nil), ("z", "x")]))
        #expect(Self.sources(taken, of: "P", "x", "z") == [nil, "x"])
        #expect(Self.sources(taken, of: "S", "x", "z") == [nil, "x"])
        let below = ModelPairing(from: old, to: try Self.model([("z", "x")], [("x", nil)]))
        #expect(Self.sources(below, of: "S", "x", "z") == [nil, "x"])
    }

    /// What the superentity has as before stays in its subentities, too.
    @Test func aPropertyOfASubentityTakesNothingFromItsSuperentity() throws {
        let pairing = ModelPairing(
            from: try Self.model([("x", nil)]), to: try Self.model([("x", nil)], [("z", "x")]))
        #expect(Self.sources(pairing, of: "P", "x") == ["x"])
        #expect(Self.sources(pairing, of: "S", "x", "z") == ["x", nil])
    }

    /// An identifier that stays in the model long after the rename says nothing new.
    @Test func identifiersThatWereThereAreRemainders() throws {
        let pairing = ModelPairing(
            from: try Self.model([("x", nil), ("z", nil)]), to: try Self.model([("x", nil), ("z", "x")]))
        #expect(Self.sources(pairing, of: "P", "x", "z") == ["x", "z"])
    }
}
