import HowdahModel
import PQClient

/// Resolves `entity` in key paths: the entity of a row in its hierarchy.
extension KeyPathResolver {
    /// - Parameter rest: The names after `entity` in the key path.
    func entity(
        _ rest: ArraySlice<String>, of scope: SQLScope, isNullable: Bool
    ) throws -> ResolvedOperand {
        let name = "\(scope.layout.name).entity"
        let isName = rest.isEmpty || rest.elementsEqual(["name"])
        guard isName || rest.elementsEqual(["lineage"]) else {
            throw PredicateTreeError.noPartOfEntity((["entity"] + rest).joined(separator: "."))
        }
        return .column(
            ResolvedColumn(
                sql: isName ? nameSQL(scope) : valueSQL(scope) { lineage(of: $0) },
                type: isName ? .text : .array(of: .text),
                isNullable: isNullable, name: isName ? name : "\(name).lineage"))
    }

    private func nameSQL(_ scope: SQLScope) -> String {
        let family = layouts[scope.layout.root].family.map { layouts[$0] }
        if let column = scope.layout.discriminator, family.allSatisfy({ $0.name == $0.storedName }) {
            return "\(scope.alias).\(column)"
        }
        return valueSQL(scope) { "(\(SQLLiteral.string($0.name))::text COLLATE pg_catalog.\"C\")" }
    }

    private func lineage(of layout: EntityLayout) -> String {
        let names = layout.lineage(in: layouts).map { SQLLiteral.string($0) }
        return "ARRAY[\(names.joined(separator: ", "))]::text[]"
    }

    /// Returns the SQL of a value for the row's entity; NULL without a row.
    private func valueSQL(_ scope: SQLScope, _ value: (EntityLayout) -> String) -> String {
        guard let column = scope.layout.discriminator else {
            return "(CASE WHEN \(scope.key) IS NOT NULL THEN \(value(scope.layout)) END)"
        }
        let cases = layouts[scope.layout.root].family.map { layouts[$0] }.filter { !$0.isAbstract }.map {
            "WHEN \(SQLLiteral.string($0.storedName)) THEN \(value($0))"
        }
        return "(CASE \(scope.alias).\(column) \(cases.joined(separator: " ")) END)"
    }
}
