/// A fetch index whose properties are known as columns, before it is decided how much of each it holds.
struct IndexDraft {
    /// A column that an index can have.
    struct Column {
        let name: String
        /// The property, then the elements of composites that lead to the value.
        let path: [String]
        let type: StoreSchema.ColumnType
        /// Nil for the key of a relationship.
        let attribute: AttributeDescription?
        let isNullable: Bool

        var isCaseInsensitive: Bool { attribute?.isCaseInsensitive ?? false }
    }

    struct Member {
        enum Subject {
            case column(Column)
            case folded(Column, PredicateTree.Options)
            case localized(Column, locale: String)
            case expression(String)
        }

        let subject: Subject
        let isAscending: Bool

        init(subject: Subject, isAscending: Bool) {
            self.subject = subject
            self.isAscending = isAscending
        }

        /// A column as comparisons with `options` see it; those of a case-insensitive attribute never look at case.
        init(folding options: PredicateTree.Options, of column: Column, isAscending: Bool) {
            let isOwn = column.isCaseInsensitive && options == .caseInsensitive
            self.init(
                subject: isOwn
                    ? .column(column)
                    : .folded(column, column.isCaseInsensitive ? options.union(.caseInsensitive) : options),
                isAscending: isAscending)
        }

        /// The column, where it is a member as it is.
        var column: Column? { if case .column(let column) = subject { column } else { nil } }
        var isRelationship: Bool { column.map { $0.attribute == nil } ?? false }
    }

    let entity: EntityDescription
    let name: String
    private let wantedMethod: FetchIndexDescription.Method
    var members: [Member] = []
    var filter: StoreSchema.Condition?
    /// The properties in order, elements of composites by dotted path; of expressions those whose columns they name.
    var properties: [String] = []

    init(_ index: FetchIndexDescription, in entity: EntityDescription) {
        self.entity = entity
        name = index.name
        wantedMethod = index.method
    }

    private var hasExpression: Bool {
        members.contains { if case .expression = $0.subject { true } else { false } }
    }

    /// How the index is built. Numbers have no GiST operators; what Core Data asks its R-tree for, ranges, is what a
    /// B-tree has as well.
    var method: FetchIndexDescription.Method {
        wantedMethod == .gist && !hasExpression ? .btree : wantedMethod
    }

    /// The columns in order; nil where there is an expression or a folded text among the members.
    var columnNames: [String]? {
        let columns = members.compactMap(\.column)
        return columns.count == members.count ? columns.map(\.name) : nil
    }

    var plainElements: [StoreSchema.IndexElement] {
        members.compactMap { member in
            member.column.map { column in
                StoreSchema.IndexElement(
                    column.isCaseInsensitive ? .folded(column.name) : .column(column.name),
                    ascending: member.isAscending)
            }
        }
    }

    /// The index on a table that knows how much of its columns indexes hold.
    func index(on table: StoreSchema.Table) -> StoreSchema.Index {
        let elements = members.map { member in
            StoreSchema.IndexElement(
                subject(of: member, in: table), ascending: method == .btree ? member.isAscending : nil)
        }
        let prefix = entity.superentity == nil ? nil : entity.name.snakeCased
        let wanted = [table.name, prefix, name.snakeCased, "idx"].compactMap { $0 }.joined(separator: "_")
        return StoreSchema.Index(
            name: wanted, elements: elements, method: method, filter: filter,
            origin: StoreSchema.Origin(entity.name, properties, fetchIndex: self.name))
    }

    private func subject(
        of member: Member, in table: StoreSchema.Table
    ) -> StoreSchema.IndexElement.Subject {
        switch member.subject {
        case .expression(let sql): return .expression(sql)
        case .localized(let column, let locale): return .localized(column.name, locale: locale)
        case .folded(let column, let options):
            let prefix = method.isLimited ? table.column(column.name)?.foldedPrefixes[options] : nil
            return .folding(column.name, options, length: prefix)
        case .column(let column):
            guard method.isLimited, let length = table.column(column.name)?.indexPrefix else {
                return column.isCaseInsensitive ? .folded(column.name) : .column(column.name)
            }
            return .prefix(
                column.name, length: length, type: column.type, isFolded: column.isCaseInsensitive)
        }
    }
}

extension FetchIndexDescription.Method {
    /// Whether an entry that is too long is an error; a hash is as short for every value.
    var isLimited: Bool { self == .btree || self == .brin }

    /// Whether PostgreSQL has operators for columns of that type without being told which.
    func takes(_ type: StoreSchema.ColumnType) -> Bool {
        switch self {
        case .hash: true
        case .brin: type.isScalar && type != .boolean
        case .gin: !type.isScalar
        case .gist: false
        default: type.isScalar
        }
    }
}

extension StoreSchema.ColumnType {
    private static let scalars: Set<Self> = [
        .int2, .int4, .int8, .numeric, .float4, .float8, .text, .boolean, .timestamptz, .bytea, .uuid,
    ]

    /// Whether a value is one value, of bounded length or cut to it; others have members to look for.
    var isScalar: Bool { Self.scalars.contains(self) }
}
