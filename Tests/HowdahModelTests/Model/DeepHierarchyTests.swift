import HowdahModel
import Testing

/// Hierarchies far deeper than any real one are looked at in one pass; a walk per step of each walk would not end here.
@Suite(.timeLimit(.minutes(60)))
struct DeepHierarchyTests {
    private static let depth = 2_000

    private static func entities(_ properties: (Int) -> [PropertyDescription]) -> [EntityDescription] {
        (0..<depth).map { level in
            EntityDescription(
                "E\(level)", superentity: level == 0 ? nil : "E\(level - 1)", properties: properties(level))
        }
    }

    private static func issues(_ entities: [EntityDescription]) -> [ModelIssue] {
        do {
            _ = try ManagedObjectModel(entities: entities)
            return []
        } catch {
            return error.issues
        }
    }

    @Test func tooManyColumnsAreRefusedOnce() {
        let found = Self.issues(Self.entities { [.attribute("a\($0)", .string)] })
        #expect(found.map(\.code) == [.tooManyColumns])
        #expect(found.first?.message.contains("2000 columns") == true)
    }

    @Test func everyLevelIsFound() throws {
        let entities = Self.entities { $0 == 0 ? [.attribute("name", .string)] : [] }
        let model = try ManagedObjectModel(entities: entities.reversed())
        let last = "E\(Self.depth - 1)"
        #expect(model.root(of: last)?.name == "E0")
        #expect(model.lineage(of: last).map(\.name) == entities.map(\.name).reversed())
        #expect(model.descendants(of: "E0").map(\.name) == entities.map(\.name))
        #expect(model.property(named: "name", of: last)?.name == "name")
        #expect(model.properties(of: last).map(\.name) == ["name"])
        #expect(model.property(named: "other", of: last) == nil)
        #expect(model.isInHierarchy(last))
        #expect(model.warnings == [])
    }

    @Test func aNameOfASuperentityIsTakenOnAllLevels() {
        let found = Self.issues(Self.entities { $0 % 1_000 == 0 ? [.attribute("name", .string)] : [] })
        #expect(found.map(\.code) == [.duplicateName])
        #expect(found.first?.message.contains("Its superentity E0") == true)
    }

    @Test func everyEntityOfACycleIsToldAndNoneThatLeadsIntoIt() {
        var entities = Self.entities { _ in [.attribute("name", .string)] }
        entities[0].superentity = "E\(Self.depth - 11)"
        let found = Self.issues(entities).filter { $0.code == .superentityCycle }
        #expect(found.count == Self.depth - 10)
        #expect(found.last?.entityName == "E\(Self.depth - 11)")
        #expect(found.allSatisfy { $0.message.utf8.count < 300 })
        #expect(found.first?.message.contains("E0, E1989, E1988") == true)
    }
}
