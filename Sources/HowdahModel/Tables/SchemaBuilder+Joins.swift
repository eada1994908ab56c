/// The names in a table of links, seen from the leading side.
struct JoinTable {
    let name: String
    var own = ""
    var ownEntity: String?
    var other = ""
    var otherEntity: String?
    /// The order of the leading side's destinations.
    var ownOrder: String?
    /// The order of the other side's destinations.
    var otherOrder: String?
}

extension SchemaBuilder {
    mutating func addJoinTable(of pair: RelationshipPair) {
        guard var join = joins[pair.key] else { return }
        nameColumns(of: pair, in: &join)
        joins[pair.key] = join
        var table = StoreSchema.Table(
            name: join.name, columns: [], primaryKey: [join.own, join.other],
            primaryKeyName: join.name + "_pkey",
            foreignKeys: [], checks: [], uniques: [], indexes: [])
        let inverseKey = pair.inverseKey ?? pair.key
        addEnd(
            (join.own, join.ownEntity), to: pair.key.entity, action: pair.relationship.deleteRule.linkAction,
            StoreSchema.Origin(pair.key.entity, [pair.key.name]), in: &table)
        addEnd(
            (join.other, join.otherEntity), to: pair.relationship.destination,
            action: pair.inverse?.deleteRule.linkAction ?? (pair.inverse == nil ? .cascade : nil),
            StoreSchema.Origin(inverseKey.entity, [inverseKey.name]), in: &table)
        for order in [join.ownOrder, join.otherOrder].compactMap({ $0 }) {
            table.columns.append(StoreSchema.Column(order, .int8, default: .int(0)))
        }
        table.addIndex(on: [join.other, join.own], StoreSchema.Origin(inverseKey.entity, [inverseKey.name]))
        tables.append(table)
    }

    private mutating func addEnd(
        _ columns: (key: String, entity: String?), to destination: String,
        action: StoreSchema.ForeignKey.Action?,
        _ origin: StoreSchema.Origin, in table: inout StoreSchema.Table
    ) {
        table.columns.append(StoreSchema.Column(columns.key, .int8))
        if let entity = columns.entity {
            table.columns.append(StoreSchema.Column(entity, .text))
            table.addCheck(
                entity, .isOneOf(column: entity, model.concreteStoredNames(of: destination)), origin)
        }
        if let action {
            addForeignKey(
                [columns.key, columns.entity].compactMap { $0 }, to: destination, action, origin, in: &table)
        }
    }

    /// A column is called after the relationship that leads to what it holds; where there is none, or both have the
    /// same name, after the entity.
    private mutating func nameColumns(of pair: RelationshipPair, in join: inout JoinTable) {
        let inverse = pair.isSelfInverse ? nil : pair.inverse
        var own = inverse?.name.snakeCased ?? pair.key.entity.snakeCased
        var other = pair.key.name.snakeCased
        if inverse != nil, own == other {
            own = pair.key.entity.snakeCased
            other = pair.relationship.destination.snakeCased
        }
        let givenOwn = inverse?.userInfo[MappingKey.column]
        let givenOther = pair.relationship.userInfo[MappingKey.column]
        own = givenOwn ?? own
        other = givenOther ?? other

        var scope = NameScope(taken: Self.reservedColumns)
        scope.request(own, for: "own", rank: givenOwn == nil ? .declared : .given)
        scope.request(other, for: "other", rank: givenOther == nil ? .declared : .given)
        if model.isInHierarchy(pair.key.entity) {
            scope.request(own + "_entity", for: "own#entity", rank: .derived)
        }
        if model.isInHierarchy(pair.relationship.destination) {
            scope.request(other + "_entity", for: "other#entity", rank: .derived)
        }
        if pair.relationship.isOrdered { scope.request(other + "_order", for: "own#order", rank: .derived) }
        if inverse?.isOrdered == true { scope.request(own + "_order", for: "other#order", rank: .derived) }
        let names = scope.resolve()
        join.own = names["own"] ?? own
        join.other = names["other"] ?? other
        join.ownEntity = names["own#entity"]
        join.otherEntity = names["other#entity"]
        join.ownOrder = names["own#order"]
        join.otherOrder = names["other#order"]
        if let givenOther, givenOther != join.other {
            reportUnusable(givenOther, key: MappingKey.column, pair.key.entity, pair.key.name)
        }
        if let givenOwn, givenOwn != join.own, let key = pair.inverseKey {
            reportUnusable(givenOwn, key: MappingKey.column, key.entity, key.name)
        }
    }
}
