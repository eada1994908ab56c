import Foundation
import HowdahModel
import Testing

@testable import HowdahDiagram

#if canImport(FoundationXML)
import FoundationXML
#endif

@Suite struct SVGTests {
    /// Counts elements, and collects texts by the class of their element.
    private final class Reader: NSObject, XMLParserDelegate {
        var counts: [String: Int] = [:]
        var texts: [String] = []
        private var isText = false

        func parser(
            _: XMLParser, didStartElement element: String, namespaceURI: String?, qualifiedName: String?,
            attributes: [String: String] = [:]
        ) {
            counts[element, default: 0] += 1
            if let style = attributes["class"] {
                for word in style.split(separator: " ") { counts[".\(word)", default: 0] += 1 }
            }
            isText = element == "text"
            if isText { texts.append("") }
        }

        func parser(_: XMLParser, didEndElement _: String, namespaceURI: String?, qualifiedName: String?) {
            isText = false
        }

        func parser(_: XMLParser, foundCharacters text: String) {
            if isText { texts[texts.count - 1] += text }
        }
    }

    private func read(_ model: ManagedObjectModel) -> Reader? {
        let parser = XMLParser(data: Data(ModelDiagram(model).svg.utf8))
        let reader = Reader()
        parser.delegate = reader
        return parser.parse() ? reader : nil
    }

    @Test func everythingIsDrawnOnce() throws {
        let reader = try #require(read(try SampleModels.everything()))
        #expect(reader.counts[".entity"] == 6)
        #expect(reader.counts[".link"] == 8)
        #expect(reader.counts[".hollow"] == 2)
        #expect(reader.counts[".one-way"] == 2)
        #expect(reader.counts[".full"] == 1)
        #expect(reader.counts[".count"] == 10)
        #expect(reader.texts.filter { $0 == "Writer" }.count == 2)
        #expect(reader.texts.contains("1..5"))
        #expect(reader.texts.filter { $0 == "cascade" }.count == 1)
    }

    @Test(arguments: 1...20) func everyNameIsValidXML(seed: UInt64) throws {
        let model = try SampleModels.random(seed: seed)
        let reader = try #require(read(model))
        for entity in model.entities { #expect(reader.texts.contains(entity.name)) }
    }

    @Test func charactersThatXMLCannotHoldAreReplaced() {
        #expect("a<b>&\"c'\u{FFFE}".xmlEscaped == "a&lt;b&gt;&amp;&quot;c&#39;\u{FFFD}")
    }

    @Test func nothingIsReferredTo() throws {
        let svg = ModelDiagram(try SampleModels.everything()).svg
        #expect(!svg.contains("href") && !svg.contains("<script") && !svg.contains("@import"))
        #expect(svg.components(separatedBy: "http").count == 2)
        #expect(svg.contains("prefers-color-scheme: dark"))
    }

    @Test func equalModelsGiveEqualBytes() throws {
        #expect(ModelDiagram(try SampleModels.large()).svg == ModelDiagram(try SampleModels.large()).svg)
        #expect(
            ModelDiagram(try SampleModels.large()).svg != ModelDiagram(try SampleModels.large(seed: 2)).svg)
    }
}
