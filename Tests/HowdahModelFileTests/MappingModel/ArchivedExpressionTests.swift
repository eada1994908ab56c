import Foundation
import HowdahModel
import Testing

@testable import HowdahModelFile

struct ArchivedExpressionTests {
    private static func text(_ make: (inout ArchiveWriter) -> ArchiveWriter.Item) throws -> String {
        try ArchivedExpression.read(ArchiveWriter.archive(make)).description
    }

    private static func complaint(_ make: (inout ArchiveWriter) -> ArchiveWriter.Item) -> String {
        do {
            return "read as \(try ArchivedExpression.read(ArchiveWriter.archive(make)))"
        } catch {
            return error.message
        }
    }

    @Test func keyPathsConstantsAndVariables() throws {
        #expect(try Self.text { $0.source("app.name") } == "$source.app.name")
        #expect(try Self.text { $0.variable("source") } == "$source")
        #expect(try Self.text { $0.text("it's") } == #"'it\'s'"#)
        #expect(try Self.text { $0.text("Zürich 🏔") } == "'Zürich 🏔'")
        #expect(try Self.text { $0.constant(.integer(-7)) } == "-7")
        #expect(try Self.text { $0.constant(.real(1.5)) } == "1.5")
        #expect(try Self.text { $0.constant(.boolean(true)) } == "TRUE")
        #expect(try Self.text { $0.constant(.uid(0)) } == "NULL")
        #expect(try Self.text { $0.constant($0.add("NSNull", [])) } == "NULL")
        #expect(
            try Self.text { $0.constant($0.add("NSDate", [("NS.time", .real(86_400))])) }
                == "CAST(86400.0, 'NSDate')")
        #expect(
            try Self.text { writer in
                let bytes: [UInt8] = [
                    0, 17, 34, 51, 68, 85, 102, 119, 136, 153, 170, 187, 204, 221, 238, 255,
                ]
                return writer.constant(writer.add("NSUUID", [("NS.uuidbytes", .data(bytes))]))
            } == "CAST('00112233-4455-6677-8899-AABBCCDDEEFF', 'UUID')")
        #expect(
            try Self.text { writer in
                let url = writer.add(.string("https://a.example/b"))
                return writer.constant(
                    writer.add("NSURL", [("NS.base", .uid(0)), ("NS.relative", url)]))
            } == "CAST('https://a.example/b', 'URL')")
        // 12,345,678 times 10 to the -2, in two digits of base 65,536.
        let mantissa: [UInt8] = [0x4E, 0x61, 0xBC, 0x00] + Array(repeating: 0, count: 12)
        #expect(
            try Self.text { writer in
                writer.constant(
                    writer.add(
                        "NSDecimalNumber",
                        [
                            ("NS.mantissa", .data(mantissa)), ("NS.length", .integer(2)),
                            ("NS.exponent", .integer(-2)), ("NS.negative", .boolean(true)),
                            ("NS.mantissa.bo", .integer(1)),
                        ]))
            } == "CAST('-123456.78', 'NSDecimalNumber')")
    }

    /// All forms in which archives have nil.
    @Test func nilIsReadAsNil() throws {
        let makers: [(inout ArchiveWriter) -> ArchiveWriter.Item] = [
            { $0.constant(.uid(0)) }, { $0.constant($0.add("NSNull", [])) },
            { $0.constant($0.add(.string("$null"))) },
            { $0.add("NSConstantValueExpression", [("NSExpressionType", .integer(0))]) },
            {
                $0.add(
                    "NSConstantValueExpression",
                    [("NSConstantValueClassName", .uid(0)), ("NSConstantValue", .uid(0))])
            },
            { _ in .uid(0) },
        ]
        for make in makers {
            let expression = try ArchivedExpression.read(ArchiveWriter.archive(make))
            #expect(expression == .constant(.null))
        }
        let isNil = try Self.text {
            $0.ternary(
                $0.comparison($0.source("a"), 4, $0.constant(.uid(0))), $0.constant(.uid(0)),
                $0.constant($0.add(.string("$null"))))
        }
        #expect(isNil == "TERNARY($source.a == NULL, NULL, NULL)")
        let named = try Self.text {
            $0.add(
                "NSConstantValueExpression",
                [("NSConstantValueClassName", .uid(0)), ("NSConstantValue", .integer(4))])
        }
        #expect(named == "4")
    }

    @Test func valueForKeyIsAKeyPath() throws {
        let source = MappingExpression.source("name")
        for className in ["NSFunctionExpression", "NSKeyPathExpression"] {
            for selector in ["valueForKey:", "valueForKeyPath:"] {
                let read = try ArchivedExpression.read(
                    ArchiveWriter.archive {
                        $0.function(
                            $0.variable("source"), selector, [$0.text("name")], className: className)
                    })
                #expect(read == source, "\(className) \(selector)")
            }
        }
        #expect(
            try Self.text {
                $0.function(
                    $0.variable("source"), "valueForKeyPath:", [$0.text("items.@distinctUnionOfSets.tag")])
            } == "$source.items.@distinctUnionOfObjects.tag")
        #expect(
            try Self.text {
                $0.function(
                    $0.function(
                        $0.variable("manager"),
                        "destinationInstancesForEntityMappingNamed:sourceInstances:",
                        [$0.text("AToA"), $0.source("a")]), "valueForKey:", [$0.text("b")])
            }
                == "FUNCTION($manager, 'destinationInstancesForEntityMappingNamed:sourceInstances:', 'AToA', $source.a).b"
        )
        #expect(
            Self.complaint { $0.function($0.variable("source"), "valueForKey:", [$0.text("a.b")]) }
                .contains("Write valueForKeyPath: instead"))
        #expect(
            Self.complaint { $0.function($0.variable("source"), "valueForKey:", [$0.variable("x")]) }
                .contains("Write the key as a string"))
        #expect(
            Self.complaint { $0.function($0.variable("source"), "valueForKey:", []) }
                .contains("has no key path"))
    }

    @Test func callsOfManagerAndPolicy() throws {
        let objects = try ArchivedExpression.read(
            ArchiveWriter.archive {
                $0.function(
                    $0.variable("manager"), "destinationInstancesForEntityMappingNamed:sourceInstances:",
                    [$0.text("BoxToBox"), $0.source("box")])
            })
        #expect(
            objects
                == .destinationInstances(
                    forEntityMappingNamed: "BoxToBox", sourceInstances: .source("box")))
        let related = try ArchivedExpression.read(
            ArchiveWriter.archive {
                $0.function(
                    $0.variable("manager"), "destinationInstancesForSourceRelationshipNamed:sourceInstances:",
                    [$0.text("boxes"), $0.source("boxes")])
            })
        #expect(
            related
                == .destinationInstances(
                    forSourceRelationshipNamed: "boxes", sourceInstances: .source("boxes")))
        let policy = try ArchivedExpression.read(
            ArchiveWriter.archive {
                $0.function($0.variable("entityPolicy"), "colorOf:and:", [$0.source("a"), $0.source("b")])
            })
        #expect(policy == .entityPolicy("colorOf:and:", .source("a"), .source("b")))
        #expect(policy.policySelectors == ["colorOf:and:"])
    }

    @Test func functionsCollectionsAndConditions() throws {
        let cases: [(String, (inout ArchiveWriter) -> ArchiveWriter.Item)] = [
            (
                "$source.a + 1",
                { $0.predicateFunction("add:to:", [$0.source("a"), $0.constant(.integer(1))]) }
            ),
            ("uppercase:($source.a)", { $0.predicateFunction("uppercase:", [$0.source("a")]) }),
            (
                "CAST($source.a, 'NSString')",
                { $0.predicateFunction("castObject:toType:", [$0.source("a"), $0.text("NSString")]) }
            ),
            (
                "$source.list[2]",
                {
                    $0.predicateFunction(
                        "objectFrom:withIndex:", [$0.source("list"), $0.constant(.integer(2))])
                }
            ),
            ("{1, 2}", { $0.aggregate([$0.constant(.integer(1)), $0.constant(.integer(2))]) }),
            ("{1, $source.a}", { $0.aggregate([$0.constant(.integer(1)), $0.source("a")]) }),
            ("$source.a UNION $source.b", { $0.set(5, $0.source("a"), $0.source("b")) }),
            ("$source.a INTERSECT $source.b", { $0.set(6, $0.source("a"), $0.source("b")) }),
            ("$source.a MINUS $source.b", { $0.set(7, $0.source("a"), $0.source("b")) }),
            (
                "SUBQUERY($source.items, $i, $i.size > 3)",
                {
                    let size = $0.keyPath($0.variable("i"), "size")
                    let test = $0.comparison(
                        size, 2, $0.constant(.integer(3)), className: "NSComparisonPredicateOperator")
                    return $0.subquery($0.source("items"), "i", test)
                }
            ),
            (
                "TERNARY($source.a BEGINSWITH[cd] 'x' AND NOT $source.b == NULL, 1, 2)",
                {
                    let starts = $0.comparison(
                        $0.source("a"), 8, $0.text("x"), options: 3, className: "NSSubstringPredicateOperator"
                    )
                    let isNil = $0.comparison($0.source("b"), 4, $0.constant(.uid(0)))
                    let test = $0.compound(1, [starts, $0.compound(0, [isNil])])
                    return $0.ternary(test, $0.constant(.integer(1)), $0.constant(.integer(2)))
                }
            ),
            (
                "TERNARY(ANY $source.a IN {1} OR TRUEPREDICATE, 1, 2)",
                {
                    let any = $0.comparison(
                        $0.source("a"), 10, $0.aggregate([$0.constant(.integer(1))]), modifier: 2,
                        className: "NSInPredicateOperator")
                    let test = $0.compound(2, [any, $0.add("NSTruePredicate", [])])
                    return $0.ternary(test, $0.constant(.integer(1)), $0.constant(.integer(2)))
                }
            ),
        ]
        for (text, make) in cases {
            #expect(try Self.text(make) == text)
        }
    }

    @Test func otherClassesAreNamed() {
        for name in [
            "NSBlockExpression", "NSAnyKeyExpression", "NSFetchRequestExpression", "NSSymbolicExpression",
            "NSVariableAssignmentExpression", "NSInvocation",
        ] {
            let message = Self.complaint { $0.add(name, [("NSExpressionType", .integer(1))]) }
            #expect(message.contains(name) && message.contains("migration policy"))
        }
        #expect(
            Self.complaint { $0.constant($0.add("NSTimer", [])) }.contains(
                "value of the class NSTimer, which is not supported"))
        #expect(
            Self.complaint {
                $0.ternary($0.add("NSBlockPredicate", []), $0.constant(.uid(0)), $0.constant(.uid(0)))
            }.contains("NSBlockPredicate are not supported"))
        #expect(
            Self.complaint {
                $0.add(
                    "NSConstantValueExpression",
                    [("NSConstantValueClassName", $0.add(.string("NSFileManager")))])
            }.contains("uses the class NSFileManager as a value"))
        #expect(
            Self.complaint { $0.predicateFunction("median:", [$0.source("a")]) }.contains("median:"))
        #expect(
            Self.complaint {
                let custom = $0.comparison(
                    $0.source("a"), 11, $0.source("b"), className: "NSCustomPredicateOperator")
                return $0.ternary(custom, $0.constant(.uid(0)), $0.constant(.uid(0)))
            }.contains("A comparison uses a custom selector or an unknown operator"))
    }

    @Test func fieldsThatAreMissingAreNamed() {
        #expect(
            Self.complaint { $0.add("NSVariableExpression", []) }.contains(
                "NSVariable of NSVariableExpression is missing"))
        #expect(
            Self.complaint { $0.add("NSFunctionExpression", [("NSSelectorName", .string("a:"))]) }
                .contains("NSOperand of NSFunctionExpression is missing"))
        #expect(Self.complaint { $0.add(.string("text")) }.contains("in place of an expression"))
    }

    @Test func userInfoIsReadAsFoundationWritesIt() throws {
        let info: NSDictionary = ["version": "v2", "ends": "", "größe": "ä"]
        let data = try NSKeyedArchiver.archivedData(withRootObject: info, requiringSecureCoding: false)
        let (entries, unread) = try ArchivedExpression.userInfo(Array(data))
        #expect(entries == ["version": "v2", "ends": "", "größe": "ä"])
        #expect(unread.isEmpty)
        let other = ArchiveWriter.archive { writer in
            writer.dictionary([
                ("number", .integer(4)), ("list", writer.array([])), ("flag", .boolean(true)),
            ])
        }
        let mixed = try ArchivedExpression.userInfo(other)
        #expect(mixed.entries == ["number": "4", "flag": "YES"])
        #expect(mixed.unread == ["list"])
    }
}
