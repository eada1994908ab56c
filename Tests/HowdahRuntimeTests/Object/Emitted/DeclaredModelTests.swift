import DeclaredModels
import Howdah
import HowdahModel
import Testing

/// What `@Entity` emits is the model that the hand-written classes describe, to the last column.
@Suite struct DeclaredModelTests {
    @Test func theCompanyIsTheHandWrittenOne() throws {
        let (declared, written) = (try DeclaredCompany.model(), try Company.model())
        #expect(declared.versionChecksum == written.versionChecksum)
        #expect(try StoreSchema(declared) == StoreSchema(written))
        for entity in written.entities {
            #expect(declared[entity.name]?.properties == entity.properties)
            #expect(declared[entity.name]?.uniquenessConstraints == entity.uniquenessConstraints)
        }
    }

    @Test func theHierarchyIsTheHandWrittenOne() throws {
        let (declared, written) = (try DeclaredStaff.model(), try Staff.model())
        #expect(declared.versionChecksum == written.versionChecksum)
        #expect(try StoreSchema(declared) == StoreSchema(written))
    }

    @Test func oneDifferenceIsSeen() throws {
        var entities = try DeclaredCompany.model().entities
        entities[0].properties.swapAt(0, 1)
        #expect(try StoreSchema(ManagedObjectModel(entities: entities)) != StoreSchema(Company.model()))
    }
}
