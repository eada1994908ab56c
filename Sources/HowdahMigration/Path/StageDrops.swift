/// What one stage drops, against what was confirmed and what the store holds: which names inference may take as confirmed,
/// and which are missing.
struct StageDrops {
    /// The names that need no word: those given, and those without values.
    let confirmed: Set<String>
    /// What stands in the way: of inference, or because the store holds values.
    let refusals: [MigrationRefusal]
    /// What the store was asked for and does not hold.
    let empty: [ModelLoss]

    /// - Parameters:
    ///   - losses: what the stage drops.
    ///   - added: what a migration of the store has added, and goes only by name, also if it is empty.
    ///   - check: asks the store; nil if there is none, and inference alone is judged.
    /// - Throws: `MigrationError` if the store cannot be asked.
    init(
        _ losses: [ModelLoss], inferred difference: ModelDifference?, confirmed: Set<String>,
        _ check: DropCheck?, added: Set<String> = []
    ) throws(MigrationError) {
        var (held, empty): ([(loss: ModelLoss, reason: String?)], [ModelLoss]) = ([], [])
        var unanswered: Set<String> = []
        if let check {
            for loss in losses where !loss.isConfirmed(by: confirmed) {
                switch try check.ask(loss) {
                case .held: held.append((loss, nil))
                case .unknown(let reason): held.append((loss, reason))
                case .unanswered(let reason):
                    held.append((loss, reason))
                    unanswered.insert(loss.place)
                case .empty where added.contains(loss.place):
                    held.append(
                        (
                            loss,
                            "An earlier migration of this store added \(loss.place), so the model may be from an older branch. In that case, use the newer model."
                        ))
                case .empty: empty.append(loss)
                }
            }
        }
        var standing = difference?.refusals ?? []
        var free: Set<String> = []
        if check != nil {
            // What was asked for, and is not there, needs no continuation.
            free = Set(standing.map(\.confirmation)).filter { name in
                empty.contains { $0.overlaps(name) } && !held.contains { $0.loss.overlaps(name) }
            }
            standing.removeAll { free.contains($0.confirmation) }
        }
        let told = standing.map(\.confirmation)
        self.confirmed = confirmed.union(free)
        self.empty = empty
        refusals =
            standing
            + held.filter { loss, _ in !told.contains { loss.overlaps($0) } }.map {
                $0.loss.refusal(because: $0.reason, isUnanswered: unanswered.contains($0.loss.place))
            }
    }
}
