internal import HowdahSchema
internal import PQClient

extension StageTransaction {
    /// Checks deferred rules of other programs in a rehearsal, before a step or at the end of the stage.
    ///
    /// - Returns: What ended the rehearsal early; nil if nothing did.
    func rehearseConstraints(before number: Int, _ notes: RehearsalNotes) throws -> String? {
        let steps = Array(plan.steps.enumerated()).prefix(number - 1)
        guard
            let last = steps.last(where: {
                $0.element.check == nil && $0.element.pass == nil
            }), last.element.writesRowsLast
        else { return nil }
        var place: String? = place(of: last.element, last.offset + 1)
        try connection.savepoint("howdah_step")
        do {
            try settleConstraints(&place)
            try connection.release(savepoint: "howdah_step")
            return nil
        } catch let error as MigrationError where error.underlying?.code == .server {
            try connection.rollback(toSavepoint: "howdah_step")
            notes.note { $0.violations.append(error.message) }
            return "the server refused step \(last.offset + 1) of \(plan.steps.count)"
        }
    }
}
