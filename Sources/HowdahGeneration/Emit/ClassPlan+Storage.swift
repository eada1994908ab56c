extension ClassPlan {
    /// The fields behind the properties, and the methods with which the library reaches them.
    func storageMembers(_ access: AccessLevel) -> [[String]] {
        let head = "\(access.modifier)override func "
        var result = [members.flatMap(\.storage)]
        if !isFinal {
            result.append([
                "\(access.modifier)static func _endSlot(_ type: \(name.token).Type) -> Swift.Int { \(endSlot) }"
            ])
        }
        let decoding = members.flatMap(\.decoding)
        if superclass == nil || !decoding.isEmpty {
            let lines = (superclass == nil ? [] : ["super._decode(&row)"]) + decoding
            result.append(lines.block("\(head)_decode(_ row: inout Howdah._RowReader)"))
        }
        for accessor in SlotAccessor.all {
            let cases = members.filter { accessor.concerns($0.shape) }.map {
                "case \($0.slot): \(accessor.body($0.field))"
            }
            if cases.isEmpty { continue }
            let rest = superclass == nil ? accessor.nothing : accessor.inherited
            result.append(
                (["switch slot {"] + cases + ["default: \(rest)", "}"]).block("\(head)\(accessor.signature)"))
        }
        return result
    }
}

/// A method that goes by the slot; slots of the superclass are its business.
private struct SlotAccessor {
    let signature: String
    let concerns: (MemberPlan.Shape) -> Bool
    let body: (String) -> String
    let inherited: String
    let nothing: String

    static var all: [SlotAccessor] {
        [
            SlotAccessor(
                signature: "_value(at slot: Swift.Int) -> Howdah.Value", concerns: \.isAttribute,
                body: { "return Howdah._Emitted.value(\($0))" }, inherited: "return super._value(at: slot)",
                nothing: "return .null"),
            SlotAccessor(
                signature: "_assign(_ value: Howdah.Value, at slot: Swift.Int) -> Swift.Bool",
                concerns: \.isAttribute,
                body: { "return Howdah._Emitted.assign(value, to: &\($0))" },
                inherited: "return super._assign(value, at: slot)", nothing: "return false"),
            SlotAccessor(
                signature: "_toOneField(at slot: Swift.Int) -> Howdah._ToOneField", concerns: \.isToOne,
                body: { "return \($0)" }, inherited: "return super._toOneField(at: slot)",
                nothing: "return Howdah._ToOneField()"),
            SlotAccessor(
                signature: "_assignToOne(_ field: Howdah._ToOneField, at slot: Swift.Int)",
                concerns: \.isToOne,
                body: { "\($0) = field" }, inherited: "super._assignToOne(field, at: slot)", nothing: "break"),
            SlotAccessor(
                signature: "_toManyState(at slot: Swift.Int) -> Howdah._ToManyState?", concerns: \.isToMany,
                body: { "return \($0)" }, inherited: "return super._toManyState(at: slot)",
                nothing: "return nil"),
            SlotAccessor(
                signature: "_assignToMany(_ state: Howdah._ToManyState?, at slot: Swift.Int)",
                concerns: \.isToMany,
                body: { "\($0) = state" }, inherited: "super._assignToMany(state, at: slot)", nothing: "break"
            ),
        ]
    }
}

extension MemberPlan.Shape {
    fileprivate var isAttribute: Bool { if case .attribute = self { true } else { false } }
    fileprivate var isToOne: Bool { if case .toOne = self { true } else { false } }
    fileprivate var isToMany: Bool { if case .toMany = self { true } else { false } }
}
