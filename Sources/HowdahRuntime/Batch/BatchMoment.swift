import Foundation
import HowdahModel
import PQClient

/// An attribute of `now()` that a batch sets in the rows that it changes.
struct BatchMoment {
    let name: String
    let column: LayoutColumn
    let value: Value
    /// The condition on rows of the entity that has the attribute, up to the alias; nil if all rows have it.
    private let entity: (column: String, names: [String])?

    fileprivate init(_ member: EntityLayout, _ slot: Int, at date: Date, in layout: EntityLayout) {
        name = member.slots[slot].name
        column = member.columns[member.slots[slot].columns.lowerBound]
        value =
            member.attribute(slot)?.type == .double
            ? .double(date._howdahRoundedToMicroseconds.timeIntervalSinceReferenceDate)
            : Value.date(date).normalized
        entity =
            member === layout ? nil : layout.discriminator.map { ($0, member.concreteStoredNames) }
    }

    /// Returns the new value of the column, given the SQL of the time. Rows of entities without the attribute keep
    /// theirs.
    func expression(_ value: String, alias: String) -> String {
        guard let entity else { return value }
        let names = entity.names.map(SQLLiteral.string).joined(separator: ", ")
        return
            "CASE WHEN \(alias).\(entity.column) IN (\(names)) THEN \(value) ELSE \(alias).\(column.name) END"
    }
}

extension EntityLayout {
    /// Returns the attributes that keep the time of a change, those of sub-entities too, each column once.
    func moments(at date: Date, in layouts: [EntityLayout]) -> [BatchMoment] {
        var known: Set<String> = []
        return ([self] + family.map { layouts[$0] }).flatMap { member in
            (member.derived?.moments ?? []).map { BatchMoment(member, $0, at: date, in: self) }
        }
        .filter { known.insert($0.column.name).inserted }
    }
}
