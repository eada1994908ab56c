import PQClient

/// The address of a database, and the place that it came from.
package struct DatabaseAddress: Sendable {
    /// A URL or a connection string of libpq.
    package let url: String
    /// The option or the variables that have it.
    package let source: String
    /// Indicates whether it was meant for Howdah, and not for all programs that know PostgreSQL.
    package let isOwn: Bool

    /// The variables in the order in which they are looked at, for messages.
    package static let variables = "HOWDAH_DATABASE or DATABASE_URL"

    /// Makes an address that a program or a user gave.
    package init(_ url: String, from source: String) {
        (self.url, self.source, isOwn) = (url, source, true)
    }

    /// Finds the address in an environment: in `HOWDAH_DATABASE`, `DATABASE_URL`, or libpq's own variables if one of
    /// them names a place. Empty variables count as unset; nil if there is none.
    package init?(environment: [String: String]) {
        for (name, isOwn) in [("HOWDAH_DATABASE", true), ("DATABASE_URL", false)] {
            guard let url = environment[name], url.contains(where: { !$0.isWhitespace }) else { continue }
            (self.url, source, self.isOwn) = (url, name, isOwn)
            return
        }
        guard let string = ConnectionConfiguration.connectionString(of: environment) else { return nil }
        url = string
        source = ConnectionConfiguration.placeVariables.filter { environment[$0]?.isEmpty == false }
            .joined(separator: ", ")
        isOwn = false
    }
}
