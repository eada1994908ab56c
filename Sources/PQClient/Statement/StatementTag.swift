/// A comment before statements that a pooler shares between its clients.
///
/// A pooler that translates names keeps one prepared statement for each text. After the type of a column changed, the
/// server refuses the old one (0A000) for all clients, so that the new version of a program needs another text.
struct StatementTag {
    private let version: String
    private var renewals = 0

    init(_ version: String) { self.version = version.filter { $0.isASCII && ($0.isLetter || $0.isNumber) } }

    var comment: String { renewals == 0 ? "/*h:\(version)*/" : "/*h:\(version).\(renewals)*/" }

    /// Makes later texts other than all before, after a statement was refused.
    mutating func renew() { renewals += 1 }
}
