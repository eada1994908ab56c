import Foundation
import Howdah

/// An object with an attribute of every type, required and optional, and with a to-one and a to-many relationship.
final class Sample: ManagedObject {
    override class var entity: EntityDescription? {
        EntityDescription(
            "Sample",
            properties: [
                .attribute("i16", .integer16, optional: false),
                .attribute("i32", .integer32, optional: false),
                .attribute("i64", .integer64, optional: false),
                .attribute("dec", .decimal, optional: false),
                .attribute("dbl", .double, optional: false),
                .attribute("flt", .float, optional: false),
                .attribute("str", .string, optional: false),
                .attribute("flag", .boolean, optional: false),
                .attribute("date", .date, optional: false),
                .attribute("bin", .binary, optional: false),
                .attribute("uid", .uuid, optional: false),
                .attribute("url", .uri, optional: false),
                .attribute("oI16", .integer16),
                .attribute("oI32", .integer32),
                .attribute("oI64", .integer64),
                .attribute("oDec", .decimal),
                .attribute("oDbl", .double),
                .attribute("oFlt", .float),
                .attribute("oStr", .string),
                .attribute("oFlag", .boolean),
                .attribute("oDate", .date),
                .attribute("oBin", .binary),
                .attribute("oUid", .uuid),
                .attribute("oUrl", .uri),
                .attribute("box", .composite(Box.compositeDescription), optional: false),
                .attribute("place", .composite(Place.compositeDescription)),
                .relationship("owner", to: "Sample", inverse: "owned"),
                .relationship("owned", to: "Sample", inverse: "owner", toMany: true),
            ])
    }

    override class var _keyPaths: [_PropertyKeyPath] {
        [
            _PropertyKeyPath(\Sample.i16, "i16"),
            _PropertyKeyPath(\Sample.i32, "i32"),
            _PropertyKeyPath(\Sample.i64, "i64"),
            _PropertyKeyPath(\Sample.dec, "dec"),
            _PropertyKeyPath(\Sample.dbl, "dbl"),
            _PropertyKeyPath(\Sample.flt, "flt"),
            _PropertyKeyPath(\Sample.str, "str"),
            _PropertyKeyPath(\Sample.flag, "flag"),
            _PropertyKeyPath(\Sample.date, "date"),
            _PropertyKeyPath(\Sample.bin, "bin"),
            _PropertyKeyPath(\Sample.uid, "uid"),
            _PropertyKeyPath(\Sample.url, "url"),
            _PropertyKeyPath(\Sample.oI16, "oI16"),
            _PropertyKeyPath(\Sample.oI32, "oI32"),
            _PropertyKeyPath(\Sample.oI64, "oI64"),
            _PropertyKeyPath(\Sample.oDec, "oDec"),
            _PropertyKeyPath(\Sample.oDbl, "oDbl"),
            _PropertyKeyPath(\Sample.oFlt, "oFlt"),
            _PropertyKeyPath(\Sample.oStr, "oStr"),
            _PropertyKeyPath(\Sample.oFlag, "oFlag"),
            _PropertyKeyPath(\Sample.oDate, "oDate"),
            _PropertyKeyPath(\Sample.oBin, "oBin"),
            _PropertyKeyPath(\Sample.oUid, "oUid"),
            _PropertyKeyPath(\Sample.oUrl, "oUrl"),
            _PropertyKeyPath(\Sample.box, "box"),
            _PropertyKeyPath(\Sample.place, "place"),
            _PropertyKeyPath(\Sample.owner, "owner"),
            _PropertyKeyPath(\Sample.owned, "owned"),
        ]
    }

    @exclusivity(unchecked) private var _i16 = Int16._zero
    @exclusivity(unchecked) private var _i32 = Int32._zero
    @exclusivity(unchecked) private var _i64 = Int64._zero
    @exclusivity(unchecked) private var _dec = Decimal._zero
    @exclusivity(unchecked) private var _dbl = Double._zero
    @exclusivity(unchecked) private var _flt = Float._zero
    @exclusivity(unchecked) private var _str = String._zero
    @exclusivity(unchecked) private var _flag = Bool._zero
    @exclusivity(unchecked) private var _date = Date._zero
    @exclusivity(unchecked) private var _bin = Data._zero
    @exclusivity(unchecked) private var _uid = UUID._zero
    @exclusivity(unchecked) private var _url = URL._zero
    @exclusivity(unchecked) private var _oI16: Int16?
    @exclusivity(unchecked) private var _oI32: Int32?
    @exclusivity(unchecked) private var _oI64: Int64?
    @exclusivity(unchecked) private var _oDec: Decimal?
    @exclusivity(unchecked) private var _oDbl: Double?
    @exclusivity(unchecked) private var _oFlt: Float?
    @exclusivity(unchecked) private var _oStr: String?
    @exclusivity(unchecked) private var _oFlag: Bool?
    @exclusivity(unchecked) private var _oDate: Date?
    @exclusivity(unchecked) private var _oBin: Data?
    @exclusivity(unchecked) private var _oUid: UUID?
    @exclusivity(unchecked) private var _oUrl: URL?
    @exclusivity(unchecked) private var _box = Box._zero
    @exclusivity(unchecked) private var _place: Place?
    @exclusivity(unchecked) private var _owner = _ToOneField()
    @exclusivity(unchecked) private var _owned: _ToManyState?

    var i16: Int16 {
        get { _willRead(0); return _i16 }
        set { _willWrite(0); _i16 = newValue._stored; _didWrite(0) }
    }
    var i32: Int32 {
        get { _willRead(1); return _i32 }
        set { _willWrite(1); _i32 = newValue._stored; _didWrite(1) }
    }
    var i64: Int64 {
        get { _willRead(2); return _i64 }
        set { _willWrite(2); _i64 = newValue._stored; _didWrite(2) }
    }
    var dec: Decimal {
        get { _willRead(3); return _dec }
        set { _willWrite(3); _dec = newValue._stored; _didWrite(3) }
    }
    var dbl: Double {
        get { _willRead(4); return _dbl }
        set { _willWrite(4); _dbl = newValue._stored; _didWrite(4) }
    }
    var flt: Float {
        get { _willRead(5); return _flt }
        set { _willWrite(5); _flt = newValue._stored; _didWrite(5) }
    }
    var str: String {
        get { _willRead(6); return _str }
        set { _willWrite(6); _str = newValue._stored; _didWrite(6) }
    }
    var flag: Bool {
        get { _willRead(7); return _flag }
        set { _willWrite(7); _flag = newValue._stored; _didWrite(7) }
    }
    var date: Date {
        get { _willRead(8); return _date }
        set { _willWrite(8); _date = newValue._stored; _didWrite(8) }
    }
    var bin: Data {
        get { _willRead(9); return _bin }
        set { _willWrite(9); _bin = newValue._stored; _didWrite(9) }
    }
    var uid: UUID {
        get { _willRead(10); return _uid }
        set { _willWrite(10); _uid = newValue._stored; _didWrite(10) }
    }
    var url: URL {
        get { _willRead(11); return _url }
        set { _willWrite(11); _url = newValue._stored; _didWrite(11) }
    }
    var oI16: Int16? {
        get { _willRead(12); return _oI16 }
        set { _willWrite(12); _oI16 = newValue._stored; _didWrite(12) }
    }
    var oI32: Int32? {
        get { _willRead(13); return _oI32 }
        set { _willWrite(13); _oI32 = newValue._stored; _didWrite(13) }
    }
    var oI64: Int64? {
        get { _willRead(14); return _oI64 }
        set { _willWrite(14); _oI64 = newValue._stored; _didWrite(14) }
    }
    var oDec: Decimal? {
        get { _willRead(15); return _oDec }
        set { _willWrite(15); _oDec = newValue._stored; _didWrite(15) }
    }
    var oDbl: Double? {
        get { _willRead(16); return _oDbl }
        set { _willWrite(16); _oDbl = newValue._stored; _didWrite(16) }
    }
    var oFlt: Float? {
        get { _willRead(17); return _oFlt }
        set { _willWrite(17); _oFlt = newValue._stored; _didWrite(17) }
    }
    var oStr: String? {
        get { _willRead(18); return _oStr }
        set { _willWrite(18); _oStr = newValue._stored; _didWrite(18) }
    }
    var oFlag: Bool? {
        get { _willRead(19); return _oFlag }
        set { _willWrite(19); _oFlag = newValue._stored; _didWrite(19) }
    }
    var oDate: Date? {
        get { _willRead(20); return _oDate }
        set { _willWrite(20); _oDate = newValue._stored; _didWrite(20) }
    }
    var oBin: Data? {
        get { _willRead(21); return _oBin }
        set { _willWrite(21); _oBin = newValue._stored; _didWrite(21) }
    }
    var oUid: UUID? {
        get { _willRead(22); return _oUid }
        set { _willWrite(22); _oUid = newValue._stored; _didWrite(22) }
    }
    var oUrl: URL? {
        get { _willRead(23); return _oUrl }
        set { _willWrite(23); _oUrl = newValue._stored; _didWrite(23) }
    }
    var box: Box {
        get { _willRead(24); return _box }
        set { _willWrite(24); _box = newValue._stored; _didWrite(24) }
    }
    var place: Place? {
        get { _willRead(25); return _place }
        set { _willWrite(25); _place = newValue._stored; _didWrite(25) }
    }
    var owner: Sample? {
        get { _destination(_owner, 26) }
        set { _setDestination(newValue, 26) }
    }
    var owned: ToMany<Sample> { ToMany(self, 27) }

    override func _decode(_ row: inout _RowReader) {
        _i16 = row.read()
        _i32 = row.read()
        _i64 = row.read()
        _dec = row.read()
        _dbl = row.read()
        _flt = row.read()
        _str = row.read()
        _flag = row.read()
        _date = row.read()
        _bin = row.read()
        _uid = row.read()
        _url = row.read()
        _oI16 = row.read()
        _oI32 = row.read()
        _oI64 = row.read()
        _oDec = row.read()
        _oDbl = row.read()
        _oFlt = row.read()
        _oStr = row.read()
        _oFlag = row.read()
        _oDate = row.read()
        _oBin = row.read()
        _oUid = row.read()
        _oUrl = row.read()
        _box = row.read()
        _place = row.read()
        _owner = row.toOne(26)
    }

    override func _value(at slot: Int) -> Value {
        switch slot {
        case 0: _i16._value
        case 1: _i32._value
        case 2: _i64._value
        case 3: _dec._value
        case 4: _dbl._value
        case 5: _flt._value
        case 6: _str._value
        case 7: _flag._value
        case 8: _date._value
        case 9: _bin._value
        case 10: _uid._value
        case 11: _url._value
        case 12: _oI16._value
        case 13: _oI32._value
        case 14: _oI64._value
        case 15: _oDec._value
        case 16: _oDbl._value
        case 17: _oFlt._value
        case 18: _oStr._value
        case 19: _oFlag._value
        case 20: _oDate._value
        case 21: _oBin._value
        case 22: _oUid._value
        case 23: _oUrl._value
        case 24: _box._value
        case 25: _place._value
        default: .null
        }
    }

    override func _assign(_ value: Value, at slot: Int) -> Bool {
        switch slot {
        case 0: Int16._make(value).map { _i16 = $0 } != nil
        case 1: Int32._make(value).map { _i32 = $0 } != nil
        case 2: Int64._make(value).map { _i64 = $0 } != nil
        case 3: Decimal._make(value).map { _dec = $0 } != nil
        case 4: Double._make(value).map { _dbl = $0 } != nil
        case 5: Float._make(value).map { _flt = $0 } != nil
        case 6: String._make(value).map { _str = $0 } != nil
        case 7: Bool._make(value).map { _flag = $0 } != nil
        case 8: Date._make(value).map { _date = $0 } != nil
        case 9: Data._make(value).map { _bin = $0 } != nil
        case 10: UUID._make(value).map { _uid = $0 } != nil
        case 11: URL._make(value).map { _url = $0 } != nil
        case 12: Int16?._make(value).map { _oI16 = $0 } != nil
        case 13: Int32?._make(value).map { _oI32 = $0 } != nil
        case 14: Int64?._make(value).map { _oI64 = $0 } != nil
        case 15: Decimal?._make(value).map { _oDec = $0 } != nil
        case 16: Double?._make(value).map { _oDbl = $0 } != nil
        case 17: Float?._make(value).map { _oFlt = $0 } != nil
        case 18: String?._make(value).map { _oStr = $0 } != nil
        case 19: Bool?._make(value).map { _oFlag = $0 } != nil
        case 20: Date?._make(value).map { _oDate = $0 } != nil
        case 21: Data?._make(value).map { _oBin = $0 } != nil
        case 22: UUID?._make(value).map { _oUid = $0 } != nil
        case 23: URL?._make(value).map { _oUrl = $0 } != nil
        case 24: Box._make(value).map { _box = $0 } != nil
        case 25: Place?._make(value).map { _place = $0 } != nil
        default: false
        }
    }

    override func _toOneField(at slot: Int) -> _ToOneField { slot == 26 ? _owner : _ToOneField() }
    override func _assignToOne(_ field: _ToOneField, at slot: Int) { if slot == 26 { _owner = field } }
    override func _toManyState(at slot: Int) -> _ToManyState? { slot == 27 ? _owned : nil }
    override func _assignToMany(_ state: _ToManyState?, at slot: Int) { if slot == 27 { _owned = state } }
}
