extension PostgresError {
    /// The locale whose collation the server does not have; nil if the error has another reason.
    private var missingLocale: String? {
        guard sqlState == SQLState.undefinedObject, let end = message.ranges(of: "-x-icu").last else {
            return nil
        }
        let name = message[..<end.lowerBound].reversed().prefix {
            $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-")
        }
        return name.isEmpty ? nil : String(name.reversed())
    }

    /// The error and its remedy if the server does not have a locale; nil if the error has another reason.
    package var localeComplaint: String? {
        missingLocale.map { locale in
            "The server does not have the locale '\(locale)'. Use one such as \"de\" or \"de-AT\", whose collation "
                + "\"de-x-icu\" or \"de-AT-x-icu\" is in pg_collation."
        }
    }
}
