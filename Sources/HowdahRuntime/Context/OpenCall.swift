/// A call that runs code of the program before all that it stores is complete.
///
/// If that code saved the context, it would store a part, or commit the call's transaction. Or a rollback of
/// the call would undo a save that returned.
enum OpenCall {
    /// A batch request, with the generator of its rows.
    case batch
    /// The storage of a long value, with the sequence of its parts.
    case data
    /// An insertion by findOrInsert, with its closure and willSave().
    case insertion

    /// Returns the error for another call that the program's code makes meanwhile.
    func refusal(of name: String) -> FetchError {
        let (place, advice) =
            switch self {
            case .batch:
                ("while the context was running a batch request", "Call it after the batch has returned")
            case .data:
                (
                    "by the sequence of writeData while the context was storing the value",
                    "Call it after writeData has returned"
                )
            case .insertion:
                (
                    "by setUp or willSave() while findOrInsert was making the object",
                    "Call it after findOrInsert has returned"
                )
            }
        return FetchError(
            .invalidRequest,
            "\(name) was called \(place). It changed nothing. \(advice), or use another context.")
    }
}

extension ManagedObjectContext {
    /// - Throws: `FetchError.invalidRequest` if the context is running a batch or storing a long value.
    func checkNoOpenWriting(_ name: String) throws {
        if let call = changes.openCall, call != .insertion { throw call.refusal(of: name) }
    }
}
