import HowdahRuntime
import HowdahSchema

/// One step of a mapping's passes, and its work.
struct MappedPass: Sendable {
    enum Work: Sendable {
        case statements([MappedStatement])
        case objects(ObjectWork, MappingLayouts.Entry)
    }

    /// The work on objects of an entity mapping, by its policy or the default one.
    enum ObjectWork: Sendable {
        case instances, relationships, validation
    }

    let reason: String
    let work: Work

    func step(_ number: Int) -> MigrationStep {
        let statements: [String] =
            if case .statements(let statements) = work { statements.map(\.sql) } else { [] }
        return MigrationStep(reason, on: [], statements, lock: .none, pass: number)
    }
}
