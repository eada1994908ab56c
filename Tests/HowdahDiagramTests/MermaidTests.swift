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
                        String name unique
                        Address? home
                        String? home.street
                        Place home.place
                        Double home.place.latitude
                        String? label transient
                        Int32? code
                        unique name, code
                    }
                    class Writer
                    class Reader {
                        unique code
                    }
                    class Book {
                        UUID? isbn
                    }
                    class Alone {
                        Date? since
                    }
                    class Empty
                    Person <|-- Writer
                    Person <|-- Reader
                    Person "*" -- "0..1" Person : boss / reports (deny)
                    Person "*" -- "*" Person : friends
                    Writer "1" *-- "* ordered" Book : books (cascade) / author
                    Writer "0..1" -- "*" Book : edited / editor
                    Reader ..> "0..1" Book : reading (no action)
                    Reader ..> "1..5" Book : shelf

                """)
    }

    @Test func oddNamesGetAliases() throws {
        let text = ModelDiagram(
            try ManagedObjectModel(
                entities: ["class", "a\"b", "Entity1", "日本", "3D", "Default", "a_b", "o", "direction TB"].map
                { EntityDescription($0) })
        ).mermaid
        #expect(
            text.split(separator: "\n").dropFirst(2).map { String($0.dropFirst(4)) } == [
                "class Entity2[\"class\"]", "class Entity3[\"a#34;b\"]", "class Entity1",
                "class Entity4[\"日本\"]", "class Entity5[\"3D\"]", "class Entity6[\"Default\"]",
                "class a_b", "class Entity7[\"o\"]", "class Entity8[\"direction#32;TB\"]",
            ])
    }

    /// Every line is one of the few forms that the notation knows.
    @Test(arguments: 1...30) func everyLineIsWellFormed(seed: UInt64) throws {
        let model = try SampleModels.random(seed: seed)
        let lines = ModelDiagram(model).mermaid.split(separator: "\n").dropFirst(2).map {
            $0.drop { $0 == " " }
        }
        let name = #/[A-Za-z][A-Za-z0-9_]*/#
        var declared: Set<Substring> = []
        for line in lines {
            if let match = line.wholeMatch(
                of: #/class ([A-Za-z][A-Za-z0-9_]*)(?:\["[^"\[\]\n]+"\])?(?: \{)?/#)
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
