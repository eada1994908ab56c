import HowdahMigration
import HowdahModel
import HowdahRuntime
import PQClient

/// The statements that create the destination objects of one entity mapping, all at once.
///
/// They write their keys next to those of the source objects, then their rows.
struct InstanceStatements {
    let layouts: MappingLayouts
    let entry: MappingLayouts.Entry
    private let from: EntityLayout
    private let to: EntityLayout

    private let direct: DirectLinks?

    /// - Parameter direct: The cases in which pairs need not be recorded.
    init?(_ entry: MappingLayouts.Entry, _ layouts: MappingLayouts, _ direct: DirectLinks? = nil) {
        guard let from = entry.source, let to = entry.destination else { return nil }
        self.direct = direct
        self.layouts = layouts
        self.entry = entry
        self.from = from
        self.to = to
    }

    private func rows() throws -> SQLScope {
        try SQLScope(layout: from, layouts: layouts.source.entities, counter: SQLScope.AliasCounter())
    }

    private var renderer: PredicateRenderer {
        PredicateRenderer(
            resolver: KeyPathResolver(layouts: layouts.source.entities), parameters: Parameters())
    }

    /// - Throws: `PredicateTreeError` or `FetchError` for a filter that the database cannot evaluate.
    func association() throws -> MappedStatement {
        let scope = try rows()
        var renderer = renderer
        let rows = try filter(scope, &renderer)
        let key =
            !entry.keepsIDs
            ? new
            : !entry.followsOthers
                ? "s.k" : "CASE WHEN \(layouts.pairs.isTaken("s.k")) THEN \(new) ELSE s.k END"
        return MappedStatement(
            layouts.pairs.insertion(
                entry, source: "s.k", destination: key,
                from: "(SELECT \(scope.key) AS k FROM \(scope.item)\(rows) ORDER BY 1) AS s"),
            renderer.parameters)
    }

    /// Returns the condition for the rows of the source, as the end of a statement.
    private func filter(_ scope: SQLScope, _ renderer: inout PredicateRenderer) throws -> String {
        var conditions: [String] = []
        if let discriminator = from.discriminator {
            conditions.append("\(scope.alias).\(discriminator) = \(SQLLiteral.string(from.storedName))")
        }
        if let filter = entry.mapping.sourceFilter {
            conditions.append(try renderer.condition(filter.root, in: scope))
        }
        return conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND ")
    }

    private var new: String {
        "pg_catalog.nextval(\(SQLLiteral.string(layouts.destination.sequence ?? ""))::pg_catalog.regclass)"
    }

    /// A Boolean value that indicates whether the rows are created without a record of pairs.
    private var isDirect: Bool { direct.map { !$0.recorded.contains(entry.index) } ?? false }

    /// Returns the statements; nil if an attribute has an expression that SQL cannot compute.
    func all() throws -> [MappedStatement]? {
        var questions: [ValueLook.Question] = []
        guard let insertion = try insertion(&questions) else { return nil }
        let made = isDirect ? [insertion] : [try association(), insertion]
        return questions.isEmpty ? made : [try look(questions)] + made
    }

    private func look(_ questions: [ValueLook.Question]) throws -> MappedStatement {
        let scope = try rows()
        var renderer = renderer
        let conditions = try questions.map { try renderer.condition($0.fault.condition, in: scope) }
        let rows = try filter(scope, &renderer)
        return MappedStatement(
            ValueLook.sql(conditions, scope.key, scope.item + rows), renderer.parameters,
            look: ValueLook(entry: entry, questions: questions))
    }

    /// Returns the rows; nil if an attribute has an expression that SQL cannot compute.
    private func insertion(_ questions: inout [ValueLook.Question]) throws -> MappedStatement? {
        let scope = try rows()
        var renderer = renderer
        let rows = isDirect ? try filter(scope, &renderer) : ""
        var columns = [to.table.key.name, try to.table.writtenVersion()]
        let version = from.table.version.map { "\(scope.alias).\($0.name) + 1" } ?? "1"
        var values =
            isDirect
            ? (entry.keepsIDs ? [scope.key, version] : ["1"])
            : [
                "a.\(MappedPairs.destination)",
                entry.keepsIDs
                    ? "CASE WHEN a.\(MappedPairs.destination) = a.\(MappedPairs.source) THEN \(version) ELSE 1 END"
                    : "1",
            ]
        if let discriminator = to.discriminator {
            columns.append(discriminator)
            values.append(SQLLiteral.string(to.storedName))
        }
        let mapped = Dictionary(
            entry.mapping.attributeMappings.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        for (slot, property) in to.slots.enumerated() {
            guard case .attribute(let attribute) = property.kind, !attribute.isDerived,
                let place = AttributePlace(to, slot, [])
            else { continue }
            columns += place.columns.map(\.name)
            if let mapping = mapped[property.name], let expression = mapping.valueExpression {
                guard let found = self.values(expression, place, scope, &renderer) else { return nil }
                values += found.columns
                questions += found.faults.map { ValueLook.Question(property: mapping, fault: $0) }
            } else {
                values += try constants(
                    attribute.defaultValue ?? .null, place, &renderer.parameters)
            }
        }
        for property in entry.mapping.relationshipMappings {
            guard let reference = direct?.reference(property, of: entry) else { continue }
            columns.append(reference.column)
            values.append(reference.value(scope.alias))
        }
        let insertion = "INSERT INTO \(to.table) (\(columns.joined(separator: ", "))) SELECT "
        let list = values.joined(separator: ", ")
        if isDirect {
            // Ids are drawn in the order of the source's.
            let made =
                entry.keepsIDs
                ? "\(list) FROM \(scope.item)\(rows)"
                : "\(new), s.* FROM (SELECT \(list) FROM \(scope.item)\(rows) ORDER BY \(scope.key)) AS s"
            return MappedStatement(insertion + made, renderer.parameters)
        }
        return MappedStatement(
            insertion + "\(list) FROM \(layouts.pairs.joined(scope.item, scope.key, entry))",
            renderer.parameters)
    }

    /// Returns a complaint about an expression that cannot be computed because of its operands' types; nil if
    /// it can.
    func complaint(_ expression: PredicateTree.Expression) -> String? {
        for operand in expression.parts.operands {
            if let complaint = complaint(operand) { return complaint }
        }
        switch expression {
        case .cast: break
        case .function(let function, _) where !function.isAggregate: break
        default: return nil
        }
        guard let scope = try? rows() else { return nil }
        var renderer = renderer
        for operand in expression.parts.operands {
            switch try? renderer.outcome(operand, in: scope.apart()) {
            case .operand(.column), .operand(.constant): break
            default: return nil
            }
        }
        do {
            _ = try renderer.outcome(expression, in: scope.apart())
        } catch let error as PredicateTreeError where error.code == .argumentType {
            return error.message
        } catch {
            // What the database cannot compute may be computed object by object.
        }
        return nil
    }

    /// Returns one SQL expression for each column of the attribute; nil if there are none.
    private func values(
        _ expression: MappingExpression, _ place: AttributePlace, _ scope: SQLScope,
        _ renderer: inout PredicateRenderer
    ) -> (columns: [String], faults: [ValueFault])? {
        guard let operand = expression.onSource else { return nil }
        if case .keyPath(let keys) = operand, let slot = from.slotsByName[keys[0]],
            let same = AttributePlace(from, slot, keys.dropFirst()), same.type == place.type
        {
            return (same.columns.map { "\(scope.alias).\($0.name)" }, [])
        }
        let parameters = renderer.parameters
        do {
            let rows = scope.apart()
            switch try renderer.outcome(operand, in: rows) {
            case .operand(.constant(let value)):
                guard let fitting = place.type.fitting(value, of: operand) else { break }
                return (try constants(fitting, place, &renderer.parameters), [])
            case .operand(.column(let column)):
                guard place.columns.count == 1,
                    let sql = place.type.taking(column, of: operand, anyWhole: true)
                else { break }
                let whole = rows.alone(sql)
                try SQLArithmetic.checkDepth(of: whole)
                return ([whole], ValueFault.all(of: operand, column, for: place.type))
            default: break
            }
        } catch {
            // What the database cannot compute is computed object by object, which says what is wrong with it.
        }
        renderer.parameters = parameters
        return nil
    }

    private func constants(
        _ value: Value, _ place: AttributePlace, _ parameters: inout Parameters
    ) throws -> [String] {
        var leaves: [Value] = []
        value.normalized.appendLeaves(of: place.type, to: &leaves)
        return try zip(leaves, place.columns).map { value, column in
            if value.isNull { return "CAST(NULL AS \(column.type.sqlName))" }
            try parameters.append(column.sent) { try $0.write(value, as: column.type) }
            return "$\(parameters.count)"
        }
    }
}
