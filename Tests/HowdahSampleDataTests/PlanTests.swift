import Foundation
import HowdahModel
import HowdahSampleData
import Testing

/// The plan, without a database.
@Suite struct PlanTests {
    @Test(arguments: SmallModels.all.map(\.name)) func oneSeedMeansOnePlan(name: String) throws {
        let entities = try #require(SmallModels.all.first { $0.name == name }?.entities)
        let model = try ManagedObjectModel(entities: entities)
        let plan = SampleData(model: model, seed: 7, countPerEntity: 20).description
        #expect(SampleData(model: model, seed: 7, countPerEntity: 20).description == plan)
        let turned = try ManagedObjectModel(entities: entities.reversed())
        #expect(SampleData(model: turned, seed: 7, countPerEntity: 20).description == plan)
        if plan.contains(":") || plan.contains("→") {
            #expect(SampleData(model: model, seed: 8, countPerEntity: 20).description != plan)
        }
    }

    @Test(arguments: SmallModels.all.map(\.name)) func theRulesAreKept(name: String) throws {
        let entities = try #require(SmallModels.all.first { $0.name == name }?.entities)
        let model = try ManagedObjectModel(entities: entities)
        for seed in 0..<20 as Range<UInt64> {
            let data = SampleData(model: model, seed: seed, countPerEntity: 12)
            #expect(data.brokenRules == [], "seed \(seed)")
        }
    }

    @Test func everyEdgeComesUp() throws {
        let model = try ManagedObjectModel(entities: [SmallModels.attributes(optional: true)])
        let data = SampleData(model: model, countPerEntity: 60)
        var seen: [String: [Value]] = [:]
        for index in data.objects.indices {
            for (name, value) in data.values(ofObjectAt: index) { seen[name, default: []].append(value) }
        }
        func has(_ name: String, _ isWanted: (Value) -> Bool) -> Bool {
            seen[name]?.contains(where: isWanted) ?? false
        }
        for name in seen.keys { #expect(has(name, \.isNull), "\(name)") }
        for (name, least, greatest) in [
            ("i16", Int64(Int16.min), Int64(Int16.max)), ("i32", Int64(Int32.min), Int64(Int32.max)),
            ("i64", .min, .max),
        ] {
            for edge in [0, least, greatest] { #expect(has(name) { $0 == .int(edge) }, "\(name) \(edge)") }
        }
        #expect(
            has("dbl") { $0.isIdentical(to: .double(-0.0)) }
                && has("dbl") { $0.isIdentical(to: .double(.nan)) })
        #expect(
            has("dbl") { $0 == .double(.leastNonzeroMagnitude) } && has("flt") { $0 == .float(-.infinity) })
        #expect(
            has("str") { $0 == "" }
                && has("str") { if case .string(let text) = $0 { text.utf16.count >= 10_000 } else { false } }
        )
        #expect(
            has("bin") { $0 == .data(Data()) }
                && has("bin") { if case .data(let data) = $0 { data.count == 100_000 } else { false } })
        #expect(
            has("date") { if case .date(let date) = $0 { date.timeIntervalSince1970 < -2e11 } else { false } }
        )
        #expect(has("dec") { $0 == .decimal(Decimal(string: "99999999999999999999999999999999999999") ?? 0) })
        #expect(has("word") { $0 == "given" })
    }

    @Test func ownersHaveNoMembersOneOrMany() throws {
        let model = try ManagedObjectModel(entities: SmallModels.relationships)
        let data = SampleData(model: model, seed: 3, countPerEntity: 60)
        for (entity, relationship) in [("Employee", "reports"), ("Project", "members"), ("Employee", "keys")]
        {
            let sizes = data.objects.filter { $0.entityName == entity }.map { object in
                object.links.first { $0.relationship == relationship }?.members.count ?? 0
            }
            #expect(
                sizes.contains(0) && sizes.contains(1) && sizes.contains { $0 >= 4 },
                "\(relationship) \(sizes)")
        }
    }

    // MARK: What is not possible

    @Test func asManyAsTheRulesAllow() throws {
        let fewer = "Request fewer objects, or relax the rule."
        func counts(_ entities: EntityDescription..., count: Int = 10) throws -> [String] {
            let data = SampleData(model: try ManagedObjectModel(entities: entities), countPerEntity: count)
            #expect(data.brokenRules == [])
            return data.gaps.map(\.description)
        }
        #expect(
            try counts(
                EntityDescription(
                    "Flag", properties: [.attribute("on", .boolean, optional: false)],
                    uniquenessConstraints: [["on"]]))
                == [
                    "Flag: 2 of 10 objects, because (on) is unique in Flag and no unused values are left. \(fewer)"
                ])
        #expect(
            try counts(
                EntityDescription(
                    "Flag", properties: [.attribute("on", .boolean)], uniquenessConstraints: [["on"]]))
                == [])
        #expect(
            try counts(
                EntityDescription(
                    "Pair",
                    properties: [
                        .attribute("a", .boolean, optional: false),
                        .attribute("b", .integer16, optional: false, minimum: 1, maximum: 3),
                    ], uniquenessConstraints: [["a", "b"]]))
                == [
                    "Pair: 6 of 10 objects, because (a, b) is unique in Pair and no unused values are left. \(fewer)"
                ])
        #expect(
            try counts(
                EntityDescription(
                    "Owner",
                    properties: [
                        .relationship(
                            "members", to: "Member", inverse: "owner", toMany: true, minCount: 3, maxCount: 4)
                    ]),
                EntityDescription(
                    "Member",
                    properties: [.relationship("owner", to: "Owner", inverse: "members", optional: false)]))
                == [
                    "Owner: 3 of 10 objects, because Owner.members needs at least 3 members, and there are not enough objects. \(fewer)"
                ])
        #expect(
            try counts(
                EntityDescription("Lost", properties: [.relationship("to", to: "Nobody", optional: false)]),
                EntityDescription("Nobody", abstract: true))
                == [
                    "Lost: 0 of 10 objects, because Lost.to needs at least 1 member, and there are not enough objects. \(fewer)"
                ])
        #expect(
            try counts(
                EntityDescription(
                    "Odd",
                    properties: [.attribute("a", .string, optional: false, maximumLength: 2, regex: "abc")]))
                == ["Odd: 0 of 10 objects, because no generated value meets the rules of Odd.a. \(fewer)"])
        #expect(
            try counts(
                EntityDescription(
                    "Odd", properties: [.attribute("a", .string, maximumLength: 2, regex: "abc")]))
                == [
                    "Odd: no generated value meets the rules of Odd.a, so that this attribute is nil. "
                        + "Set the attribute in code, or relax its rules."
                ])
        #expect(
            try counts(
                EntityDescription(
                    "Twin", properties: [.relationship("twin", to: "Twin", inverse: "twin", optional: false)]),
                count: 5)
                == [
                    "Twin: 4 of 5 objects, because Twin.twin needs at least 1 member, and there are not enough objects. \(fewer)"
                ])
        #expect(try counts(EntityDescription("None"), count: 0) == [])
    }

    /// What a seed means is part of the API: demos and bug reports name it.
    @Test func theGraphOfSeedOneStaysWhatItIs() throws {
        let model = try ManagedObjectModel(entities: SmallModels.cycle + [SmallModels.composites])
        #expect(
            SampleData(model: model, seed: 1, countPerEntity: 2).description == #"""
                Egg 0; layer → Hen 1; nest → Nest 0
                Hen 0; egg → Egg 1
                Nest 0; eggs → Egg 0; owner → Hen 1; next → Nest 1
                Placed 0; spot: (9007199254740991.0, nan); maybe: nil; place: (nil, 10000 units, (0.1, -3.4028235e+38), nil); elsewhere: (nil, "\u{01}\u{7F}\u{0085}\u{2028}\u{200D}\u{202E}", (-inf, 16777216.0), nil)
                Egg 1; layer → Hen 0; nest → Nest 1
                Hen 1; egg → Egg 0
                Nest 1; eggs → Egg 1; owner → Hen 1; next → Nest 0
                Placed 1; spot: (661.09, -660.56); maybe: nil; place: (nil, 1798 units, (427.49, 618142.5), nil); elsewhere: nil
                """#)
    }
}
