import Foundation
import HowdahModel
import TestSupport
import Testing

@testable import HowdahModelFile

struct HostileFileTests {
    private static func error(_ data: Data) -> ModelFileError? {
        do {
            var reader = ModelReader()
            _ = try reader.model(of: ModelElement(reading: data))
            return nil
        } catch {
            return error
        }
    }

    private static func error(_ text: String) -> ModelFileError? { error(Data(text.utf8)) }

    @Test func entitiesThatGrowAreRefused() {
        let laughs = """
            <?xml version="1.0"?><!DOCTYPE lolz [<!ENTITY a "lol"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>
            <model>&b;</model>
            """
        #expect(Self.error(laughs)?.code == .refused)
        #expect(Self.error("<!DOCTYPE model SYSTEM \"file:///etc/passwd\"><model/>")?.code == .refused)
    }

    @Test func sizeIsBounded() {
        let long = String(repeating: "x", count: 10 << 20)
        let attribute = Self.error(ModelText.file("<entity name=\"\(long)\"/>"))
        #expect(attribute?.code == .tooLarge || attribute?.code == .malformed)
        #expect((attribute?.message.utf8.count ?? 0) < 500)
        #expect(Self.error(Data(count: (9 << 20) + 1))?.code == .tooLarge)
        let deep = String(repeating: "<entity>", count: 100_000)
        #expect(Self.error(ModelText.file(deep))?.code == .tooLarge)
        let many = String(repeating: "<entity/>", count: 400_001)
        #expect(Self.error(ModelText.file(many))?.code == .tooLarge)
    }

    /// The parser reads to the end of the file before it reports a mistake.
    @Test(arguments: [
        "<attribute name=\"ti&tle\"/>", "<attribute name=\"a\" name=\"b\"/>", "&#1;", "<a <b/>",
    ])
    func theLineOfAMistakeIsNamed(_ mistake: String) throws {
        let lines =
            ["<entity name=\"A\">", "<attribute name=\"x\" attributeType=\"String\"/>", mistake]
            + Array(repeating: "<attribute name=\"y\"/>", count: 20) + ["</entity>"]
        let text = String(decoding: ModelText.file(lines.joined(separator: "\n")), as: UTF8.self)
        let line = try #require(text.split(separator: "\n").firstIndex { $0 == mistake }) + 1
        let error = try #require(Self.error(text))
        #expect(error.code == .malformed && error.line == line, "\(error)")
    }

    /// Neither many entities nor long chains of them take more time than their number.
    @Test func manyEntitiesAreReadInTheirTime() {
        let count = 4_000
        let flat = (0..<count).map { "<entity name=\"A\($0)\"/>" }.joined()
        let start = ThreadClock.now
        #expect(Self.error(ModelText.file(flat)) == nil)
        #expect(ThreadClock.now - start < .seconds(20))
        let chain = (0..<count).map { "<entity name=\"A\($0)\" parentEntity=\"A\($0 + 1)\"/>" }.joined()
        let last = "<entity name=\"A\(count)\"/>"
        for text in [chain + last, last + chain] {
            let error = Self.error(ModelText.file(text))
            #expect(error?.code == .tooLarge && error?.message.contains("superentities") == true)
        }
        #expect(ThreadClock.now - start < .seconds(30))
    }

    @Test func theLargestFileIsRead() {
        let text = String(
            decoding: ModelText.file("<!--" + String(repeating: "x\n", count: 4_500_000) + "-->"),
            as: UTF8.self)
        let space = String(repeating: " ", count: ModelFileError.largestFile - text.utf8.count)
        #expect(Self.error(text + space) == nil)
        #expect(Self.error(text + space + " ")?.code == .tooLarge)
    }

    /// Ten of ten of ten: the file is small.
    @Test func compositesThatGrowAreRefused() {
        let attributes = (0..<10).map {
            "<attribute name=\"a\($0)\" attributeType=\"Composite\" composite=\"NEXT\"/>"
        }
        let types = (0..<12).map { level in
            "<composite name=\"C\(level)\">"
                + attributes.joined().replacing("NEXT", with: "C\(level + 1)") + "</composite>"
        }
        let entity =
            "<entity name=\"A\"><attribute name=\"x\" attributeType=\"Composite\" composite=\"C0\"/></entity>"
        let last = "<composite name=\"C12\"><attribute name=\"y\" attributeType=\"String\"/></composite>"
        #expect(ModelText.error(entity + types.joined() + last)?.code == .tooLarge)
    }

    @Test func whatIsNoModelIsRefused() {
        #expect(Self.error("")?.code == .malformed)
        #expect(Self.error("bplist00\u{1}")?.code == .unsupportedFormat)
        #expect(Self.error(Data([0xFF, 0xFE, 0x3C, 0x00]))?.code == .malformed)
        #expect(Self.error("<?xml version=\"1.0\" encoding=\"UTF-16\"?><model/>")?.code == .unsupportedFormat)
        #expect(Self.error("<plist/>")?.code == .malformed)
        #expect(Self.error("hello")?.code == .malformed)
    }

    /// Wherever a file is cut off, the answer is an error and not half a model.
    @Test func truncatedFilesAreRefused() {
        let whole = ModelText.file(
            "<entity name=\"A\"><attribute name=\"x\" attributeType=\"String\"/></entity>")
        for count in 0..<whole.count {
            #expect(Self.error(whole.prefix(count)) != nil, "cut after \(count) bytes")
        }
        #expect(Self.error(whole) == nil)
    }

    /// Bytes that were changed at random give a model or an error.
    @Test func brokenFilesDoNotCrash() {
        let whole = ModelText.file(
            """
            <entity name="A" parentEntity="B"><attribute name="x" attributeType="Composite" composite="C"/>
            <relationship name="r" maxCount="1" deletionRule="Deny" destinationEntity="B"/></entity><entity name="B"/>
            <composite name="C"><attribute name="y" attributeType="Double" defaultValueString="1"/></composite>
            """)
        let seed: UInt64 = 0x486F_7764_6168
        var state = seed
        for _ in 0..<2_000 {
            var broken = whole
            for _ in 0..<3 {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                broken[Int(state >> 33) % broken.count] = UInt8(truncatingIfNeeded: state >> 24)
            }
            let error = Self.error(broken)
            #expect(error == nil || !(error?.message.isEmpty ?? true), "seed \(seed)")
        }
    }

    @Test func whatContradictsItselfIsToldAtOnce() {
        let cycle = ModelText.error(
            "<entity name=\"A\" parentEntity=\"B\"/><entity name=\"B\" parentEntity=\"A\"/>")
        #expect(cycle?.issues.map(\.code) == [.superentityCycle, .superentityCycle])
        let composite = ModelText.error(
            """
            <entity name="A"><attribute name="x" attributeType="Composite" composite="C"/></entity>
            <composite name="C"><attribute name="d" attributeType="Composite" composite="D"/></composite>
            <composite name="D"><attribute name="c" attributeType="Composite" composite="C"/></composite>
            """)
        #expect(composite?.code == .malformed && composite?.message.contains("itself") == true)
        let several = ModelText.error(
            """
            <entity name="A" parentEntity="X">
                <relationship name="r" maxCount="1" deletionRule="Nullify" destinationEntity="Y"/>
                <uniquenessConstraints><uniquenessConstraint><constraint value="z"/></uniquenessConstraint>
                </uniquenessConstraints>
                <fetchIndex name="i"><fetchIndexElement property="q" type="Binary" order="ascending"/></fetchIndex>
            </entity>
            <configuration name="C"><memberEntity name="W"/></configuration>
            <fetchRequest name="f" entity="V"/>
            """)
        #expect(several?.issues.count == 3)
        #expect(several?.warnings.count == 3)
        #expect(several?.code == .invalidModel)
    }

    @Test(arguments: [
        "<entity/>", "<entity name=\"A\"><attribute attributeType=\"String\"/></entity>",
        "<entity name=\"A\"><relationship name=\"r\" maxCount=\"1\"/></entity>",
        "<entity name=\"A\"><relationship name=\"r\" maxCount=\"1\" deletionRule=\"Eat\" destinationEntity=\"A\"/></entity>",
        "<entity name=\"A\"><attribute name=\"x\" attributeType=\"Composite\" composite=\"Nowhere\"/></entity>",
        "<entity name=\"A\"><attribute name=\"x\" attributeType=\"Composite\"/></entity>",
        "<entity name=\"A\"><fetchedProperty name=\"f\"/></entity>", "<fetchRequest name=\"f\"/>",
        "<composite name=\"C\"/><composite name=\"C\"/>",
    ])
    func whatIsMissingIsNamedWithItsLine(_ elements: String) {
        let error = ModelText.error(elements)
        #expect(error?.code == .malformed && error?.line == 3)
    }
}
