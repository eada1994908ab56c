// expect: class 'Thing' has no initializers
// expect: 'required' initializer 'init(_:)' must be provided
// expect: 'objectID' means the object's id in predicates
// expect: 'willSave' is also a method of ManagedObject that this class overrides. Rename the property
// expect: invalid redeclaration of 'willSave()'
import Howdah

@Entity final class Thing: ManagedObject {
    var objectID: Int
    var willSave: String

    override func willSave() {}
}
