import Howdah

/// An entity whose hooks throw the error that the task gives.
final class Permit: ManagedObject {
    /// A validation hook.
    enum Hook: CaseIterable { case value, insert, update, delete }

    /// An error of the class's own.
    struct Refusal: Error, Equatable { let hook: Hook }

    @TaskLocal static var thrown: (hook: Hook, error: @Sendable (Permit) -> any Error)?

    override class var entity: EntityDescription? {
        EntityDescription(
            "Permit", properties: [.attribute("title", .string, optional: false, default: "new")])
    }

    static func model() throws -> ManagedObjectModel { try ManagedObjectModel(Permit.self) }

    @exclusivity(unchecked) private var _title = String._zero

    var title: String {
        get { _willRead(0); return _title }
        set { _willWrite(0); _title = newValue._stored; _didWrite(0) }
    }

    private func fail(_ hook: Hook) throws {
        if let thrown = Self.thrown, thrown.hook == hook { throw thrown.error(self) }
    }

    override class var validatedKeys: [String] { ["title"] }

    override func validateValue(_ value: Any?, forKey key: String) throws {
        try super.validateValue(value, forKey: key)
        try fail(.value)
    }

    override func validateForInsert() throws {
        try super.validateForInsert()
        try fail(.insert)
    }

    override func validateForUpdate() throws {
        try super.validateForUpdate()
        try fail(.update)
    }

    override func validateForDelete() throws { try fail(.delete) }

    override func _decode(_ row: inout _RowReader) { _title = row.read() }
    override func _value(at slot: Int) -> Value { slot == 0 ? _title._value : .null }
    override func _assign(_ value: Value, at slot: Int) -> Bool {
        slot == 0 && String._make(value).map { _title = $0 } != nil
    }
}
