import Foundation
import HowdahMigration
import HowdahModel
import HowdahSchema
import ModelCorpus
import Testing

/// Advice on renames that programs really made: their renaming identifiers are the oracle, and are taken away.
@Suite(.enabled(if: Corpus.folder != nil, "\(Corpus.absence)"))
struct RealRenameTests {
    /// The kind of identifier that is taken away; the others stay, so that a property's entity is found.
    enum Kind: String, CaseIterable {
        case entities, properties
    }

    /// The least number of pieces of advice that a share says something about.
    private static let sample = 40

    @Test(arguments: Kind.allCases)
    func adviceAgreesWithRenamingIdentifiers(_ kind: Kind) throws {
        var tally = RenameAdviceTests.Tally()
        // Most versions rename nothing, and reading them takes the time.
        for pair in CorpusMigrationTests.allPairs where Self.mayRename(pair) {
            let (old, new) = (try pair.model(pair.old), try pair.model(pair.new))
            try Self.count(kind, old, new, pair.testDescription, into: &tally)
        }
        let advised = tally.right + tally.wrong.count
        print(
            "rename advice, renaming identifiers of \(kind): \(tally.right) right, \(tally.wrong.count) wrong, "
                + "\(tally.missed) missed; precision \(Int(tally.precision * 1000)) ‰, "
                + "recall \(Int(tally.recall * 1000)) ‰")
        #expect(tally.right + tally.missed > 0, "no renaming identifier was found")
        if advised >= Self.sample { #expect(tally.precision >= 0.95, "\(tally.wrong)") }
        for wrong in tally.wrong { print("  wrong:", wrong) }
    }

    /// Indicates whether the file of the newer version has a renaming identifier, or cannot say.
    private static func mayRename(_ pair: CorpusMigrationTests.Pair) -> Bool {
        let folder = Corpus.folder?.deletingLastPathComponent().appending(path: pair.bundle)
        guard let file = folder?.appending(path: "\(pair.new)/contents"),
            let data = try? Data(contentsOf: file)
        else { return true }
        return data.range(of: Data("elementID".utf8)) != nil
    }

    private static func count(
        _ kind: Kind, _ old: ManagedObjectModel, _ new: ManagedObjectModel, _ step: String,
        into tally: inout RenameAdviceTests.Tally
    ) throws {
        let pairing = ModelPairing(from: old, to: new)
        var entities = new.entities
        /// The old name for each new place.
        var truth: [String: String] = [:]
        for place in entities.indices {
            let entity = entities[place]
            switch kind {
            case .entities:
                guard entity.renamingIdentifier != nil, let source = pairing.source(ofEntity: entity.name),
                    source != entity.name
                else { continue }
                entities[place].renamingIdentifier = nil
                truth[entity.name] = source
            case .properties:
                for index in entity.properties.indices {
                    let property = entity.properties[index]
                    guard property.renamingIdentifier != nil,
                        let source = pairing.source(of: property.name, in: entity.name),
                        source.name != property.name
                    else { continue }
                    entities[place].properties[index] = property.withoutRenamingIdentifier
                    truth["\(entity.name).\(property.name)"] = source.name
                }
            }
        }
        guard !truth.isEmpty else { return }
        let stripped = try ManagedObjectModel(entities: entities, configurations: new.configurations)
        // Advice that was there before is about other pairs, of which nobody knows whether they are renames.
        let before = advice(kind, old, new)
        let found = advice(kind, old, stripped).filter { before[$0.key] != $0.value }
        for (place, name) in found where truth[place] != name {
            tally.wrong.append("\(step): \(name) → \(place), which was \(truth[place] ?? "new")")
        }
        let right = truth.filter { found[$0.key] == $0.value }.count
        tally.right += right
        tally.missed += truth.count - right
    }

    /// The old name that is advised for each new place.
    private static func advice(
        _ kind: Kind, _ old: ManagedObjectModel, _ new: ManagedObjectModel
    ) -> [String: String] {
        var advice: [String: String] = [:]
        for refusal in ModelDifference(from: old, to: new).refusals
        where refusal.message.contains("was removed and the similar") {
            switch (kind, refusal.property) {
            case (.entities, nil): advice[refusal.entity] = refusal.confirmation
            case (.properties, let property?):
                let name = refusal.confirmation.split(separator: ".").last
                advice["\(refusal.entity).\(property)"] = name.map(String.init)
            default: continue
            }
        }
        return advice
    }
}

extension PropertyDescription {
    /// The same property, as if it had always had its name.
    fileprivate var withoutRenamingIdentifier: PropertyDescription {
        if var attribute {
            attribute.renamingIdentifier = nil
            return .attribute(attribute)
        }
        if var relationship {
            relationship.renamingIdentifier = nil
            return .relationship(relationship)
        }
        return self
    }
}
