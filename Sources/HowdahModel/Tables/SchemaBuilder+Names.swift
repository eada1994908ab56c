extension SchemaBuilder {
    mutating func nameTables() {
        var scope = NameScope(taken: takenNames)
        var given: [(identity: String, name: String, entity: String, property: String?)] = []
        func request(
            _ wanted: String, _ identity: String, _ userInfo: [String: String], _ entity: String,
            _ property: String?
        ) {
            // An entity's table keeps its name when a table of links wants it too.
            let rank = property == nil ? NameScope.Rank.declared : .derived
            let name = userInfo[MappingKey.table]
            if let name { given.append((identity, name, entity, property)) }
            scope.request(name ?? wanted, for: identity, rank: name == nil ? rank : .given)
        }
        for root in model.roots {
            request(root.name.snakeCased, "table/" + root.name, root.userInfo, root.name, nil)
        }
        for pair in leadingPairs {
            // Either side may name the table; the leading one is asked first.
            let named = pair.relationship.userInfo[MappingKey.table] != nil ? pair.relationship : pair.inverse
            request(
                pair.key.entity.snakeCased + "_" + pair.key.name.snakeCased, "join/" + pair.key.identity,
                named?.userInfo ?? [:], pair.key.entity, pair.key.name)
        }
        let names = scope.resolve()
        for item in given where names[item.identity] != item.name {
            reportUnusable(item.name, key: MappingKey.table, item.entity, item.property)
        }
        for root in model.roots { tableNames[root.name] = names["table/" + root.name] }
        for pair in leadingPairs {
            joins[pair.key] = JoinTable(name: names["join/" + pair.key.identity] ?? "")
        }
        takenNames = scope.taken
    }

    /// The constraints and indexes have the names they want until here.
    mutating func nameConstraints() {
        var scope = NameScope(taken: takenNames)
        for index in tables.indices {
            let table = tables[index]
            var counts: [String: Int] = [:]
            tables[index].renameConstraints { wanted in
                let count = counts[wanted, default: 0]
                counts[wanted] = count + 1
                let identity = [table.name, wanted, String(count)].joined(separator: PropertyKey.separator)
                scope.request(wanted, for: identity, rank: .derived)
                return identity
            }
        }
        let names = scope.resolve()
        for index in tables.indices {
            tables[index].renameConstraints { names[$0] ?? $0 }
        }
    }

    mutating func reportUnusable(_ name: String, key: String, _ entity: String, _ property: String?) {
        let problem =
            if name.isEmpty || name.unicodeScalars.contains(where: \.isInvisibleControl) {
                "is empty or contains control characters"
            } else if name.utf8.count > NameScope.maximumLength {
                "is longer than \(NameScope.maximumLength) bytes"
            } else {
                "is reserved or already used"
            }
        report(
            .invalidMapping, entity, property,
            "The name \"\(name)\" in \(key) \(problem). Choose another name.")
    }
}

extension StoreSchema.Table {
    /// In the order: primary key, foreign keys, checks, uniques, indexes, triggers.
    fileprivate mutating func renameConstraints(_ rename: (String) -> String) {
        primaryKeyName = rename(primaryKeyName)
        for index in foreignKeys.indices { foreignKeys[index].name = rename(foreignKeys[index].name) }
        for index in checks.indices { checks[index].name = rename(checks[index].name) }
        for index in uniques.indices { uniques[index].name = rename(uniques[index].name) }
        for index in indexes.indices { indexes[index].name = rename(indexes[index].name) }
        for index in triggers.indices { triggers[index].name = rename(triggers[index].name) }
    }
}
