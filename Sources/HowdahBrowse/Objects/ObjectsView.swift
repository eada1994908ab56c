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
    /// The object whose members are listed, as entity, key and relationship.
    var owner: BrowseQuery.Owner?

    static let rowChoices = [50, 100, 250]
    /// The number of columns that are shown unless others are chosen.
    private static let usualColumns = 12

    init(entity: String) { self.entity = entity }

    init(_ request: BrowseRequest, entity: String) throws {
        self.entity = entity
        columns = request.parameters("column").filter { !$0.isEmpty }
        filter = request.parameter("where")
        sort = (request.parameter("sort") ?? "").split(separator: ",").map(String.init)
        rows = request.parameter("rows").flatMap(Int.init) ?? 50
        guard Self.rowChoices.contains(rows) else {
            throw BrowseError(400, "A page cannot have that number of rows. Choose 50, 100 or 250.")
        }
        (after, before) = (request.parameter("after"), request.parameter("before"))
        owner = try request.parameter("of").map(Self.owner)
    }

    private static func owner(_ text: String) throws -> BrowseQuery.Owner {
        let parts = text.split(separator: "/").map(String.init)
        guard parts.count == 3, let key = Int64(parts[1]) else {
            throw BrowseError(400, "The owner of the members cannot be read. Open the list from its object.")
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
        if let after { fields.append(("after", after)) }
        if let before { fields.append(("before", before)) }
        return fields
    }

    /// Returns the view with changes, from its first page.
    func changed(_ change: (inout ObjectsView) -> Void) -> ObjectsView {
        var other = self
        (other.after, other.before) = (nil, nil)
        change(&other)
        return other
    }

    /// The direction of a column; nil if it does not sort the table.
    func isAscending(_ column: String) -> Bool? {
        sort.contains(column) ? true : sort.contains("-" + column) ? false : nil
    }

    /// The columns that are shown.
    func shownColumns(_ guide: ModelGuide) -> [String] {
        columns.isEmpty ? Array(guide.columns(of: entity).prefix(Self.usualColumns)) : columns
    }

    var sortKeys: [SortKey<ManagedObject>] {
        sort.map { $0.hasPrefix("-") ? .key(String($0.dropFirst()), ascending: false) : .key($0) }
    }
}
