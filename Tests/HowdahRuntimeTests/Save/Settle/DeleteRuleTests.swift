import Howdah
import HowdahTesting
import PQClient
import TestSupport
import Testing

@testable import HowdahRuntime

@Suite struct DeleteRuleTests {
    private typealias Model = DeleteRuleModel

    private static func connect(_ owner: ManagedObject, _ item: ManagedObject) {
        if case .toMany = owner.layout.slots[1].kind {
            owner.members(forKey: "items").insert(item)
        } else {
            owner["items"] = item
        }
    }

    private static func count(_ entity: String, _ context: ManagedObjectContext) throws -> Int {
        try context.count(for: FetchRequest<ManagedObject>(entityName: entity))
    }

    /// Every shape, every rule, with the other end loaded and not, and with new objects.
    @Test func rulesReachWhatTheySay() async throws {
        try await withStore(Model.model()) { container, sql in
            for shape in Model.Shape.allCases {
                for rule in Model.rules {
                    for isLoaded in [false, true] {
                        try await check(shape, rule, isLoaded: isLoaded, container)
                    }
                }
            }
            // Links do not outlive their ends.
            for table in try sql.rows(
                "SELECT tablename::text FROM pg_tables WHERE tablename LIKE '%many_to_many%items'")
            {
                #expect(try sql.value("SELECT count(*)::text FROM \"\(table[0] ?? "")\"") == "0")
            }
        }
    }

    private func check(
        _ shape: DeleteRuleModel.Shape, _ rule: DeleteRule, isLoaded: Bool, _ container: PersistentContainer
    ) async throws {
        let (owners, items) = (Model.owner(shape, rule), Model.item(shape, rule))
        let comment = Comment(rawValue: "\(shape) \(rule.rawValue) \(isLoaded ? "loaded" : "unloaded")")
        try await container.perform { context in
            let (owner, item, bystander) = (
                context.insert(owners), context.insert(items), context.insert(items)
            )
            bystander["name"] = "bystander"
            Self.connect(owner, item)
            try context.save()
        }
        try await container.perform { context in
            let owner = try #require(try context.fetch(FetchRequest<ManagedObject>(entityName: owners)).first)
            var loaded: [ManagedObject] = []
            if isLoaded {
                loaded = try context.fetch(FetchRequest<ManagedObject>(entityName: items))
                for item in loaded where item.layout.slotsByName["owners"] != nil { _ = item["owners"] }
                _ = owner["items"]
            }
            context.delete(owner)
            let error = saveError { try context.save() }
            switch rule {
            case .deny:
                #expect(error?.code == .referentialIntegrity, comment)
                #expect(
                    error?.issues.first?.entityName == owners && error?.issues.first?.propertyName == "items",
                    comment)
                #expect(context.deletedObjects == [owner], comment)
                // Without destinations nothing denies.
                context.rollback()
                let items = try context.fetch(FetchRequest<ManagedObject>(entityName: items))
                for item in items { context.delete(item) }
                context.delete(owner)
                #expect(throws: Never.self, comment) { try context.save() }
            case .cascade:
                #expect(error == nil, comment)
                #expect(try Self.count(items, context) == 1, comment)
            default:
                #expect(error == nil, comment)
                #expect(try Self.count(items, context) == 2, comment)
                for item in loaded where item.layout.slotsByName["owners"] != nil {
                    let value = item["owners"]
                    #expect(value == nil || (value as? [ManagedObject])?.isEmpty == true, comment)
                }
            }
            #expect(try Self.count(owners, context) == 0, comment)
            for item in try context.fetch(FetchRequest<ManagedObject>(entityName: items)) {
                context.delete(item)
            }
            try context.save()
        }
    }

    /// Removing the last destination and deleting the owner in one save is not denied.
    @Test(arguments: [DeleteRuleModel.Shape.toMany, .oneToOne, .holder, .manyToMany, .oneWayMany])
    func denyLooksAtTheGraphAsItWillBe(shape: DeleteRuleModel.Shape) async throws {
        try await withStore(Model.model()) { container, _ in
            let (owners, items) = (Model.owner(shape, .deny), Model.item(shape, .deny))
            try await container.perform { context in
                let (owner, item) = (context.insert(owners), context.insert(items))
                Self.connect(owner, item)
                try context.save()
                if case .toMany = owner.layout.slots[1].kind {
                    owner.members(forKey: "items").remove(item)
                } else {
                    owner["items"] = nil
                }
                context.delete(owner)
                try context.save()
                #expect(try Self.count(owners, context) == 0 && Self.count(items, context) == 1)
            }
        }
    }

    /// An owner that leads elsewhere in memory takes along what it leads to now.
    @Test func cascadeFollowsTheGraphAsItWillBe() async throws {
        try await withStore(Model.model()) { container, sql in
            for shape in [DeleteRuleModel.Shape.holder, .manyToMany, .toMany, .oneToOne] {
                let (owners, items) = (Model.owner(shape, .cascade), Model.item(shape, .cascade))
                try await container.perform { context in
                    let (owner, old, new) = (
                        context.insert(owners), context.insert(items), context.insert(items)
                    )
                    (old["name"], new["name"]) = ("old", "new")
                    Self.connect(owner, old)
                    try context.save()
                    if shape == .manyToMany || shape == .toMany { owner.members(forKey: "items").remove(old) }
                    Self.connect(owner, new)
                    context.delete(owner)
                    try context.save()
                    let left = try context.fetch(FetchRequest<ManagedObject>(entityName: items))
                    #expect(left.map { $0["name"] as? String } == ["old"], "\(shape)")
                }
            }
        }
    }

    /// What another session added after this one loaded the collection is reached too.
    @Test(arguments: [DeleteRule.nullify, .cascade, .deny])
    func rulesReachWhatOthersAddedMeanwhile(rule: DeleteRule) async throws {
        try await withStore(Model.model()) { container, sql in
            let (owners, items) = (Model.owner(.toMany, rule), Model.item(.toMany, rule))
            let id = try await container.perform { context in
                let owner = context.insert(owners)
                try context.save()
                return owner.objectID
            }
            let other = container.newBackgroundContext()
            try await container.perform { context in
                let owner: ManagedObject = try context.existingObject(with: id)
                #expect(owner.members(forKey: "items").objects.isEmpty)
                try other.performAndWait { context in
                    let owner: ManagedObject = try context.existingObject(with: id)
                    let item = context.insert(items)
                    item["owners"] = owner
                    try context.save()
                }
                context.delete(owner)
                let error = saveError { try context.save() }
                #expect((error?.code == .referentialIntegrity) == (rule == .deny))
                #expect(try Self.count(items, context) == (rule == .cascade ? 0 : 1))
            }
            if rule == .nullify {
                let table = "item_to_many_nullify"
                #expect(try sql.rows("SELECT owners::text, _version::text FROM \(table)") == [[nil, "2"]])
            }
        }
    }

    /// Losing the destination of a required relationship is told before anything is written.
    @Test func requiredInverseAndNullifyIsAValidationError() async throws {
        let model = try ManagedObjectModel(
            entities: [
                EntityDescription(
                    "Parent",
                    properties: [.relationship("children", to: "Child", inverse: "parent", toMany: true)]),
                EntityDescription(
                    "Child",
                    properties: [.relationship("parent", to: "Parent", inverse: "children", optional: false)]),
                EntityDescription("Fan", properties: [.relationship("idol", to: "Parent", optional: false)]),
            ])
        try await withStore(model) { container, sql in
            for (entity, property) in [("Child", "parent"), ("Fan", "idol")] {
                for isLoaded in [false, true] {
                    try await container.perform { context in
                        let parent = context.insert("Parent")
                        let child = context.insert(entity)
                        child[property] = parent
                        try context.save()
                        if !isLoaded { context.refresh(child) }
                        context.delete(parent)
                        let error = saveError { try context.save() }
                        #expect(error?.code == .validation)
                        #expect(error?.issues.map(\.entityName) == [entity])
                        #expect(error?.issues.map(\.propertyName) == [property])
                        // Given another one in the same save, the old one may go.
                        let other = context.insert("Parent")
                        child[property] = other
                        try context.save()
                        #expect(child[property] as? ManagedObject === other)
                        context.delete(child)
                        context.delete(other)
                        try context.save()
                    }
                }
            }
            #expect(try sql.value("SELECT count(*)::text FROM parent") == "0")
        }
    }

    @Test func childrenMoveBeforeTheirParentGoes() async throws {
        try await withStore(DeleteRuleModel.model()) { container, sql in
            let (owners, items) = (Model.owner(.toMany, .cascade), Model.item(.toMany, .cascade))
            try await container.perform { context in
                let (old, new) = (context.insert(owners), context.insert(owners))
                let children = (0..<300).map { index in
                    let child = context.insert(items)
                    child["name"] = "\(index)"
                    child["owners"] = old
                    return child
                }
                try context.save()
                for child in children.prefix(200) { child["owners"] = new }
                context.delete(old)
                try context.save()
                #expect(new.members(forKey: "items").count == 200)
                #expect(children.filter(\.isDeleted).count == 100)
                #expect(children[0].version == 2)
            }
            #expect(
                try sql.value("SELECT count(*)::text FROM item_to_many_cascade WHERE _version = 2") == "200")
        }
    }
}
