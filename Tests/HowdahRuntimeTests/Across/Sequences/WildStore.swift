import HowdahModel
import PQClient

@testable import HowdahRuntime

/// Reads what a store holds with plain SQL, past contexts and fetches.
struct WildStore: Sendable {
    private let statement: String
    private let clearing: String

    /// Finds the tables and columns.
    init(_ container: PersistentContainer) async throws {
        (statement, clearing) = try await container.perform { context in
            let layouts = try WildKind.allCases.map { kind in
                try (kind, context.store.layouts.layout(named: kind.rawValue).orThrow())
            }
            var parts: [String] = []
            var tables: [String] = []
            for (kind, layout) in layouts where kind != .leaf {
                let entity = kind == .item ? "_entity" : "'\(kind.rawValue)'"
                tables.append(layout.table.name)
                parts.append(
                    "SELECT -1::bigint, _id, number, value, note, \(entity)::text FROM \(layout.table.name)")
            }
            for (place, relation) in WildRelation.all.enumerated() {
                let layout = try layouts.first { $0.0 == relation.owner }.orThrow().1
                let slot = try layout.slotsByName[relation.name].orThrow()
                let (own, other, order, table): (String, String, String?, String)
                switch layout.relationship(slot).storage {
                case .foreignKey(let key):
                    (own, other, order, table) = ("_id", key.column, nil, key.table.name)
                case .inverse(let key):
                    (own, other, order, table) = (key.column, "_id", key.orderColumn, key.table.name)
                case .join(let pairs):
                    (own, other, order, table) =
                        (pairs.ownColumn, pairs.otherColumn, pairs.orderColumn, pairs.table)
                case .memory: continue
                }
                parts.append(
                    "SELECT \(place), \(own), \(other), \(order ?? "0"), NULL, NULL FROM \(table) "
                        + "WHERE \(own) IS NOT NULL AND \(other) IS NOT NULL")
            }
            return (
                parts.joined(separator: " UNION ALL ") + " ORDER BY 1, 2, 4, 3",
                "TRUNCATE \(tables.joined(separator: ", ")) CASCADE"
            )
        }
    }

    func read(_ context: ManagedObjectContext) throws -> WildGraph {
        let result = try context.withConnection { try $0.query(statement) }
        var numbers: [Int64: Int] = [:]
        var graph = WildGraph()
        for index in 0..<result.rowCount {
            let row = result.row(index)
            let (relation, key) = (Int(row[0].int64), row[1].int64)
            if relation < 0 {
                let number = Int(row[2].int64)
                numbers[key] = number
                guard let kind = WildKind(rawValue: row[5].string()) else { continue }
                graph.nodes[number] = WildGraph.Node(
                    kind: kind, value: Int(row[3].int64), note: row[4].isNull ? nil : row[4].string())
            } else if let owner = numbers[key], let member = numbers[row[2].int64] {
                graph.nodes[owner]?.links[relation, default: []].append(member)
            }
        }
        return graph
    }

    func clear(_ context: ManagedObjectContext) throws {
        _ = try context.withConnection { try $0.query(clearing, cached: false) }
    }
}

extension Optional {
    fileprivate func orThrow() throws -> Wrapped {
        guard let self else { throw CancellationError() }
        return self
    }
}
