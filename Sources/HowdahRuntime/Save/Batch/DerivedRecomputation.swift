import HowdahModel
import PQClient

/// What a save has to do for counts, sums and copies over relationships: statements for its last round trip.
struct DerivedRecomputation {
    let context: ManagedObjectContext
    let transaction: SaveTransaction

    /// The statements, in the order of the tables they write; none where nothing derived is concerned.
    ///
    /// Asks the store in one round trip what deleted rows belonged to, where the context has not read that.
    func statements(_ settled: SettledChanges, _ changes: ChangeSet, _ keys: NewKeys) throws
        -> [SaveStatement]
    {
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

    /// The rows of an entity whose values the context shows.
    private func loaded(_ layout: EntityLayout, _ keys: NewKeys) -> [Int64] {
        let family = Set(layout.family)
        return context.registry.objects(root: layout.root)
            .filter { !$0.isFault && family.contains($0.layout.index) }.map { keys[$0] }.sorted()
    }
}
