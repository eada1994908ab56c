/// What a control file says about one dependency; the target is only a name here.
struct DependencyRecord: Sendable {
    var kind: String
    var position: Int32
    var group: Int32
    var hasAlternatives: Bool
    var target: String
    var constraint: VersionConstraint?
}
