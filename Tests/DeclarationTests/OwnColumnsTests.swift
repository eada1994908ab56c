import Howdah
import Testing

/// A class for a table that exists already.
@Entity(table: "countries", key: "id", version: "none", userInfo: ["note": "theirs"])
private final class Country: ManagedObject {
    var name: String?
}

@Suite struct OwnColumnsTests {
    @Test func tableKeyAndVersionAreAnnotations() {
        #expect(
            Country.entity?.userInfo == [
                "note": "theirs", MappingKey.table: "countries", MappingKey.key: "id",
                MappingKey.version: MappingKey.noVersion,
            ])
    }
}
