import Foundation
import Testing

@Suite struct MappingCommandTests {
    private let folder: ToolFolder

    init() throws {
        folder = try ToolFolder()
        try folder.place(
            """
            <entity name="Box"><attribute name="title" optional="YES" attributeType="String"/>
                <attribute name="size" optional="YES" attributeType="Integer 16"/></entity>
            """, at: "Boxes.xcdatamodeld/Boxes.xcdatamodel")
        try folder.place(
            """
            <entity name="Crate"><attribute name="label" optional="YES" attributeType="String"/>
                <attribute name="size" optional="YES" attributeType="Integer 32"/></entity>
            """, at: "Boxes.xcdatamodeld/Boxes 2.xcdatamodel")
        try folder.write(Self.mapping(label: "label"), at: "Up.xcmappingmodel/xcmapping.xml")
        try folder.write(Self.mapping(label: "labell"), at: "Wrong.xcmappingmodel/xcmapping.xml")
        try folder.write("<database></database>", at: "Empty.xcmappingmodel/xcmapping.xml")
    }

    private static func mapping(label: String) -> String {
        """
        <?xml version="1.0"?>
        <!DOCTYPE database SYSTEM "file:///System/Library/DTDs/CoreData.dtd">
        <database>
        <object type="XDDEVMAPPINGMODEL" id="z1">
            <attribute name="sourcemodelpath" type="string">Boxes.xcdatamodeld/Boxes.xcdatamodel</attribute>
            <relationship name="entitymappings" idrefs="z2"></relationship></object>
        <object type="XDDEVENTITYMAPPING" id="z2"><attribute name="sourcename" type="string">Box</attribute>
            <attribute name="destinationname" type="string">Crate</attribute>
            <attribute name="sourcefilterpredicatestring" type="string">size &gt; 0</attribute>
            <relationship name="attributemappings" idrefs="z3 z4"></relationship></object>
        <object type="XDDEVATTRIBUTEMAPPING" id="z3"><attribute name="name" type="string">\(label)</attribute>
        </object>
        <object type="XDDEVATTRIBUTEMAPPING" id="z4"><attribute name="name" type="string">size</attribute>
        </object>
        <object type="XDDEVATTRIBUTEMAPPING" id="z5"><attribute name="name" type="string">old</attribute>
        </object>
        </database>
        """
    }

    private func run(_ words: String...) throws -> Tool.Outcome {
        try Tool.run(["model", "mapping"] + words, in: folder)
    }

    private static let models = [
        "--source", "Boxes.xcdatamodeld", "--source-version", "Boxes", "--destination", "Boxes.xcdatamodeld",
        "--destination-version", "Boxes 2",
    ]

    @Test func aMappingModelIsShown() throws {
        let shown = try run("Up.xcmappingmodel")
        #expect(shown.status == 0)
        #expect(
            shown.output == """
                from  Boxes.xcdatamodeld/Boxes.xcdatamodel
                1 entity mapping

                BoxToCrate  (transform or copy)  Box -> Crate
                  only where  size > 0
                  label  (from the models)
                  size   (from the models)

                """)
        #expect(shown.complaint.contains("1 XDDEVATTRIBUTEMAPPING objects belong to no other object"))
    }

    @Test func modelsFillInWhatIsOpen() throws {
        let shown = try Tool.run(["model", "mapping", "Up.xcmappingmodel"] + Self.models, in: folder)
        #expect(shown.status == 0, "\(shown.complaint)")
        for line in ["BoxToCrate  (transform)  Box -> Crate", "  label  (default)", "  size   $source.size"] {
            #expect(shown.output.contains(line + "\n"), "\(line)")
        }
        let json = try Tool.run(
            ["model", "mapping", "Up.xcmappingmodel", "--json"] + Self.models, in: folder)
        #expect(json.status == 0)
        try folder.write(json.output, at: "up.json")
        let again = try Tool.run(["model", "mapping", "up.json", "--json"] + Self.models, in: folder)
        #expect(again.output == json.output && again.output.contains("\"$source.size\""))
    }

    @Test func whatDoesNotFitIsToldWithStatusOne() throws {
        let shown = try Tool.run(["model", "mapping", "Wrong.xcmappingmodel"] + Self.models, in: folder)
        #expect(shown.status == 1)
        #expect(shown.output.contains("error: BoxToCrate.labell"))
        #expect(shown.output.contains("Did you mean label?"))
        let json = try Tool.run(
            ["model", "mapping", "Wrong.xcmappingmodel", "--json"] + Self.models, in: folder)
        #expect(json.status == 1 && json.output.isEmpty)
        #expect(json.complaint.contains("error: BoxToCrate.labell"))
        let swapped = try run(
            "Up.xcmappingmodel", "--source", "Boxes.xcdatamodeld", "--source-version", "Boxes 2",
            "--destination", "Boxes.xcdatamodeld", "--destination-version", "Boxes")
        #expect(swapped.status == 1 && swapped.output.contains("The source model has no entity Box"))
    }

    @Test func exitCodesAreThoseOfTheOthers() throws {
        #expect(try run("Empty.xcmappingmodel").status == 1)
        #expect(try run("Nowhere.xcmappingmodel").status == 1)
        #expect(try run("Up.xcmappingmodel", "--source", "Boxes.xcdatamodeld").status == 64)
        #expect(try run("Up.xcmappingmodel", "--source-version", "Boxes").status == 64)
        #expect(try run("").status == 64)
    }
}
