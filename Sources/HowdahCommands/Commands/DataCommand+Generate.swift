import ArgumentParser
import Foundation
import HowdahModel
import HowdahModelFile
import HowdahRuntime
import HowdahSampleData
import HowdahSchema

extension DataCommand {
    struct Generate: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Fills a store of any model with a reproducible random object graph.",
            discussion: """
                The store is created if the schema is empty. The same model, seed and count give the same objects on \
                every machine. Existing objects stay. The new objects are saved in several transactions.
                """)

        @OptionGroup var store: StorePlace
        @OptionGroup var consent: MigrationConsent

        @Option(help: "The seed of the generated objects.")
        var seed: UInt64 = 0

        @Option(help: "The number of objects of each entity.")
        var count = 10

        func validate() throws {
            if !(0...1_000_000).contains(count) {
                throw ValidationError("--count is out of range. Use a number from 0 to 1000000.")
            }
        }

        func run() async throws {
            try consent.check(store.address, "Fill")
            let contents = try store.model.contents()
            let (database, schema) = (try store.address.url, store.address.schema)
            let model = contents.model
            let start = ContinuousClock.now
            let data = SampleData(model: model, seed: seed, countPerEntity: count)
            try checkSchema(schema, in: database)
            let inserted = try await CommandError.explained {
                let container = try await PersistentContainer.open(
                    database, model: model, options: store.options)
                store.address.announce()
                do {
                    let inserted = try await data.insert(into: container)
                    await container.close()
                    return inserted
                } catch let error as SaveError where error.code == .uniqueness {
                    await container.close()
                    throw CommandError(
                        "The store already has objects with the unique values of seed \(seed), perhaps from an earlier run. "
                            + "(\(error)) Objects of earlier saves of this run stay. Use another --seed.")
                } catch {
                    await container.close()
                    throw error
                }
            }
            contents.tellWarnings()
            try report(data, inserted.saves, ContinuousClock.now - start)
        }

        /// A store is made where the schema is empty, and not beside the tables of another program.
        private func checkSchema(_ schema: String, in database: String) throws {
            // What keeps the database from answering is told by the opening, which comes next.
            guard let others = try? DatabaseSchema(database, named: schema).tablesWithoutStore,
                let first = others.first
            else { return }
            let list =
                others.count > 3 ? "\(first) and \(others.count - 1) more" : others.joined(separator: ", ")
            throw CommandError(
                "The schema '\(schema)' has tables of another program (\(list)) and no store. Set --schema to the schema "
                    + "of a store, or to a new one.")
        }

        private func report(_ data: SampleData, _ saves: Int, _ duration: Duration) throws {
            let counts = data.counts
            let width = counts.map { "\($0.count)".count }.max() ?? 0
            for (name, count) in counts {
                let number = "\(count)"
                try Output.write(
                    String(repeating: " ", count: width - number.count) + "\(number)  \(name.printable)")
            }
            for gap in data.gaps { try Output.write("\(gap)".printable) }
            let seconds = duration.formatted(.units(allowed: [.seconds], fractionalPart: .show(length: 1)))
            try Output.write(
                data.objects.count.counted("object", "objects") + " in " + saves.counted("save", "saves")
                    + ", \(seconds)")
        }
    }
}
