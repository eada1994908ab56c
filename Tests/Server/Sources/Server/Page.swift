import Howdah

@Entity final class Page: ManagedObject {
    @Attribute(maximumLength: 80) var title: String
    var edits: Int = 0
    @Relationship(deleteRule: .cascade, inverse: "page") var remarks: ToMany<Remark>
}

@Entity final class Remark: ManagedObject {
    var number: Int
    @Relationship(inverse: "remarks") var page: Page?
}

extension ManagedObjectModel {
    static var pages: ManagedObjectModel {
        get throws { try ManagedObjectModel(Page.self, Remark.self) }
    }
}
