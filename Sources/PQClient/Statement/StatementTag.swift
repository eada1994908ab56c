/// A comment before statements that a pooler shares between its clients.
///
/// A pooler that translates names keeps one prepared statement for each text. If the type of a column
/// changes, the server refuses the old statement (0A000) for all clients. The new version of a program
/// therefore needs another text.
struct StatementTag {
    private let version: String
    private var renewals = 0

    init(_ version: String) { self.version = version.filter { $0.isASCII && ($0.isLetter || $0.isNumber) } }

    var comment: String { renewals == 0 ? "/*h:\(version)*/" : "/*h:\(version).\(renewals)*/" }

    /// Makes later texts differ from all earlier ones, after a statement was refused.
    mutating func renew() { renewals += 1 }
}
