/// What the library hands to a managed object class to make an instance; nothing a program makes itself.
///
/// Use `init(context:)` for a new object, and fetches or ids for existing ones.
public struct ObjectSeed {
    let layout: EntityLayout
    let owner: any ObjectOwner
    var key: Int64
    let flags: ObjectFlags
}
