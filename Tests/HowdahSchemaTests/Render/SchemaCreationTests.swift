import HowdahModel
import HowdahSchema
import TestSupport
import Testing

struct SchemaCreationTests {
    @Test func companyBecomesThisDDL() throws {
        let schema = try StoreSchema(.company(), schemaName: "company")
        let text = SchemaCreation(schema).statements.joined(separator: ";\n") + ";\n"
        #expect(text == companyDDL)
    }
}
