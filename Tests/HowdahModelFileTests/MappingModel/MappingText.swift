import Foundation

/// Writes mapping models as Xcode does, for tests of what reads them.
struct MappingText {
    private var objects: [String] = []
    private var entities: [String] = []
    private var count = 100

    private mutating func nextID() -> String {
        count += 1
        return "z\(count)"
    }

    private static func attributes(_ values: [(String, String, String)]) -> String {
        values.map { "<attribute name=\"\($0.0)\" type=\"\($0.1)\">\($0.2)</attribute>\n" }.joined()
    }

    /// A property mapping of some attributes; the id it has.
    mutating func property(_ type: String, _ values: [(String, String, String)]) -> String {
        let id = nextID()
        objects.append("<object type=\"\(type)\" id=\"\(id)\">\n\(Self.attributes(values))</object>")
        return id
    }

    mutating func attribute(
        _ name: String, expression: [UInt8]? = nil, userInfo: [UInt8]? = nil
    ) -> String {
        property(
            "XDDEVATTRIBUTEMAPPING",
            Self.archives(expression, userInfo) + [("name", "string", name)])
    }

    mutating func relationship(
        _ name: String, expression: [UInt8]? = nil, mapping: String? = nil, keyPath: String? = nil,
        generates: Bool = true
    ) -> String {
        var values = Self.archives(expression, nil)
        values += [
            ("autogenerateexpression", "bool", generates ? "1" : "0"), ("name", "string", name),
        ]
        if let mapping { values.append(("sourcemappingname", "string", mapping)) }
        if let keyPath { values.append(("sourcekeypath", "string", keyPath)) }
        return property("XDDEVRELATIONSHIPMAPPING", values)
    }

    private static func archives(
        _ expression: [UInt8]?, _ userInfo: [UInt8]?
    ) -> [(String, String, String)] {
        let pairs = [("valueexpressiondata", expression), ("userinfodata", userInfo)]
        return pairs.compactMap { name, bytes in
            bytes.map {
                (name, "binary", Data($0).base64EncodedString(options: .lineLength76Characters))
            }
        }
    }

    /// An entity mapping of the model, or one that was left behind.
    mutating func entity(
        _ number: Int, from source: String? = nil, to destination: String? = nil, name: String? = nil,
        policy: String? = nil, filter: String? = nil, type: String = "Undefined", userInfo: [UInt8]? = nil,
        attributes: [String] = [], relationships: [String] = [], isLeft: Bool = false,
        others: [(String, String, String)] = []
    ) {
        let id = nextID()
        if !isLeft { entities.append(id) }
        var values: [(String, String, String)] = [
            ("mappingtypename", "string", type), ("mappingnumber", "int16", "\(number)"),
            ("autogenerateexpression", "bool", "1"),
        ]
        let texts = [
            ("sourcename", source), ("destinationname", destination), ("name", name),
            ("migrationpolicyclassname", policy), ("sourcefilterpredicatestring", filter),
        ]
        values += texts.compactMap { name, text in text.map { (name, "string", $0) } }
        values += Self.archives(nil, userInfo) + others
        objects.append(
            """
            <object type="XDDEVENTITYMAPPING" id="\(id)">
            \(Self.attributes(values))<relationship name="attributemappings" type="0/0" \
            destination="XDDEVATTRIBUTEMAPPING" idrefs="\(attributes.joined(separator: " "))"></relationship>
            <relationship name="relationshipmappings" type="0/0" destination="XDDEVRELATIONSHIPMAPPING" \
            idrefs="\(relationships.joined(separator: " "))"></relationship>
            </object>
            """)
    }

    /// The whole file.
    var text: String {
        """
        <?xml version="1.0"?>
        <!DOCTYPE database SYSTEM "file:///System/Library/DTDs/CoreData.dtd">

        <database>
            <databaseInfo><version>134481920</version><metadata><plist version="1.0"><dict><key>a</key>
                <integer>1</integer></dict></plist></metadata></databaseInfo>
            \(objects.joined(separator: "\n"))
            <object type="XDDEVMAPPINGMODEL" id="z1">
                <attribute name="sourcemodelpath" type="string">Boxes.xcdatamodeld/Boxes.xcdatamodel</attribute>
                <attribute name="destinationmodelpath" type="string">Boxes.xcdatamodeld/Boxes 2.xcdatamodel</attribute>
                <attribute name="sourcemodeldata" type="binary">AAAA</attribute>
                <relationship name="entitymappings" type="0/0" destination="XDDEVENTITYMAPPING" \
        idrefs="\(entities.joined(separator: " "))"></relationship>
            </object>
        </database>
        """
    }
}
