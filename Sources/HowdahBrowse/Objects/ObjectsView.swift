import HowdahModel
import HowdahRuntime

/// The state of a table of objects, which is all in its address.
struct ObjectsView: Sendable {
    let entity: String
    /// The names of the columns that were chosen; empty for the usual ones.
    var columns: [String] = []
    /// The predicate as it was typed.
    var filter: String?
    /// The sort keys, with a minus before descending ones.
    var sort: [String] = []
    var rows = 50
    var after: String?
    var before: String?
    /// Indicates whether the objects are counted.
    var isCounted = false
    /// The object whose members are listed, as entity, key and relationship.
    var owner: BrowseQuery.Owner?

    static let rowChoices = [50, 100, 250]
    /// The number of columns that are shown unless others are chosen.
    private static let usualColumns = 12
    /// The most columns that are shown. Addresses have their names.
    static let mostColumns = 250
    /// The most properties by which a table is sorted.
    private static let mostKeys = 32

    init(entity: String) { self.entity = entity }

    init(_ request: BrowseRequest, entity: String) throws {
        self.entity = entity
        columns = request.parameters("column").filter { !$0.isEmpty }
        if Set(columns).count < columns.count {
            throw BrowseError(400, "The address has a column twice. Remove one of them.")
        }
        filter = request.parameter("where")
        sort = try Self.sort(request.parameter("sort") ?? "")
        if let text = request.parameter("rows") {
            guard let number = Int(text), Self.rowChoices.contains(number) else {
                throw BrowseError(
                    400, "'rows' is not a number of rows that a page can have. Use 50, 100 or 250.")
            }
            rows = number
        }
        if let text = request.parameter("count") {
            guard text == "exact" else { throw BrowseError(400, "'count' is not 'exact'. Remove it.") }
            isCounted = true
        }
        (after, before) = (request.parameter("after"), request.parameter("before"))
        if after != nil, before != nil {
            throw BrowseError(400, "'after' and 'before' exclude each other. Remove one of them.")
        }
        owner = try request.parameter("of").map(Self.owner)
    }

    /// Returns the keys of a sort order.
    private static func sort(_ text: String) throws -> [String] {
        let keys = text.split(separator: ",").map { $0.trimmingPrefix(while: \.isWhitespace) }.map { key in
            String(key.reversed().drop(while: \.isWhitespace).reversed())
        }.filter { !$0.isEmpty }
        let paths = Set(keys.map { $0.hasPrefix("-") ? String($0.dropFirst()) : $0 })
        guard paths.count == keys.count else {
            throw BrowseError(400, "'sort' has a property twice. Remove one of them.")
        }
        guard keys.count <= mostKeys else {
            throw BrowseError(400, "'sort' has more than \(mostKeys) properties. Remove some.")
        }
        // A link has it with a filter and a position.
        guard FormText.encoded(text).utf8.count <= 8_000 else {
            throw BrowseError(400, "'sort' has more than 8,000 bytes. Use shorter key paths.")
        }
        return keys
    }

    private static func owner(_ text: String) throws -> BrowseQuery.Owner {
        let parts = text.split(separator: "/").map(String.init)
        guard parts.count == 3, let key = Int64(parts[1]) else {
            throw BrowseError(
                400, "'of' is not an entity, a key and a relationship. Open the list from its object.")
        }
        return BrowseQuery.Owner(entityName: parts[0], relationshipName: parts[2], key: key)
    }

    /// The fields of the address.
    var query: [(name: String, value: String)] {
        var fields = columns.map { (name: "column", value: $0) }
        if let filter { fields.append(("where", filter)) }
        if !sort.isEmpty { fields.append(("sort", sort.joined(separator: ","))) }
        if rows != 50 { fields.append(("rows", String(rows))) }
        if let owner {
            fields.append(("of", "\(owner.entityName)/\(owner.key)/\(owner.relationshipName)"))
        }
        if isCounted { fields.append(("count", "exact")) }
        if let after { fields.append(("after", after)) }
        if let before { fields.append(("before", before)) }
        return fields
    }

    /// Returns the view with changes, from its first page.
    func changed(_ change: (inout ObjectsView) -> Void) -> ObjectsView {
        var other = self
        (other.after, other.before, other.isCounted) = (nil, nil, false)
        change(&other)
        return other
    }

    /// The direction of a column; nil if it does not sort the table.
    func isAscending(_ column: String) -> Bool? {
        sort.contains(column) ? true : sort.contains("-" + column) ? false : nil
    }

    /// Returns the same view with other columns.
    func showing(_ columns: [String]) -> ObjectsView {
        var other = self
        other.columns = columns
        return other
    }

    /// The columns that are shown: the usual ones, or the first that were chosen.
    func shownColumns(_ guide: ModelGuide) -> [String] {
        if columns.isEmpty { return guide.mainColumns(of: entity, Self.usualColumns, used: used) }
        return guide.readable(Array(columns.prefix(Self.mostColumns)), of: entity)
    }

    /// The properties at the beginning of the key paths of the filter and the order.
    private var used: [String] {
        let format = filter.map { (try? FilterDates($0).format) ?? $0 }
        let paths = format.flatMap { PredicateTree.keyPaths(ofFormat: $0, arguments: []) } ?? []
        let keys = sort.map { key in
            String((key.hasPrefix("-") ? key.dropFirst() : key[...]).prefix { $0 != "." })
        }
        return paths.compactMap(\.first) + keys
    }

    var sortKeys: [SortKey<ManagedObject>] {
        sort.map { $0.hasPrefix("-") ? .key(String($0.dropFirst()), ascending: false) : .key($0) }
    }
}
