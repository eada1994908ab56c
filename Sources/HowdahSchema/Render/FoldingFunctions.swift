package import HowdahModel
internal import PQClient

/// The store's own functions that take case and diacritics out of texts, with the steps and lists of `Folding`.
///
/// They are immutable, so that generated columns and indexes can use them, and plain expressions, which the planner
/// puts in place of the call. The collation of ICU's root locale makes them the same on every server.
package enum FoldingFunctions {
    /// The collation by whose rules the functions take case away; every server with ICU has it.
    package static let collation = "und-x-icu"

    /// The names of the functions.
    package static let names = [
        StoreSchema.caseFolding, StoreSchema.caseAndDiacriticFolding, StoreSchema.diacriticFolding,
    ]

    /// Creates all.
    package static func creation(in schema: StoreSchema) -> [String] {
        names.map { creation($0, in: schema, expression($0, of: "$1")) }
    }

    /// What the function of that name makes of a text, for schemas that have no functions of the store.
    package static func expression(_ function: String, of text: String) -> String {
        switch function {
        case StoreSchema.caseFolding: lowered(text)
        case StoreSchema.diacriticFolding: withoutDiacritics(withoutMarks(text))
        default: withoutDiacritics(lowered(withoutMarks(text)))
        }
    }

    private static func creation(_ name: String, in schema: StoreSchema, _ expression: String) -> String {
        "CREATE FUNCTION \(SQLIdentifier.quoted(schema.schemaName, name))(pg_catalog.text) "
            + "RETURNS pg_catalog.text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS "
            + SQLLiteral.string("SELECT " + expression)
    }

    private static func lowered(_ text: String) -> String {
        let lower =
            "pg_catalog.lower(\(text) COLLATE pg_catalog.\"und-x-icu\") COLLATE pg_catalog.\"C\""
        return replacing(Folding.caseReplacements, in: lower)
    }

    private static func withoutMarks(_ text: String) -> String {
        let marks = [Folding.marks.lowerBound, Folding.marks.upperBound].map { scalar in
            let digits = String(scalar, radix: 16)
            return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
        let pattern = SQLLiteral.string("[\(marks[0])-\(marks[1])]")
        let bare =
            "pg_catalog.regexp_replace(pg_catalog.normalize(\(text), 'NFD') COLLATE pg_catalog.\"C\", \(pattern), '', 'g')"
        return "pg_catalog.normalize(\(bare), 'NFC')"
    }

    private static func withoutDiacritics(_ text: String) -> String {
        replacing(Folding.diacriticReplacements, in: text)
    }

    /// Letters that become one letter go in one call. No replacement has a letter that another one replaces, so
    /// that their order does not matter.
    private static func replacing(
        _ replacements: [(scalar: Unicode.Scalar, text: String)], in text: String
    ) -> String {
        let single = replacements.filter { $0.text.unicodeScalars.count == 1 }
        let from = SQLLiteral.string(single.map { String($0.scalar) }.joined())
        let to = SQLLiteral.string(single.map(\.text).joined())
        let translated = "pg_catalog.translate(\(text), \(from), \(to))"
        return replacements.filter { $0.text.unicodeScalars.count > 1 }.reduce(translated) { text, entry in
            "pg_catalog.replace(\(text), \(SQLLiteral.string(String(entry.scalar))), \(SQLLiteral.string(entry.text)))"
        }
    }
}
