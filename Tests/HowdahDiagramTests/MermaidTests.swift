import HowdahModel
import Testing

@testable import HowdahDiagram

@Suite struct MermaidTests {
    @Test func everythingIsSaid() throws {
        #expect(
            ModelDiagram(try SampleModels.everything()).mermaid == """
                classDiagram
                    direction LR
                    class Person {
                        <<abstract>>
                        name #58; String unique
                        home #58; Address#63;
                        home#46;street #58; String#63;
                        home#46;place #58; Place
                        home#46;place#46;latitude #58; Double
                        label #58; String#63; transient
                        code #58; Int32#63;
                        unique name#44; code
                    }
                    class Writer
                    class Reader {
                        unique code
                    }
                    class Book {
                        isbn #58; UUID#63;
                    }
                    class Alone {
                        since #58; Date#63;
                    }
                    class Empty
                    Person <|-- Writer
                    Person <|-- Reader
                    Person "0..1" -- "*" Person : boss / reports #40;deny#41;
                    Person "*" -- "*" Person : friends
                    Writer "1" *-- "* ordered" Book : books #40;cascade#41; / author
                    Writer "0..1" -- "*" Book : edited / editor
                    Reader ..> "0..1" Book : reading #40;no action#41;
                    Reader ..> "1..5" Book : shelf

                """)
    }

    @Test func oddNamesGetAliases() throws {
        let text = ModelDiagram(
            try ManagedObjectModel(
                entities: ["class", "a\"b", "Entity1", "日本", "3D", "Default"].map { EntityDescription($0) })
        ).mermaid
        #expect(
            text.split(separator: "\n").dropFirst(2).map { String($0.dropFirst(4)) } == [
                "class Entity2[\"class\"]", "class Entity3[\"a#34;b\"]", "class Entity1",
                "class Entity4[\"日本\"]", "class Entity5[\"3D\"]", "class Entity6[\"Default\"]",
            ])
    }

    /// Every line is one of the few forms that the notation knows.
    @Test(arguments: 1...30) func everyLineIsWellFormed(seed: UInt64) throws {
        let model = try SampleModels.random(seed: seed)
        let lines = ModelDiagram(model).mermaid.split(separator: "\n").dropFirst(2).map {
            $0.drop { $0 == " " }
        }
        let name = #/[A-Za-z][A-Za-z0-9]*/#
        var declared: Set<Substring> = []
        for line in lines {
            if let match = line.wholeMatch(of: #/class ([A-Za-z][A-Za-z0-9]*)(?:\["[^"\[\]\n]+"\])?(?: \{)?/#)
            {
                #expect(declared.insert(match.1).inserted)
            } else if let match = line.wholeMatch(
                of: #/(\w+)(?: "[^"]+")? (?:<\|--|\*?--\*?|\.\.>)(?: "[^"]+")? (\w+)(?: : [^:"<>\n]+)?/#)
            {
                #expect(declared.contains(match.1) && declared.contains(match.2), "\(line)")
                #expect(match.1.wholeMatch(of: name) != nil)
            } else {
                #expect(line == "}" || line.wholeMatch(of: #/[^"{}<>]+/#) != nil, "\(line)")
            }
        }
        #expect(declared.count == model.entities.count)
    }
}
