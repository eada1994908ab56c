/// The library's argument for creating an instance of a managed object class. A program cannot make it.
///
/// For a new object use `init(context:)`, and for existing ones fetches or ids.
public struct _ObjectSeed {
    let layout: EntityLayout
    let owner: any ObjectOwner
    var key: Int64
    let flags: _ObjectFlags
}
