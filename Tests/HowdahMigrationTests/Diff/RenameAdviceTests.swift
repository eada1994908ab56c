import Foundation
import HowdahMigration
import HowdahModel
import ModelCorpus
import SeededRandom
import TestSupport
import Testing

/// How often a rename is advised that was one, and how often one is found.
@Suite struct RenameAdviceTests {
    struct Tally {
        var right = 0
        var wrong: [String] = []
        var missed = 0

        var precision: Double { Double(right) / Double(max(1, right + wrong.count)) }
        var recall: Double { Double(right) / Double(max(1, right + missed)) }
    }

    /// A way in which people rename.
    private enum Manner: CaseIterable {
        case prefix, suffix, dropWord, slip, plural, snake, abbreviation, unrelated
    }

    private static let words = [
        "remote", "local", "full", "cached", "primary", "old", "server", "display", "raw", "original",
    ]

    private static func renamed(_ name: String, _ manner: Manner, _ random: inout SeededGenerator) -> String {
        let parts = name.replacing(/([a-z0-9])([A-Z])/) { "\($0.output.1) \($0.output.2)" }.split(
            separator: " ")
        let word = random.pick(words)
        switch manner {
        case .prefix: return word + name.prefix(1).uppercased() + name.dropFirst()
        case .suffix: return name + word.capitalized
        case .dropWord: return parts.count > 1 ? parts.dropLast().joined() : name + "Value"
        case .slip:
            guard name.count > 4 else { return name + "s" }
            var letters = Array(name)
            letters.swapAt(2, 3)
            return letters[2] == letters[3] ? name + "e" : String(letters)
        case .plural: return name.hasSuffix("s") ? String(name.dropLast()) : name + "s"
        case .snake: return parts.joined(separator: "_").lowercased() + (parts.count > 1 ? "" : "_")
        case .abbreviation: return String(name.prefix(max(4, name.count - 3)))
        case .unrelated: return random.pick(["zebra", "quux", "walrus", "pylon"]) + word.capitalized
        }
    }

    /// Renames some properties of the later model, and counts what is advised.
    private static func count(
        _ old: ManagedObjectModel, _ new: ManagedObjectModel, _ random: inout SeededGenerator,
        into tally: inout Tally
    ) {
        var entities = new.entities
        var truth: [String: String] = [:]
        for place in entities.indices where random.chance(40) {
            let entity = entities[place]
            let kept = entity.properties.indices.filter { index in
                guard let attribute = entity.properties[index].attribute else { return false }
                let before = old[entity.name]?.properties.first { $0.name == attribute.name }?.attribute
                return before?.type == attribute.type && attribute.isStored
                    && attribute.derivationExpression == nil && attribute.renamingIdentifier == nil
            }
            for index in kept.shuffled(using: &random).prefix(random.chance(30) ? 2 : 1) {
                guard var attribute = entity.properties[index].attribute else { continue }
                let before = attribute.name
                attribute.name = renamed(before, random.pick(Manner.allCases), &random)
                guard attribute.name != before,
                    new.property(named: attribute.name, of: entity.name) == nil,
                    old.property(named: attribute.name, of: entity.name) == nil,
                    new.descendants(of: entity.name).count == 1,
                    !truth.keys.contains("\(entity.name).\(attribute.name)")
                else { continue }
                truth["\(entity.name).\(attribute.name)"] = "\(entity.name).\(before)"
                entities[place].properties[index] = .attribute(attribute)
            }
            entities[place].uniquenessConstraints = []
            entities[place].fetchIndexes = []
        }
        guard let model = try? ManagedObjectModel(entities: entities) else { return }
        let difference = ModelDifference(from: old, to: model)
        var found: Set<String> = []
        for refusal in difference.refusals where refusal.message.contains("was removed and the similar") {
            guard let property = refusal.property else { continue }
            let place = "\(refusal.entity).\(property)"
            if truth[place] == refusal.confirmation {
                found.insert(place)
            } else {
                tally.wrong.append("\(refusal.confirmation) → \(place), which was \(truth[place] ?? "new")")
            }
        }
        tally.right += found.count
        tally.missed += truth.count - found.count
    }

    @Test(.enabled(if: Corpus.folder != nil, "\(Corpus.absence)"))
    func adviceIsRightInSharedHistories() throws {
        var random = SeededGenerator(seed: 22)
        var tally = Tally()
        // A step begins with what the one before ended with.
        var last: (place: String, model: ManagedObjectModel)?
        for pair in CorpusMigrationTests.allPairs {
            let place = "\(pair.bundle)/\(pair.old)"
            let old = if let last, last.place == place { last.model } else { try pair.model(pair.old) }
            let new = try pair.model(pair.new)
            last = ("\(pair.bundle)/\(pair.new)", new)
            count(old, new, &random, into: &tally)
        }
        report(tally, "shared histories")
        #expect(tally.right > 100 && tally.precision >= 0.95, "\(tally.wrong)")
    }

    @Test func adviceIsRightInRandomModels() throws {
        var random = SeededGenerator(seed: 23)
        var tally = Tally()
        for seed in UInt64(1)...TestTier.choose(quick: 150, all: 300, nightly: 300) {
            var drawn = XcodeModel(seed: seed)
            let old = try drawn.model()
            drawn.grow()
            count(old, try drawn.model(), &random, into: &tally)
        }
        report(tally, "random models")
        #expect(tally.right > 50 && tally.precision >= 0.95, "\(tally.wrong)")
    }

    private func count(
        _ old: ManagedObjectModel, _ new: ManagedObjectModel, _ random: inout SeededGenerator,
        into tally: inout Tally
    ) { Self.count(old, new, &random, into: &tally) }

    private func report(_ tally: Tally, _ what: String) {
        let (precision, recall) = (Int(tally.precision * 1000), Int(tally.recall * 1000))
        print(
            "rename advice, \(what): \(tally.right) right, \(tally.wrong.count) wrong, \(tally.missed) missed; "
                + "precision \(precision) ‰, recall \(recall) ‰")
    }
}
