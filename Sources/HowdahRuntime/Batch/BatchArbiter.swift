import HowdahModel
import HowdahSchema
import PQClient

/// The uniqueness rule that identifies stored rows for a batch insertion, and the policy for them.
struct BatchArbiter {
    let policy: MergePolicy.MergeType
    /// The text after ON CONFLICT; empty if any rule applies.
    let target: String
    /// The rule's columns in the rows; none if any rule applies.
    let columns: [UniqueColumn]
    /// A Boolean value that indicates whether a row of another entity of the hierarchy may have the same
    /// values.
    let mayMeetOthers: Bool

    /// Creates the arbiter; nil if rows are simply inserted.
    ///
    /// They are if the policy is to fail, or if they could break no rule.
    ///
    /// - Throws: `FetchError.invalidRequest` if the caller must name a rule, or named one that does not
    ///   exist.
    init?(
        _ policy: MergePolicy.MergeType, named names: [String], for layout: EntityLayout,
        in layouts: StoreLayout
    ) throws {
        let rules = Self.rules(for: layout, in: layouts)
        if !names.isEmpty, !rules.contains(where: { Set($0.origin.properties) == Set(names) }) {
            let list = rules.map { "(\($0.origin.properties.joined(separator: ", ")))" }.joined(
                separator: ", ")
            throw FetchError(
                .invalidRequest,
                "\(layout.name) has no uniqueness constraint over \(names.joined(separator: ", ")). "
                    + (list.isEmpty
                        ? "Declare one with @Attribute(.unique) or @Entity(unique:)."
                        : "Name one of these: \(list)."))
        }
        guard policy != .error else { return nil }
        self.policy = policy
        // Rules of the model, rather than that of a one-to-one relationship.
        let declared = rules.filter { !$0.isRelationship(of: layout) }
        let fitting =
            names.isEmpty ? declared : rules.filter { Set($0.origin.properties) == Set(names) }
        if policy == .rollback, names.isEmpty, !rules.isEmpty {
            (target, columns, mayMeetOthers) = ("", [], false)
            return
        }
        guard let rule = fitting.first else { return nil }
        guard fitting.count == 1 else {
            let list = fitting.map { "[\($0.origin.properties.map { "\"\($0)\"" }.joined(separator: ", "))]" }
            throw FetchError(
                .invalidRequest,
                "\(layout.name) has \(fitting.count) uniqueness constraints. The request needs one of them "
                    + "to find the rows that exist already. Pass arbiter: \(list.joined(separator: " or ")).")
        }
        columns = UniqueColumn.columns(rule, in: layout)?.filter(\.isKey) ?? []
        let elements =
            rule.elements?.map { $0.subject.sql(in: layouts.schema.schemaName) }
            ?? rule.columns.map(SQLIdentifier.quoted)
        let rows = rule.filter.map { " WHERE (\($0.sql))" } ?? ""
        target = " (\(elements.joined(separator: ", ")))\(rows)"
        let origin = layouts.layout(named: rule.origin.entity)
        mayMeetOthers =
            layout.discriminator != nil && (origin?.concreteStoredNames ?? []) != [layout.storedName]
    }

    /// Returns the rules that rows of the entity can break.
    private static func rules(for layout: EntityLayout, in layouts: StoreLayout) -> [StoreSchema.Unique] {
        guard let name = layouts.schema.entities[layout.name]?.table else { return [] }
        return (layouts.schema.table(named: name)?.uniques ?? []).filter { rule in
            layouts.layout(named: rule.origin.entity)?.family.contains(layout.index) == true
                && !rule.origin.properties.isEmpty
                && UniqueColumn.columns(rule, in: layout) != nil
        }
    }
}

extension StoreSchema.Unique {
    /// Returns true if it is that of a one-to-one relationship.
    fileprivate func isRelationship(of layout: EntityLayout) -> Bool {
        origin.properties.count == 1
            && layout.slotsByName[origin.properties[0]].map { layout.slots[$0].relationship != nil } ?? false
    }
}
