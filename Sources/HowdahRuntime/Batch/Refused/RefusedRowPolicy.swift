/// The treatment of rows that the model or the database refuses in a batch insertion.
///
/// A row is refused if a value is missing, has the wrong type or does not fit its column. The database also
/// refuses it for a CHECK, a uniqueness constraint without a policy, or a foreign key. Names that are not
/// properties are errors of the request, which fails in any case.
public enum RefusedRowPolicy: Hashable, Sendable {
    /// The first refused row makes the insertion fail, and nothing is stored.
    case fail
    /// The result contains the refused rows, and all others are stored.
    ///
    /// If there are more refused rows than the limit, the insertion fails with `SaveError.validation`, and
    /// nothing is stored.
    case collect(upTo: Int)
}
