import Howdah

/// An entity that writes down which hooks were called, and what it saw then.
final class Diary: ManagedObject {
    override class var entity: EntityDescription? {
        EntityDescription(
            "Diary",
            properties: [
                .attribute("title", .string),
                .relationship("pages", to: "Diary", inverse: "book", toMany: true, deleteRule: .cascade),
                .relationship("book", to: "Diary", inverse: "pages"),
            ])
    }

    static func model() throws -> ManagedObjectModel { try ManagedObjectModel(Diary.self) }

    @exclusivity(unchecked) private var _title: String?
    @exclusivity(unchecked) private var _pages: _ToManyState?
    @exclusivity(unchecked) private var _book = _ToOneField()
    /// The hooks called so far.
    var calls: [String] = []
    /// What `willSave` does besides.
    var onWillSave: ((Diary) -> Void)?

    var title: String? {
        get { _willRead(0); return _title }
        set { _willWrite(0); _title = newValue._stored; _didWrite(0) }
    }
    var pages: ToMany<Diary> { ToMany(self, 1) }
    var book: Diary? {
        get { _destination(_book, 2) }
        set { _setDestination(newValue, 2) }
    }

    override func awakeFromInsert() {
        calls.append("awakeFromInsert")
        title = "untitled"
    }
    override func awakeFromFetch() { calls.append("awakeFromFetch \(title ?? "-")") }
    override func awakeFromSnapshotEvents(_ events: SnapshotEvents) {
        calls.append("awakeFromSnapshotEvents \(events.rawValue)")
    }
    override func willSave() {
        calls.append("willSave")
        onWillSave?(self)
    }
    override func didSave() { calls.append("didSave \(hasChanges)") }
    override func prepareForDeletion() { calls.append("prepareForDeletion \(pages.count)") }
    override func willTurnIntoFault() { calls.append("willTurnIntoFault \(isFault)") }
    override func didTurnIntoFault() { calls.append("didTurnIntoFault \(isFault)") }

    /// The hooks called since the last time this was asked.
    func takeCalls() -> [String] {
        defer { calls = [] }
        return calls
    }

    override func _decode(_ row: inout _RowReader) {
        _title = row.read()
        _book = row.toOne(2)
    }
    override func _value(at slot: Int) -> Value { slot == 0 ? _title._value : .null }
    override func _assign(_ value: Value, at slot: Int) -> Bool {
        slot == 0 ? String?._make(value).map { _title = $0 } != nil : false
    }
    override func _toOneField(at slot: Int) -> _ToOneField { slot == 2 ? _book : _ToOneField() }
    override func _assignToOne(_ field: _ToOneField, at slot: Int) { if slot == 2 { _book = field } }
    override func _toManyState(at slot: Int) -> _ToManyState? { slot == 1 ? _pages : nil }
    override func _assignToMany(_ state: _ToManyState?, at slot: Int) { if slot == 1 { _pages = state } }
}
