import HowdahModel
import HowdahRuntime
import PQClient

/// Selects the parts of a mapping that run as statements, and those that run object by object.
///
/// Mappings with a migration policy run object by object, and so do values that SQL cannot compute.
struct MappedPasses {
    let layouts: MappingLayouts
    let policies: [String: EntityMigrationPolicy.Type]
    private(set) var all: [MappedPass] = []
    private(set) var issues: [String] = []
    /// The direct links. They are set if no part runs object by object, so that only statements need the
    /// pairs.
    private var direct: DirectLinks?

    init(_ layouts: MappingLayouts, _ policies: [String: EntityMigrationPolicy.Type]) throws {
        self.layouts = layouts
        self.policies = policies
        for entry in layouts.entries { check(entry) }
        guard issues.isEmpty else { return }
        try addAll()
        guard !needsObjects, let direct = DirectLinks(layouts) else { return }
        self.direct = direct
        all = []
        try addAll()
    }

    private mutating func addAll() throws {
        for entry in layouts.entries { try addInstances(entry) }
        if direct?.recorded.isEmpty != true {
            all.append(
                MappedPass(
                    reason: "statistics of associations",
                    work: .statements([MappedStatement("ANALYZE \(layouts.pairs.table)")])))
        }
        for entry in layouts.entries { try addRelationships(entry) }
        for entry in layouts.entries where hasPolicy(entry) { addPolicy("validation", .validation, entry) }
        let lists = ListStatements(layouts: layouts)
        add("places in lists", lists.places)
        add("versions of objects that are kept", byObjects.compactMap(lists.versions))
    }

    /// A Boolean value that indicates whether any part runs object by object.
    var needsObjects: Bool {
        all.contains { if case .statements = $0.work { false } else { true } }
    }

    private var byObjects: [MappingLayouts.Entry] {
        all.compactMap { if case .objects(.instances, let entry) = $0.work { entry } else { nil } }
    }

    private mutating func add(_ reason: String, _ statements: [MappedStatement]) {
        guard !statements.isEmpty else { return }
        all.append(MappedPass(reason: reason, work: .statements(statements)))
    }

    private mutating func addPolicy(
        _ part: String, _ work: MappedPass.ObjectWork, _ entry: MappingLayouts.Entry
    ) {
        all.append(
            MappedPass(
                reason: "\(title(entry)): \(part) by \(policyName(entry))", work: .objects(work, entry)))
    }

    private func hasPolicy(_ entry: MappingLayouts.Entry) -> Bool {
        entry.mapping.entityMigrationPolicyClassName != nil
    }

    private func policyName(_ entry: MappingLayouts.Entry) -> String {
        entry.mapping.entityMigrationPolicyClassName ?? ""
    }

    private func title(_ entry: MappingLayouts.Entry) -> String {
        let mapping = entry.mapping
        guard let from = mapping.sourceEntityName, let to = mapping.destinationEntityName else {
            return mapping.name
        }
        return "\(mapping.name): \(from) → \(to)"
    }

    // MARK: - Before anything

    private mutating func check(_ entry: MappingLayouts.Entry) {
        let mapping = entry.mapping
        let policy = mapping.entityMigrationPolicyClassName.flatMap { policies[$0] }
        if let name = mapping.entityMigrationPolicyClassName, policy == nil {
            let hint =
                NearestName.of(name, among: Array(policies.keys)).map { "Did you mean \($0)?" }
                ?? (policies.isEmpty
                    ? "Add the policy to the stage."
                    : "Use one of \(policies.keys.sorted().joined(separator: ", ")).")
            issues.append("\(mapping.name): The stage has no migration policy \(name). \(hint)")
        }
        if let to = entry.destination, to.isAbstract, entry.source?.isAbstract == false, policy == nil {
            issues.append(
                "\(mapping.name): \(to.name) is abstract and has no objects. Map to a subentity of \(to.name)."
            )
        }
        for property in mapping.attributeMappings + mapping.relationshipMappings {
            guard let expression = property.valueExpression else { continue }
            if let complaint = expression.complaint {
                issues.append("\(mapping.name).\(property.name): \(complaint)")
            }
            if let statements = InstanceStatements(entry, layouts), let operand = expression.onSource,
                let complaint = statements.complaint(operand)
            {
                issues.append("\(mapping.name).\(property.name): \(complaint)")
            }
            guard let policy else { continue }
            for selector in expression.policySelectors where !policy.selectors.contains(selector) {
                issues.append(
                    "\(mapping.name).\(property.name): The migration policy \(policyName(entry)) does not implement \(selector). "
                        + "Add the selector to the policy's selectors, and return a value for it in value(forSelector:arguments:in:manager:)."
                )
            }
        }
        guard mapping.sourceFilter != nil, let statements = InstanceStatements(entry, layouts) else { return }
        do {
            _ = try statements.association()
        } catch {
            issues.append("\(mapping.name): The source filter cannot be run: \(error)")
        }
    }

    // MARK: - Passes

    private mutating func addInstances(_ entry: MappingLayouts.Entry) throws {
        if hasPolicy(entry) { return addPolicy("objects", .instances, entry) }
        guard entry.source?.isAbstract != true,
            let statements = InstanceStatements(entry, layouts, direct)
        else { return }
        guard let all = try statements.all() else {
            self.all.append(
                MappedPass(
                    reason: "\(title(entry)): objects one by one", work: .objects(.instances, entry)))
            return
        }
        let references = entry.mapping.relationshipMappings.filter { direct?.reference($0, of: entry) != nil }
        add("\(title(entry)): " + (["objects"] + references.map(\.name)).joined(separator: ", "), all)
    }

    private mutating func addRelationships(_ entry: MappingLayouts.Entry) throws {
        if hasPolicy(entry) { return addPolicy("relationships", .relationships, entry) }
        guard let from = entry.source, !from.isAbstract, entry.destination != nil else { return }
        var rest = entry.mapping
        rest.relationshipMappings = []
        for property in entry.mapping.relationshipMappings {
            guard let expression = property.valueExpression, direct?.reference(property, of: entry) == nil
            else { continue }
            if let statements = LinkStatements(property, entry, layouts)?.all(expression, direct) {
                add("\(title(entry)): \(property.name)", statements)
            } else {
                rest.relationshipMappings.append(property)
            }
        }
        guard !rest.relationshipMappings.isEmpty else { return }
        let names = rest.relationshipMappings.map(\.name).joined(separator: ", ")
        all.append(
            MappedPass(
                reason: "\(title(entry)): \(names) one by one",
                work: .objects(.relationships, entry.replacing(rest))))
    }
}

extension MappingLayouts.Entry {
    /// Returns the same entry with fewer relationships to set.
    fileprivate func replacing(_ mapping: EntityMapping) -> Self {
        Self(
            index: index, mapping: mapping, source: source, destination: destination, keepsIDs: keepsIDs,
            followsOthers: followsOthers)
    }
}
