import HowdahModel
import PQClient

/// The statements of a save's last round trip for counts, sums and copies over relationships.
struct DerivedRecomputation {
    let context: ManagedObjectContext
    let transaction: SaveTransaction

    /// Returns the statements, in the order of the tables that they write. There are none if no derived
    /// attribute is concerned.
    ///
    /// If the context has not read the owners of deleted rows, one round trip queries them.
    func statements(_ settled: SettledChanges, _ changes: ChangeSet, _ keys: NewKeys) throws
        -> [SaveStatement]
    {
        if context.store.layouts.derivedGroups.isEmpty { return [] }
        var found = context.store.layouts.derivedGroups.map {
            DerivedChanges($0, settled, changes, keys, context.layouts)
        }
        let questions = found.enumerated().flatMap { index, changes in
            changes.questions.map { (index: index, step: $0.step, statement: $0.statement) }
        }
        if !questions.isEmpty {
            let results = try transaction.run(questions.map(\.statement))
            for (question, result) in zip(questions, results) {
                found[question.index].answer(question.step, result)
            }
        }
        return found.filter { !$0.isEmpty }.flatMap { changes in
            DerivedStatements(changes.group, changes.keys).all { loaded(changes.group.layout, keys) }
        }
    }

    /// Returns the rows of an entity whose values the context shows.
    private func loaded(_ layout: EntityLayout, _ keys: NewKeys) -> [Int64] {
        let family = Set(layout.family)
        return context.registry.objects(root: layout.root)
            .filter { !$0.isFault && family.contains($0.layout.index) }.map { keys[$0] }.sorted()
    }
}
