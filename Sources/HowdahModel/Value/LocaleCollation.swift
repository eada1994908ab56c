/// The collation of PostgreSQL that sorts texts by the rules of a locale.
///
/// ICU's collations in `pg_catalog` are deterministic: only equal texts are equal in their order.
package struct LocaleCollation: Hashable, Sendable {
    /// The greatest number of characters of a name in PostgreSQL is 63.
    private static let longest = 40

    /// The locale in the spelling of BCP 47, such as `de` or `de-AT`.
    package let locale: String

    /// Creates the collation; nil for a text that is not a locale.
    ///
    /// Only ASCII letters, digits and single hyphens are accepted, so the name needs no escapes in SQL.
    package init?(_ locale: String) {
        let parts = locale.split(separator: "-", omittingEmptySubsequences: false)
        guard locale.utf8.count <= Self.longest, let language = parts.first,
            (2...8).contains(language.utf8.count),
            language.utf8.allSatisfy({ UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 }),
            parts.dropFirst().allSatisfy({ part in
                (1...8).contains(part.utf8.count)
                    && part.unicodeScalars.allSatisfy {
                        $0.isASCII && $0.properties.isAlphabetic || ("0"..."9") ~= $0
                    }
            })
        else { return nil }
        self.locale = locale
    }

    /// The name in SQL.
    package var sql: String { "pg_catalog.\"\(locale)-x-icu\"" }

    /// The sentences of an error about a text that is not a locale.
    package static let complaint =
        "is not a locale. Write its language in small letters, and a region after a hyphen, as in \"de\" or "
        + "\"de-AT\"."
}
