import Foundation
import HowdahModel
import Testing

struct ValueCodableTests {
    private static let values: [Value] = [
        .null, .bool(true), .bool(false), .int(.min), .int(.max), .int(9_007_199_254_740_993), .double(0.1),
        .double(-0.0),
        .double(.infinity), .double(.leastNonzeroMagnitude), .float(0.1), .float(-.infinity),
        .decimal(Decimal(string: "-12345678901234567890123456789012345678") ?? 0),
        .decimal(Decimal(string: "1e-20") ?? 0),
        .string(""), .string("a\u{0}\"\\/é\u{301}🐘\n"), .date(.distantPast), .date(.distantFuture),
        .date(Date(timeIntervalSinceReferenceDate: 0.1)), .data(Data([0, 255])), .data(Data()), .uuid(UUID()),
        .uri(URL(fileURLWithPath: "/tmp/a b")), .composite([.null, .int(1), .composite([.string("x")])]),
        .reference(ObjectReference(key: -3, entity: "Person")),
    ]

    @Test(arguments: values)
    func decodingGivesTheValueBack(value: Value) throws {
        let json = try JSONEncoder().encode([value])
        #expect(try JSONDecoder().decode([Value].self, from: json) == [value])
    }

    @Test func nanStaysNaN() throws {
        let json = try JSONEncoder().encode([Value.double(.nan), .float(.nan), .decimal(.nan)])
        let values = try JSONDecoder().decode([Value].self, from: json)
        guard case .double(let double) = values[0], case .float(let float) = values[1],
            case .decimal(let decimal) = values[2]
        else {
            Issue.record("the cases changed: \(values)")
            return
        }
        #expect(double.isNaN && float.isNaN && decimal.isNaN)
    }

    @Test(arguments: [
        "{}", "{\"int\":1,\"bool\":true}", "{\"number\":1}", "{\"double\":\"x\"}", "{\"uuid\":\"x\"}", "1",
    ])
    func anythingElseIsRefused(json: String) {
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(Value.self, from: Data(json.utf8)) }
    }
}
