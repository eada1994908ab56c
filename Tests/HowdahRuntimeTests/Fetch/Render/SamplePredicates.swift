import Foundation
import Howdah

/// Predicates of every form that the database can run, on samples with tame values.
struct SamplePredicates {
    private let id: ObjectID<Sample>
    private let ids: [ObjectID<Sample>]
    private let (uid, bin, url): (UUID, Data, URL)

    /// Predicates of which some look for the values and the id of `example`.
    init(example: Sample, ids: [ObjectID<Sample>]) {
        (id, uid, bin, url) = (example.objectID, example.uid, example.bin, example.url)
        self.ids = ids
    }

    /// By the text that a failing test shows.
    var all: [(String, Predicate<Sample>)] {
        numbers + optionals + texts + references + members + logic + computed
    }

    private var computed: [(String, Predicate<Sample>)] {
        let id = id
        return [
            ("i64 * 2", #Predicate { $0.i64 * 2 > 3 }), ("i64 + i64", #Predicate { $0.i64 + $0.i64 == 2 }),
            ("- i64", #Predicate { -$0.i64 < 0 }), ("i32 % 2", #Predicate { $0.i32 % 2 == 0 }),
            ("i64 / 2", #Predicate { $0.i64 / 2 == 1 }),
            ("oI64 ?? 0 + 1", #Predicate { ($0.oI64 ?? 1) + 1 > 2 }),
            ("dec - dec", #Predicate { $0.dec - $0.dec == 0 }),
            ("any and", #Predicate { $0.owned.contains { $0.i64 > 1 && $0.flag } }),
            ("all or", #Predicate { $0.owned.allSatisfy { $0.i64 > 1 || $0.oStr == nil } }),
            ("any of two", #Predicate { $0.owned.contains { $0.i32 == $0.box.width } }),
            ("any as own", #Predicate { sample in sample.owned.contains { $0.i64 == sample.i64 } }),
            ("all as own", #Predicate { sample in sample.owned.allSatisfy { $0.i16 >= sample.i16 } }),
            ("any of any", #Predicate { $0.owned.contains { $0.owned.contains { $0.i64 > 1 } } }),
            (
                "any of any as own",
                #Predicate { sample in
                    sample.owned.contains { one in
                        one.owned.contains { $0.i64 > one.i64 || $0.i64 == sample.i64 }
                    }
                }
            ),
            ("filter count", #Predicate { $0.owned.filter { $0.flag }.count > 1 }),
            ("any owner", #Predicate { $0.owned.contains { $0.owner?.objectID == id && $0.flag } }),
            (
                "owner's any",
                #Predicate { $0.owner.flatMap { $0.owned.contains { $0.i64 > 1 && $0.flag } } ?? false }
            ),
            (
                "owner's all",
                #Predicate { $0.owner.flatMap { $0.owned.allSatisfy { $0.i64 > 1 || $0.flag } } ?? true }
            ),
        ]
    }

    private var numbers: [(String, Predicate<Sample>)] {
        let (low, high): (Int64, Int64) = (1, 2)
        let decimal = Decimal(string: "0.1") ?? 0
        let date = Date(timeIntervalSinceReferenceDate: 1)
        let flt: Float = 0.1
        let (closed, open, from, upTo) = (1.0...5.0, 0.1..<5.0, Int64(2)..., ..<Int16(2))
        let shorts: Set<Int16> = [0, 2]
        return [
            ("i64 <", #Predicate { $0.i64 < 2 }), ("i16 <=", #Predicate { $0.i16 <= 1 }),
            ("i32 >", #Predicate { $0.i32 > 1 }), ("i64 >= captured", #Predicate { $0.i64 >= high }),
            ("flipped", #Predicate { low < $0.i64 }), ("dec ==", #Predicate { $0.dec == decimal }),
            ("dec >", #Predicate { $0.dec > decimal }), ("dbl", #Predicate { $0.dbl != 0.1 }),
            ("flt", #Predicate { $0.flt >= flt }), ("date", #Predicate { $0.date <= date }),
            ("two columns", #Predicate { $0.i32 == $0.box.width }),
            ("two columns <", #Predicate { $0.box.width <= $0.i32 }),
            ("closed", #Predicate { closed.contains($0.dbl) }),
            ("open", #Predicate { open.contains($0.dbl) }), ("from", #Predicate { from.contains($0.i64) }),
            ("up to", #Predicate { upTo.contains($0.i16) }),
            ("literal", #Predicate { (1...2).contains($0.i32) }),
            ("set", #Predicate { shorts.contains($0.i16) }), ("box", #Predicate { $0.box.width > 1 }),
            ("folded", #Predicate { $0.i64 > low * 2 - 1 }),
        ]
    }

    // swift-format-ignore: NeverForceUnwrap
    private var optionals: [(String, Predicate<Sample>)] {
        let none: Int64? = nil
        let one: Int64? = 1
        let optionals: [Int64?] = [nil, 2]
        let texts = ["a", "ab"]
        let now = Date(timeIntervalSinceReferenceDate: 1)
        return [
            ("== nil", #Predicate { $0.oI64 == nil }), ("!= nil", #Predicate { $0.oI64 != nil }),
            ("== none", #Predicate { $0.oI64 == none }), ("== one", #Predicate { $0.oI64 == one }),
            ("!= one", #Predicate { $0.oI64 != one }), ("!(== one)", #Predicate { !($0.oI64 == one) }),
            ("?? 0", #Predicate { ($0.oI64 ?? 0) < 2 }), ("?? 3", #Predicate { ($0.oI64 ?? 3) < 2 }),
            ("?? column", #Predicate { ($0.oStr ?? $0.str) == "a" }),
            ("?? on both", #Predicate { ($0.oI64 ?? 1) == ($0.owner?.oI64 ?? 2) }),
            ("guarded !", #Predicate { $0.oI64 != nil && $0.oI64! > 1 }),
            ("flatMap", #Predicate { $0.oI64.flatMap { $0 > 1 } ?? false }),
            ("flatMap true", #Predicate { $0.oI64.flatMap { $0 > 1 } ?? true }),
            ("flatMap !=", #Predicate { $0.oI64.flatMap { $0 != 1 } ?? false }),
            ("not flatMap", #Predicate { !($0.oI64.flatMap { $0 > 1 } ?? false) }),
            ("if let", #Predicate { if let date = $0.oDate { date < now } else { $0.flag } }),
            ("flag", #Predicate { $0.oFlag ?? false }), ("flag true", #Predicate { $0.oFlag ?? true }),
            ("flag ==", #Predicate { $0.oFlag == true }), ("flag !=", #Predicate { $0.oFlag != true }),
            ("flag column", #Predicate { $0.oFlag == $0.owner?.oFlag ? $0.i64 > 1 : true }),
            ("optional members", #Predicate { optionals.contains($0.oI64) }),
            ("not optional members", #Predicate { !optionals.contains($0.oI64) }),
            ("members ??", #Predicate { texts.contains($0.oStr ?? "a") }),
            ("members if let", #Predicate { if let text = $0.oStr { texts.contains(text) } else { false } }),
            (
                "not members if let",
                #Predicate { if let text = $0.oStr { !texts.contains(text) } else { false } }
            ),
            ("place", #Predicate { $0.place?.name == "a" }),
            ("place !=", #Predicate { $0.place?.name != "a" }),
            ("place nil", #Predicate { $0.place == nil }),
            ("two optionals", #Predicate { $0.oStr == $0.place?.name }),
            ("two optionals !=", #Predicate { $0.oStr != $0.owner?.oStr }),
            ("spot", #Predicate { ($0.place?.spot?.x ?? -1) > 0 }),
        ]
    }

    private var texts: [(String, Predicate<Sample>)] {
        [
            ("contains", #Predicate { $0.str.contains("b") }), ("empty", #Predicate { $0.str.contains("") }),
            ("starts", #Predicate { $0.str.starts(with: "a") }),
            ("not", #Predicate { !$0.str.starts(with: "a") }),
            ("isEmpty", #Predicate { $0.str.isEmpty }), ("in text", #Predicate { "xaby".contains($0.str) }),
            ("?.contains", #Predicate { $0.oStr?.contains("b") ?? false }),
            ("?.contains true", #Predicate { $0.oStr?.contains("b") ?? true }),
            ("?.contains == false", #Predicate { $0.oStr?.contains("b") == false }),
            ("?.contains == nil", #Predicate { $0.oStr?.contains("b") == nil }),
            ("?.contains != true", #Predicate { $0.oStr?.contains("b") != true }),
            ("?.starts", #Predicate { !($0.oStr?.starts(with: "a") ?? false) }),
            ("é", #Predicate { $0.str == "e\u{301}" }), ("<", #Predicate { $0.str < "b" }),
            ("columns", #Predicate { $0.str.contains($0.box.tag ?? "b") }),
        ]
    }

    private var references: [(String, Predicate<Sample>)] {
        let (id, ids) = (id, ids)
        return [
            ("owner ==", #Predicate { $0.owner?.objectID == id }),
            ("owner !=", #Predicate { $0.owner?.objectID != id }),
            ("owner nil", #Predicate { $0.owner == nil }), ("owner", #Predicate { $0.owner != nil }),
            ("self", #Predicate { $0.objectID == id }), ("not self", #Predicate { $0.objectID != id }),
            ("ids", #Predicate { ids.contains($0.objectID) }),
            ("owner ids", #Predicate { $0.owner.flatMap { ids.contains($0.objectID) } ?? false }),
            ("no owner ids", #Predicate { !($0.owner.flatMap { ids.contains($0.objectID) } ?? false) }),
            ("owner's", #Predicate { $0.owner?.str == "a" }),
            ("owner's !=", #Predicate { $0.owner?.str != "a" }),
            ("owner's owner's", #Predicate { $0.owner?.owner?.oI64 == nil }),
            ("owner's flatMap", #Predicate { $0.owner.flatMap { $0.i64 > 1 } ?? false }),
            ("owner's flatMap true", #Predicate { $0.owner.flatMap { $0.i64 > 1 && $0.flag } ?? true }),
            ("owner's place", #Predicate { $0.owner?.place?.spot?.y == nil }),
            ("own owner", #Predicate { $0.owner.flatMap { $0.owner?.objectID } == $0.owner?.objectID }),
        ]
    }

    private var members: [(String, Predicate<Sample>)] {
        let id = id
        return [
            ("any", #Predicate { $0.owned.contains { $0.i64 > 1 } }),
            ("any not", #Predicate { $0.owned.contains { !($0.oI64 == 1) } }),
            ("not any", #Predicate { !$0.owned.contains { $0.flag } }),
            ("any or", #Predicate { $0.owned.contains { $0.oStr == "a" || $0.i16 == 1 } }),
            ("any id", #Predicate { $0.owned.contains { $0.objectID == id } }),
            ("any's place", #Predicate { $0.owned.contains { $0.place?.name == "a" } }),
            ("any ??", #Predicate { $0.owned.contains { ($0.oI64 ?? 0) > 1 } }),
            ("any of any", #Predicate { $0.owned.contains { $0.owned.count > 1 } }),
            ("any true", #Predicate { $0.owned.contains { _ in true } }),
            ("all", #Predicate { $0.owned.allSatisfy { $0.i64 > 0 } }),
            ("all nil", #Predicate { $0.owned.allSatisfy { $0.oI64 == nil } }),
            ("all and", #Predicate { $0.owned.allSatisfy { $0.oI64 != 1 && $0.flag } }),
            ("count", #Predicate { $0.owned.count > 1 }), ("isEmpty", #Predicate { $0.owned.isEmpty }),
            ("not isEmpty", #Predicate { !$0.owned.isEmpty }),
            ("filter", #Predicate { $0.owned.filter { $0.i64 > 1 }.isEmpty }),
            ("owner's any", #Predicate { $0.owner.flatMap { $0.owned.contains { $0.i64 > 1 } } ?? false }),
            ("owner's all", #Predicate { $0.owner.flatMap { $0.owned.allSatisfy { $0.i64 > 1 } } ?? false }),
            ("owner's count", #Predicate { ($0.owner?.owned.count ?? 0) == 2 }),
            ("owner's count none", #Predicate { $0.owner?.owned.count == nil }),
        ]
    }

    // swift-format-ignore: NeverForceUnwrap
    private var logic: [(String, Predicate<Sample>)] {
        let isOpen = true
        let (uid, bin, url) = (uid, bin, url)
        let uids: Set = [uid]
        let limit: Int64? = nil
        return [
            ("flag", #Predicate { $0.flag }), ("!flag", #Predicate { !$0.flag }),
            ("flag == false", #Predicate { $0.flag == false }),
            ("condition == flag", #Predicate { ($0.i64 > 1) == $0.flag }),
            ("condition != oFlag", #Predicate { ($0.oI64 == 1) != ($0.oFlag ?? false) }),
            ("and or", #Predicate { $0.flag && $0.i64 > 1 || $0.oStr == nil }),
            ("not and", #Predicate { !($0.flag && $0.oI64 == 1) }),
            ("not or", #Predicate { !($0.flag || $0.owner == nil) }),
            ("choice", #Predicate { $0.flag ? $0.i64 > 1 : $0.i16 > 1 }),
            ("choice of values", #Predicate { ($0.flag ? $0.str : $0.box.tag ?? "b") == "a" }),
            ("captured", #Predicate { isOpen && $0.i64 > 1 }),
            ("captured nil", #Predicate { limit == nil || $0.i64 > limit! }),
            ("uid", #Predicate { $0.uid == uid || $0.oUid == uid }),
            ("uids", #Predicate { uids.contains($0.uid) }),
            ("bin", #Predicate { $0.bin == bin && $0.oBin != bin }), ("url", #Predicate { $0.url != url }),
            ("true", #Predicate { _ in true }), ("false", #Predicate { _ in false }),
        ]
    }
}
