import Howdah
import Synchronization

/// An entity whose objects refer to each other in circles, and that counts its living instances.
final class Ring: ManagedObject {
    static let alive = Atomic<Int>(0)

    static func model() throws -> ManagedObjectModel { try ManagedObjectModel(Ring.self) }

    override class var entity: EntityDescription? {
        EntityDescription(
            "Ring",
            properties: [
                .attribute("label", .string, optional: false),
                .relationship("next", to: "Ring", inverse: "followers"),
                .relationship("followers", to: "Ring", inverse: "next", toMany: true),
                .relationship("friends", to: "Ring", inverse: "admirers", toMany: true),
                .relationship("admirers", to: "Ring", inverse: "friends", toMany: true),
            ])
    }

    @exclusivity(unchecked) private var _label = String._zero
    @exclusivity(unchecked) private var _next = _ToOneField()
    @exclusivity(unchecked) private var _toManys: [_ToManyState?] = [nil, nil, nil]

    required init(_ seed: _ObjectSeed) {
        super.init(seed)
        Self.alive.add(1, ordering: .relaxed)
    }

    deinit { Self.alive.subtract(1, ordering: .relaxed) }

    var label: String {
        get { _willRead(0); return _label }
        set { _willWrite(0); _label = newValue._stored; _didWrite(0) }
    }
    var next: Ring? {
        get { _destination(_next, 1) }
        set { _setDestination(newValue, 1) }
    }
    var followers: ToMany<Ring> { ToMany(self, 2) }
    var friends: ToMany<Ring> { ToMany(self, 3) }
    var admirers: ToMany<Ring> { ToMany(self, 4) }

    override func _decode(_ row: inout _RowReader) {
        _label = row.read()
        _next = row.toOne(1)
    }
    override func _value(at slot: Int) -> Value { slot == 0 ? _label._value : .null }
    override func _assign(_ value: Value, at slot: Int) -> Bool {
        slot == 0 ? String._make(value).map { _label = $0 } != nil : false
    }
    override func _toOneField(at slot: Int) -> _ToOneField { slot == 1 ? _next : _ToOneField() }
    override func _assignToOne(_ field: _ToOneField, at slot: Int) { if slot == 1 { _next = field } }
    override func _toManyState(at slot: Int) -> _ToManyState? { slot >= 2 ? _toManys[slot - 2] : nil }
    override func _assignToMany(_ state: _ToManyState?, at slot: Int) {
        if slot >= 2 { _toManys[slot - 2] = state }
    }
}
