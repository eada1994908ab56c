import Foundation
import Howdah
import HowdahModel
import HowdahTesting
import TestSupport
import Testing

/// The result of each merge policy for values of every type, changed here, in the store, in both or in neither.
@Suite(.timeLimit(.minutes(60))) struct MergedValuesTests {
    private static let types = MergePolicyTests.types + [.error]
    private static let rounds = TestTier.choose(quick: 6, all: 60, nightly: 1_000)

    /// One row as it was read, with the values that it is given here and in the store.
    private struct Rows: Sendable {
        let base, mine, theirs: ObjectID<ManagedObject>
    }

    private static func name(_ place: Int) -> String { place < names.count ? names[place] : "owner" }
    private static let names = Sample.attributeNames

    @Test(arguments: types, [true, false])
    func valuesOfEveryType(type: MergePolicy.MergeType, isTyped: Bool) async throws {
        try await withStore(ManagedObjectModel(Sample.self)) { typed, sql in
            let model = try isTyped ? ManagedObjectModel(Sample.self) : Sample.dynamicModel()
            let contested = try await PersistentContainer.open(sql.url, model: model)
            try await contested.closing { contested in
                try await Self.contest(type, typed, contested, sql)
            }
        }
    }

    private static func contest(
        _ type: MergePolicy.MergeType, _ typed: PersistentContainer, _ contested: PersistentContainer,
        _ sql: PlainSQL
    ) async throws {
        let seed = SeededGenerator.chosenSeed(orElse: 20)
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<rounds {
            let rows = try await insertRows(seed: generator.next(), typed)
            let places = Array(0...names.count)
            let here = Set(places.filter { _ in generator.chance(40) })
            let there = Set(places.filter { _ in generator.chance(40) })
            try await check(type, rows, here, there, typed, contested, sql, "HOWDAH_SEED=\(seed)")
        }
    }

    private static func insertRows(seed: UInt64, _ container: PersistentContainer) async throws -> Rows {
        try await container.perform { context -> Rows in
            var random = RandomValues(seed: seed)
            var samples: [Sample] = []
            for _ in 0..<3 {
                let sample = Sample(context: context)
                sample.fill(&random)
                samples.append(sample)
            }
            for sample in samples { sample.owner = random.generator.chance(70) ? sample : nil }
            try context.save()
            let ids = (samples as [ManagedObject]).map(\.objectID)
            return Rows(base: ids[0], mine: ids[1], theirs: ids[2])
        }
    }

    /// The value of a property of a row, in a form that tells all values apart.
    private static func pictures(
        _ id: ObjectID<ManagedObject>, in container: PersistentContainer
    ) async throws -> [String] {
        try await container.perform { context in
            let sample = try #require(try context.existingObject(with: id) as? Sample)
            return sample.picture + [sample.owner.map { "\($0.objectID.key)" } ?? "none"]
        }
    }

    private static func check(
        _ type: MergePolicy.MergeType, _ rows: Rows, _ here: Set<Int>, _ there: Set<Int>,
        _ typed: PersistentContainer, _ contested: PersistentContainer, _ sql: PlainSQL, _ comment: Comment
    ) async throws {
        let base = try await pictures(rows.base, in: typed)
        let mine = try await pictures(rows.mine, in: typed)
        let theirs = try await pictures(rows.theirs, in: typed)
        let isMine = Set(here.filter { mine[$0] != base[$0] })
        let isTheirs = Set(there.filter { theirs[$0] != base[$0] })
        let expected = base.indices.map { place in
            switch type {
            case .mergeByPropertyStoreTrump:
                isTheirs.contains(place) ? theirs[place] : isMine.contains(place) ? mine[place] : base[place]
            case .mergeByPropertyObjectTrump:
                isMine.contains(place) ? mine[place] : isTheirs.contains(place) ? theirs[place] : base[place]
            case .overwrite: isMine.contains(place) ? mine[place] : base[place]
            case .rollback, .error: isTheirs.contains(place) ? theirs[place] : base[place]
            }
        }
        let update = try statement(rows, there)
        let (conflict, texts) = try await contested.perform {
            context -> (SaveConflict?, [String: [String]]) in
            context.mergePolicy = MergePolicy(merge: type)
            let object = try context.existingObject(with: rows.base)
            let donor = try context.existingObject(with: rows.mine)
            let other = try context.existingObject(with: rows.theirs)
            let texts = names.reduce(into: [String: [String]]()) { texts, name in
                texts[name] = [object, donor, other].map { text($0[name]) }
            }
            for place in here.sorted() { object[name(place)] = donor[name(place)] }
            _ = try sql.rows(update)
            do {
                try context.save()
                return (nil, texts)
            } catch let error as SaveError where error.code == .conflict {
                context.rollback()
                return (error.conflicts[0], texts)
            }
        }
        #expect((conflict == nil) == (type != .error || isMine.isEmpty), comment)
        if let conflict {
            #expect(conflict.properties == isTheirs.sorted().map(name), comment)
            #expect(conflict.changedProperties == isMine.sorted().map(name), comment)
            #expect(Set(conflict.values.keys) == Set(isTheirs.union(isMine).map(name)), comment)
            for (place, name) in names.enumerated() {
                guard let values = conflict.values[name], let known = texts[name] else { continue }
                #expect(
                    [values.base, values.local, values.stored].map(text)
                        == [
                            known[0], known[isMine.contains(place) ? 1 : 0],
                            known[isTheirs.contains(place) ? 2 : 0],
                        ],
                    "\(name), \(comment)")
            }
            if let values = conflict.values["owner"] {
                let place = names.count
                let texts = [values.base, values.local, values.stored].map {
                    ($0 as? ObjectID<ManagedObject>).map { "\($0.key)" } ?? "none"
                }
                let wanted = [
                    base[place], isMine.contains(place) ? mine[place] : base[place],
                    isTheirs.contains(place) ? theirs[place] : base[place],
                ]
                #expect(texts == wanted, comment)
            }
        }
        let found = try await pictures(rows.base, in: typed)
        for place in found.indices {
            // Nothing to be saved is no save.
            let wanted = isMine.isEmpty && isTheirs.contains(place) ? theirs[place] : expected[place]
            #expect(
                found[place] == wanted,
                "\(name(place)), here \(isMine.contains(place)), there \(isTheirs.contains(place)), \(comment)"
            )
        }
    }

    /// A value as text, dictionaries in the order of their keys.
    private static func text(_ value: Any?) -> String {
        guard let value else { return "nil" }
        guard let dictionary = value as? [String: Any] else { return String(reflecting: value) }
        return dictionary.sorted { $0.key < $1.key }.map { "\($0.key): \(text($0.value))" }.joined(
            separator: ", ")
    }

    /// Copies values from one row to another, as a program without Howdah does.
    private static func statement(_ rows: Rows, _ places: Set<Int>) throws -> String {
        let entity = try #require(
            try StoreSchema(ManagedObjectModel(Sample.self)).entities["Sample"], "no schema")
        var columns = ["_version"]
        for place in places {
            switch entity.property(named: name(place))?.mapping {
            case .attribute(let mapping): columns += mapping.columns.map(\.name)
            case .toOne(let mapping): columns.append(mapping.column)
            default: throw CocoaError(.featureUnsupported)
            }
        }
        let assignments = columns.map {
            $0 == "_version" ? "_version = r._version + 1" : "\"\($0)\" = d.\"\($0)\""
        }
        return "UPDATE sample AS r SET \(assignments.joined(separator: ", ")) FROM sample AS d "
            + "WHERE r._id = \(rows.base.key) AND d._id = \(rows.theirs.key)"
    }
}
