import HowdahModel

/// The end of the key path of a fetched value.
struct PathEnd {
    enum Target {
        case attribute(Place, AttributeType)
        case object(EntityLayout, columns: [String])
    }

    /// Columns of one entity under an alias.
    struct Place {
        let layout: EntityLayout
        let alias: String
        let columns: Range<Int>
    }

    let target: Target
    /// The column for conditions; nil if the value is not one scalar.
    let column: ResolvedColumn?

    init(_ keyPath: String, in start: SQLScope, _ resolver: KeyPathResolver) throws {
        let path = keyPath.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        if path.last == "objectID" || path.last == "self" {
            let owner = Array(path.dropLast())
            target = try Self.object(owner[...], in: start, resolver)
            column = nil
            return
        }
        // Says what is wrong, with the nearest name.
        guard case .operand(let operand) = try resolver.resolve(path[...], in: start) else {
            throw FetchError(
                .invalidRequest,
                "'\(keyPath)' is to-many, so it has no single value. Fetch the members' entity and group by "
                    + "the inverse relationship, or fetch objects and prefetch the relationship."
            )
        }
        column = if case .column(let found) = operand { found } else { nil }
        switch operand {
        case .object: target = try Self.object(path[...], in: start, resolver)
        case .json(_, let names) where !names.isEmpty:
            throw FetchError(
                .invalidRequest, "'\(keyPath)' is a part of JSON. Fetch the whole attribute, and decode it."
            )
        default: target = try Self.attribute(path[...], in: start)
        }
    }

    /// Returns a to-one destination, or the object itself.
    private static func object(
        _ path: ArraySlice<String>, in start: SQLScope, _ resolver: KeyPathResolver
    ) throws -> Target {
        guard case .operand(.object(let sql, let layout, _)) = try resolver.resolve(path, in: start) else {
            throw FetchError(
                .invalidRequest,
                "'\(path.joined(separator: "."))' is not a to-one relationship and has no id. Name a to-one "
                    + "relationship."
            )
        }
        guard let discriminator = layout.discriminator else { return .object(layout, columns: [sql]) }
        let (scope, _) = try scope(of: path, in: start)
        return .object(layout, columns: [sql, "\(scope.alias).\(discriminator)"])
    }

    /// Returns the scope at the end of a path's to-ones, and the rest of the path.
    private static func scope(
        of path: ArraySlice<String>, in start: SQLScope
    ) throws -> (SQLScope, rest: ArraySlice<String>) {
        var scope = start
        var rest = path
        while let name = rest.first, let slot = scope.layout.slotsByName[name],
            let relationship = scope.layout.slots[slot].relationship
        {
            scope = try scope.join(relationship)
            rest = rest.dropFirst()
        }
        return (scope, rest)
    }

    private static func attribute(_ path: ArraySlice<String>, in start: SQLScope) throws -> Target {
        let (scope, rest) = try scope(of: path, in: start)
        var names = rest
        guard let name = names.popFirst(), let slot = scope.layout.slotsByName[name],
            let attribute = scope.layout.attribute(slot)
        else {
            throw FetchError(
                .invalidRequest, "'\(path.joined(separator: "."))' is not an attribute. Name an attribute.")
        }
        var columns = scope.layout.slots[slot].columns
        var type = attribute.type
        while let name = names.popFirst(), case .composite(let description) = type.kind {
            var first = columns.lowerBound
            for element in description.elements {
                let width = element.isStored ? element.type.columnCount : 0
                if element.name == name {
                    columns = first..<(first + width)
                    type = element.type
                    break
                }
                first += width
            }
        }
        return .attribute(Place(layout: scope.layout, alias: scope.alias, columns: columns), type)
    }
}
