import Howdah

/// An owner of each kind of to-many: sheets that go with it, sheets in an order, and labels that others have too.
@Entity final class Binder: ManagedObject {
    var name: String = ""
    var place: String = ""
    @Relationship(deleteRule: .cascade, inverse: "binder") var sheets: ToMany<Sheet>
    @Relationship(inverse: "list") var order: OrderedToMany<Sheet>
    @Relationship(inverse: "binders") var labels: ToMany<Label>
}

@Entity final class Sheet: ManagedObject {
    var text: String = ""
    @Relationship(inverse: "sheets") var binder: Binder?
    @Relationship(inverse: "order") var list: Binder?
}

@Entity final class Label: ManagedObject {
    var text: String = ""
    @Relationship(inverse: "labels") var binders: ToMany<Binder>
    @Relationship(inverse: "kin") var kin: ToMany<Label>
}

extension Binder {
    static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(Binder.self, Sheet.self, Label.self)
    }

    /// The texts of the sheets in their order.
    var texts: String { order.map(\.text).joined() }

    /// Stores a binder with four sheets and a label.
    static func store(in context: ManagedObjectContext) throws {
        let binder = Binder(context: context)
        binder.name = "b"
        let label = Label(context: context)
        binder.labels.insert(label)
        for number in 0..<4 {
            let sheet = Sheet(context: context)
            sheet.text = "\(number)"
            sheet.binder = binder
            binder.order.append(sheet)
        }
        try context.save()
    }
}
