import Foundation
import Howdah
import SeededRandom

extension Sample {
    /// The entity without its class: the same store, with generic objects.
    static func dynamicModel() throws -> ManagedObjectModel {
        guard var entity else { throw CocoaError(.featureUnsupported) }
        entity.className = nil
        return try ManagedObjectModel(entities: [entity])
    }

    /// The names of the attributes, in slot order.
    static var attributeNames: [String] {
        entity?.properties.filter { $0.attribute != nil }.map(\.name) ?? []
    }

    /// Gives every attribute a random value.
    func fill(_ random: inout RandomValues) {
        i16 = random.integer()
        i32 = random.integer()
        i64 = random.integer()
        dec = random.decimal()
        dbl = random.double()
        flt = random.float()
        str = random.string()
        flag = random.generator.chance(50)
        date = random.date()
        bin = random.data()
        uid = random.uuid()
        url = random.url()
        oI16 = random.optional { $0.integer() }
        oI32 = random.optional { $0.integer() }
        oI64 = random.optional { $0.integer() }
        oDec = random.optional { $0.decimal() }
        oDbl = random.optional { $0.double() }
        oFlt = random.optional { $0.float() }
        oStr = random.optional { $0.string() }
        oFlag = random.optional { $0.generator.chance(50) }
        oDate = random.optional { $0.date() }
        oBin = random.optional { $0.data() }
        oUid = random.optional { $0.uuid() }
        oUrl = random.optional { $0.url() }
        box = random.box()
        place = random.optional { $0.place() }
    }

    /// All attributes in a form that compares NaN with NaN as equal, and tells 0 from -0.
    var picture: [String] { Self.attributeNames.indices.map { _value(at: $0).picture } }
}

extension Value {
    /// The value in a form that compares NaN with NaN as equal, tells 0 from -0, and shows every scalar and microsecond.
    var picture: String {
        switch self {
        case .double(let number): number.isNaN ? "double nan" : "double \(number.bitPattern)"
        case .float(let number): number.isNaN ? "float nan" : "float \(number.bitPattern)"
        case .decimal(let number): "decimal \(number)"
        case .string(let text): "string \(text.unicodeScalars.map { String($0.value, radix: 16) })"
        case .date(let date): "date \(date.timeIntervalSinceReferenceDate.bitPattern)"
        case .data(let data): "data \(Array(data))"
        case .uri(let url): "url \(url.relativeString) \(url.baseURL?.absoluteString ?? "")"
        case .composite(let elements): "(" + elements.map(\.picture).joined(separator: ", ") + ")"
        case .array(let elements): "[" + elements.map(\.picture).joined(separator: ", ") + "]"
        default: "\(self)"
        }
    }
}
