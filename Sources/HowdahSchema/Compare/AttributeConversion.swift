package import HowdahModel

/// A conversion of the values of one attribute type to another one.
package struct AttributeConversion: Hashable {
    private enum Kind: Hashable {
        case same, cast, flag, truth, text, identifierText, dateText, digits
    }

    /// The values that the other type does not have.
    private enum Loss: Hashable {
        /// Numbers beyond two bounds.
        case outside(String, String)
        /// Numbers beyond two bounds, or with a fraction.
        case fraction(String, String)
        /// Integers that a Double or Float rounds. The greatest number of the type that is below its integers' bound is `greatest`.
        case rounding(to: String, back: String, greatest: String)
        /// Doubles that a Float rounds.
        case floatPrecision
        /// Decimals that a Float rounds.
        case shortPrecision
        /// Decimals that a Double rounds.
        case doublePrecision
        /// Infinite numbers, and those with digits beyond a Decimal's.
        case decimalRange
        /// Numbers other than 0 and 1.
        case noTruth
        /// Dates whose year has more or fewer than four digits.
        case year
    }

    private let kind: Kind
    private let loss: Loss?

    private init(_ kind: Kind, unless loss: Loss? = nil) { (self.kind, self.loss) = (kind, loss) }

    /// Whether the stored value stays as it is.
    var isIdentity: Bool { kind == .same }

    /// Returns the conversion of values of `old` to `new`, neither of which is a composite; nil if there is none.
    static func between(_ old: AttributeDescription, _ new: AttributeDescription) -> Self? {
        guard old.isStoredAsJSON == new.isStoredAsJSON else { return nil }
        if old.type == new.type { return Self(.same) }
        switch (old.type.kind, new.type.kind) {
        case (.uri, .string): return Self(.same)
        case (.integer16, .string), (.integer32, .string), (.integer64, .string), (.decimal, .string),
            (.double, .string), (.float, .string), (.boolean, .string):
            return Self(.text)
        case (.uuid, .string): return Self(.identifierText)
        case (.date, .string): return Self(.dateText, unless: .year)
        case (.boolean, .integer16), (.boolean, .integer32), (.boolean, .integer64), (.boolean, .decimal),
            (.boolean, .double), (.boolean, .float):
            return Self(.flag)
        default: return number(from: old.type.kind, to: new.type.kind)
        }
    }

    private static func number(from old: AttributeType.Kind, to new: AttributeType.Kind) -> Self? {
        switch (old, new) {
        case (.integer16, .integer32), (.integer16, .integer64), (.integer32, .integer64),
            (.integer16, .decimal), (.integer32, .decimal), (.integer64, .decimal),
            (.integer16, .double), (.integer32, .double), (.integer16, .float), (.float, .double):
            return Self(.cast)
        case (.integer32, .integer16), (.integer64, .integer16):
            return Self(.cast, unless: .outside("-32768", "32767"))
        case (.integer64, .integer32): return Self(.cast, unless: .outside("-2147483648", "2147483647"))
        case (.integer64, .double):
            return Self(
                .cast,
                unless: .rounding(to: "double precision", back: "bigint", greatest: "9223372036854774784"))
        case (.integer32, .float):
            return Self(.cast, unless: .rounding(to: "real", back: "integer", greatest: "2147483520"))
        case (.integer64, .float):
            return Self(.cast, unless: .rounding(to: "real", back: "bigint", greatest: "9223371487098961920"))
        case (.decimal, .integer16), (.double, .integer16), (.float, .integer16):
            return Self(.cast, unless: .fraction("-32768", "32767"))
        case (.decimal, .integer32), (.double, .integer32), (.float, .integer32):
            return Self(.cast, unless: .fraction("-2147483648", "2147483647"))
        case (.decimal, .integer64):
            return Self(.cast, unless: .fraction("-9223372036854775808", "9223372036854775807"))
        case (.double, .integer64), (.float, .integer64):
            // The greatest Double below the bound of the integers.
            return Self(.cast, unless: .fraction("-9223372036854775808", "9223372036854774784"))
        case (.double, .decimal), (.float, .decimal): return Self(.digits, unless: .decimalRange)
        case (.decimal, .double): return Self(.cast, unless: .doublePrecision)
        case (.double, .float): return Self(.cast, unless: .floatPrecision)
        case (.decimal, .float): return Self(.cast, unless: .shortPrecision)
        case (.integer16, .boolean), (.integer32, .boolean), (.integer64, .boolean), (.decimal, .boolean),
            (.double, .boolean), (.float, .boolean):
            return Self(.truth, unless: .noTruth)
        default: return nil
        }
    }

    /// The new value as an expression over the old one.
    package func sql(_ expression: String, to type: StoreSchema.ColumnType) -> String {
        switch kind {
        case .same: expression
        case .cast: "CAST(\(expression) AS \(type.sql))"
        case .text: "CAST(\(expression) AS text)"
        case .flag: "CAST(CAST(\(expression) AS integer) AS \(type.sql))"
        case .truth: "\(expression) <> 0"
        case .digits: "CAST(CAST(\(expression) AS text) AS \(type.sql))"
        case .identifierText: "pg_catalog.upper(CAST(\(expression) AS text))"
        case .dateText:
            "pg_catalog.to_char(pg_catalog.timezone('UTC', \(expression)), 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"')"
        }
    }

    /// A condition that holds for values that would be lost; nil if there are none.
    package func losing(_ value: String) -> String? {
        switch loss {
        case nil: nil
        case .outside(let least, let greatest): "\(value) NOT BETWEEN \(least) AND \(greatest)"
        case .fraction(let least, let greatest):
            "(\(value) NOT BETWEEN \(least) AND \(greatest) OR \(value) <> pg_catalog.trunc(\(value)))"
        case .decimalRange:
            // 17 digits have their place between 1e-128 and 1e165.
            "(\(value) NOT IN (0, 'NaN') AND pg_catalog.abs(\(value)) NOT BETWEEN 1e-110 AND 1e160)"
        case .rounding(let type, let back, let greatest):
            "CASE WHEN \(value) > \(greatest) THEN TRUE "
                + "ELSE CAST(CAST(\(value) AS \(type)) AS \(back)) <> \(value) END"
        case .noTruth: "\(value) NOT IN (0, 1)"
        case .year: "(\(value) < '0001-01-01T00:00:00Z' OR \(value) >= '10000-01-01T00:00:00Z')"
        case .doublePrecision:
            // A text has all digits, which a cast to numeric does not have. The server refuses to cast what is beyond a Double.
            "CASE WHEN \(value) IN (0, 'NaN') THEN FALSE "
                + "WHEN pg_catalog.abs(\(value)) NOT BETWEEN 1e-290 AND 1e300 THEN TRUE "
                + "ELSE CAST(CAST(CAST(\(value) AS double precision) AS text) AS numeric) <> \(value) END"
        case .shortPrecision:
            "CASE WHEN \(value) IN (0, 'NaN') THEN FALSE "
                + "WHEN pg_catalog.abs(\(value)) NOT BETWEEN 1e-37 AND 1e38 THEN TRUE "
                + "ELSE CAST(CAST(CAST(\(value) AS real) AS text) AS numeric) <> \(value) END"
        case .floatPrecision:
            "CASE WHEN \(value) IN (0, 'NaN', 'Infinity', '-Infinity') THEN FALSE "
                + "WHEN pg_catalog.abs(\(value)) NOT BETWEEN 1e-37 AND 1e38 THEN TRUE "
                + "ELSE CAST(CAST(\(value) AS real) AS double precision) <> \(value) END"
        }
    }

    /// What to do about values that would be lost, for messages.
    package var remedy: String {
        loss == .year
            ? "Only dates of the years 1 to 9999 can become text. Correct the values in the store or in an earlier stage"
            : "Correct the values in the store or in an earlier stage, or choose a wider type"
    }

    /// The types that a value can become, for messages.
    package static let choices =
        "numbers convert to other types of number, Booleans to numbers and back, and numbers, Booleans, Date, UUID and URI to String"
}
