package import HowdahModel
internal import PQClient

extension StoreSchema.Generation {
    /// The value as an immutable expression over the row. Changed texts are in NFC, as all texts of a store are.
    package func sql(in schema: StoreSchema) -> String {
        let column = SQLIdentifier.quoted(source)
        return switch self {
        case .copy: column
        case .canonical:
            "\(SQLIdentifier.quoted(schema.schemaName, schema.caseAndDiacriticFolding))(\(column))"
        case .uppercase: Self.changed("upper", column)
        case .lowercase: Self.changed("lower", column)
        }
    }

    private static func changed(_ function: String, _ column: String) -> String {
        "pg_catalog.normalize(pg_catalog.\(function)(\(column) COLLATE pg_catalog.\"und-x-icu\"), 'NFC')"
    }
}
