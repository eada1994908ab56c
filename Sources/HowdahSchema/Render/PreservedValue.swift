package import HowdahModel
internal import PQClient

/// The SQL expressions for values that the history keeps of deleted rows.
package enum PreservedValue {
    /// Returns a JSON expression for the value of an attribute: composites are objects by the stored names of their
    /// elements, or null.
    ///
    /// - Parameters:
    ///   - isDocument: Indicates whether the column of a Transformable attribute is `jsonb`.
    ///   - columns: The columns of the attribute, quoted and with an alias. Those of the value are removed.
    package static func json(
        _ type: AttributeType, isDocument: Bool, _ columns: inout ArraySlice<String>
    ) -> String {
        guard let composite = type.composite else {
            let column = columns.popFirst() ?? SQLLiteral.null
            // As the text of bytes, the server uses the form that the session's bytea_output asks for.
            if !isDocument, isBytes(type) { return base64(column) }
            if let element = type.element, isBytes(element) {
                return
                    "CASE WHEN \(column) IS NOT NULL THEN coalesce((SELECT pg_catalog.jsonb_agg(\(base64("e.v")) "
                    + "ORDER BY e.n) FROM pg_catalog.unnest(\(column)) WITH ORDINALITY AS e(v, n)), "
                    + "'[]'::pg_catalog.jsonb) END"
            }
            return "pg_catalog.to_jsonb(\(column))"
        }
        let before = columns
        let elements = composite.elements.filter(\.isStored).map { element in
            "\(SQLLiteral.string(element.renamingIdentifier ?? element.name)), \(json(element.type, isDocument: element.isStoredAsJSON, &columns))"
        }
        let isNothing = before.prefix(before.count - columns.count).map { "\($0) IS NULL" }
            .joined(separator: " AND ")
        return "CASE WHEN \(isNothing) THEN NULL ELSE "
            + "pg_catalog.jsonb_build_object(\(elements.joined(separator: ", "))) END"
    }

    private static func isBytes(_ type: AttributeType) -> Bool {
        type.kind == .binary || type.kind == .transformable
    }

    private static func base64(_ value: String) -> String {
        "pg_catalog.to_jsonb(pg_catalog.translate(pg_catalog.encode(\(value), 'base64'), pg_catalog.chr(10), ''))"
    }
}
